"""The tutorial, followed to the letter in a fresh environment."""

import pages
import pytest

TOY = pages.DOCS / "tutorial" / "lect-toy"
PAGE = pages.DOCS / "tutorial" / "first-adapter.md"
ADAPTER = TOY / "src" / "lect_toy" / "__init__.py"
MOST_LINES = 40
"""What a family of the ChatML kind may cost."""


@pytest.mark.parametrize(("language", "file"), [("python", ADAPTER), ("toml", TOY / "pyproject.toml")])
def test_the_page_shows_the_files_as_they_are(language, file):
    assert file.read_text("utf-8") in [block.text for block in pages.read_blocks(PAGE) if block.language == language]


def test_a_simple_family_is_a_few_lines():
    lines = [
        line for line in ADAPTER.read_text("utf-8").splitlines() if line.strip() and not line.lstrip().startswith("#")
    ]
    assert len(lines) <= MOST_LINES


def test_the_toy_works_once_it_is_installed(sandbox, tmp_path):
    environment = sandbox.environment(TOY)
    examples = pages.console_examples(PAGE)
    assert examples
    for example in examples:
        printed = pages.run_command(example.code, tmp_path, environment.bin)
        assert pages.fits(printed, example.printed), printed
