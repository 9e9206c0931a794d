"""The pages on data sets print what they say, with the tokenizer of Qwen2.5."""

import gzip

import pages
import pytest
import real_tokenizers

pytest.importorskip("datasets")
pytest.importorskip("lect_data")
pytest.importorskip("tokenizers")

PAGES = [pages.DOCS / name for name in ("tutorial/training-set.md", "how-to/format-with-datasets.md")]


@pytest.fixture
def directory(tmp_path):
    """A directory with that of the model in it."""
    stored = real_tokenizers.ROOT / "qwen2_5/tokenizer.json.gz"
    if not stored.exists():
        pytest.skip(real_tokenizers.ABSENT)
    model = tmp_path / "Qwen2.5-7B-Instruct"
    model.mkdir()
    (model / "tokenizer.json").write_bytes(gzip.decompress(stored.read_bytes()))
    return tmp_path


@pytest.mark.parametrize("page", PAGES, ids=pages.name)
def test_the_page_prints_what_it_says(page, directory, monkeypatch):
    monkeypatch.setenv("HF_HOME", str(directory / "cache"))
    for example in pages.console_examples(page, "shell-session"):
        printed = pages.run_command(example.code, directory)
        assert example.printed is None or pages.fits(printed, example.printed), printed
    examples = pages.python_examples(page, ("py",))
    for example, printed in zip(examples, pages.run_program(examples, directory), strict=True):
        assert pages.fits(printed, example.printed), printed
