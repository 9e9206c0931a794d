"""The texts of a new package, with placeholders such as `$name`."""

from pathlib import Path
from string import Template

FILES = Path(__file__).with_name("files")


def filled(file: str, /, **values: str) -> str:
    """Return the text of a file with all its placeholders filled in."""
    return Template((FILES / f"{file}.txt").read_text("utf-8")).substitute(values)
