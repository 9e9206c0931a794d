"""The texts of a new package, with places such as `$name` that are filled in."""

from pathlib import Path
from string import Template

FILES = Path(__file__).with_name("files")


def filled(file: str, /, **values: str) -> str:
    """Return the text of a file with all its places filled in."""
    return Template((FILES / f"{file}.txt").read_text("utf-8")).substitute(values)
