"""The tutorial, followed to the letter in a fresh environment."""

import pages
import pytest
from sandbox import KIT

PAGE = pages.DOCS / "tutorial" / "first-adapter.md"
ADAPTER = "lect-toy/src/lect_toy/__init__.py"
FILES = [ADAPTER, "lect-toy/tests/test_toy.py"]
MOST_LINES = 40
"""The most lines that a ChatML-like family may need."""


@pytest.fixture(scope="module")
def environment(sandbox):
    made = sandbox.fresh(KIT)
    sandbox.install_test_tools(made)
    return made


def edit(directory, changes):
    """Change lines of the adapter as a `diff` block says: those with `-` become those with `+`."""
    lines = changes.splitlines(keepends=True)
    before, after = ("".join(line[1:] for line in lines if line[0] == sign) for sign in "-+")
    text = (directory / ADAPTER).read_text("utf-8")
    assert text.count(before) == 1
    (directory / ADAPTER).write_text(text.replace(before, after), "utf-8")


def test_the_tutorial_works_as_it_is_written(environment, offline, tmp_path):
    shown = [block.text for block in pages.read_blocks(PAGE) if block.language == "python"]
    edits = {block.line: block.text for block in pages.read_blocks(PAGE) if block.language == "diff"}
    assert [len(changes.splitlines()) for changes in edits.values()] == [6], "three lines are edited"
    for example in pages.console_examples(PAGE):
        for line in [line for line in edits if line < example.line]:
            edit(tmp_path, edits.pop(line))
        printed = pages.run_command(example.code, tmp_path, environment.bin)
        assert pages.fits(printed, example.printed), printed
        if example.code.startswith("lect new"):
            files = [(tmp_path / file).read_text("utf-8") for file in FILES]
            assert set(files) <= set(shown)
            assert len(files[0].splitlines()) <= MOST_LINES
    examples = pages.python_examples(PAGE)
    for example, printed in zip(examples, pages.run_program(examples, tmp_path, environment.python), strict=True):
        assert pages.fits(printed, example.printed), printed
