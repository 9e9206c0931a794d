"""The pages whose examples need more than lect: each with exactly the packages that it names, from top to bottom.

`nox -s pages` has them all, and misses none; elsewhere, pages that need what is not installed are left out.
"""

import gzip
import os
import re
from importlib.metadata import PackageNotFoundError
from pathlib import Path

import pages
import pytest
from overlay import overlay
from shared import SHARED

HEAVY = ("py", "shell-session")
PAGES = [
    page
    for page in pages.all_pages()
    if pages.name(page) not in pages.ELSEWHERE and any(block.language in HEAVY for block in pages.read_blocks(page))
]
TOKENIZERS = SHARED / "tokenizers"
MODELS = {"Qwen2.5-7B-Instruct": "qwen2_5", "Qwen3-8B": "qwen3"}
"""The directories of models that a reader is supposed to have, and their tokenizers, which are not ours to redistribute."""
READS_A_MODEL = re.compile(r"from_file\(|--tokenizer |Formatter\(")
GIVEN = {
    "docs/how-to/train-on-a-formatted-set.md": f"""
import sys
sys.path.append({str(Path(pages.__file__).parent)!r})
import tiny_model
import trl
from functools import partial
trl.SFTConfig = partial(trl.SFTConfig, use_cpu=True)
tokenizer = tiny_model.tiny_tokenizer()
model = tiny_model.tiny_model(tokenizer)
""",
}
"""What the program of a page takes for granted, and how it does without a GPU."""


@pytest.fixture
def directory(tmp_path, monkeypatch):
    """A directory with those of the models in it, and nothing of what other packages keep at home."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("RAY_AUTH_MODE", "disabled")
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    for model, name in MODELS.items():
        stored = TOKENIZERS / name / "tokenizer.json.gz"
        if stored.exists():
            (tmp_path / model).mkdir()
            (tmp_path / model / "tokenizer.json").write_bytes(gzip.decompress(stored.read_bytes()))
    return tmp_path


def programs(page, directory):
    """Return the folder of programs with just what a page says it needs."""
    try:
        return overlay(directory / "environment", pages.needed(page, everywhere=True))
    except PackageNotFoundError as error:
        (pytest.fail if "LECT_PAGES" in os.environ else pytest.skip)(f"{error.name} is not installed")


@pytest.mark.parametrize("page", PAGES, ids=pages.name)
def test_a_page_prints_what_it_says(page, directory):
    installed = programs(page, directory)
    if READS_A_MODEL.search(page.read_text("utf-8")) and not TOKENIZERS.exists():
        pytest.skip("the makers' tokenizers are not here: ../shared/tokenizers is missing")
    pages.write_files(page, directory)
    for example in pages.console_examples(page, "shell-session"):
        printed = pages.run_example(example, directory, installed)
        assert example.printed is None or pages.fits(printed, example.printed), printed
    given = pages.Example(0, GIVEN.get(pages.name(page), ""), "")
    # On a cluster, a model is in a place that every node sees.
    examples = [given, *pages.python_examples(page, ("python", "py"))]
    examples = [example._replace(code=example.code.replace("/models/", f"{directory}/")) for example in examples]
    # What other packages do when they are imported is not ours.
    printed = pages.run_program(examples, directory, installed / "python", warnings="ignore")
    for example, each in zip(examples, printed, strict=True):
        assert pages.fits(each, example.printed), each
