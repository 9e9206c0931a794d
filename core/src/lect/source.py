"""What a template is read from: a file, a directory, a text or an object."""

import os
from collections.abc import Collection, Mapping
from typing import Any, NamedTuple, Self

from lect.errors import SourceError, saferepr
from lect.files import parse_json, read_file

LARGEST_FILE = 32 * 2**20
"""Bytes."""
_TEXT = "{\n"
"""A text that contains one of these is a template, not a path."""


class Source(NamedTuple):
    """What a template is to be read from."""

    path: str
    """The file or directory; empty if a text or an object was given."""
    text: str | None
    """The text of the file, or the text given; None for a directory, and for a file that is not text or too large."""
    data: Any
    """The value of the text if it is JSON, or the object that was given; None if there is neither."""
    problem: str = ""
    """Why there is no data, as it follows the name of the source in an error."""

    def __str__(self) -> str:
        # A path ends with the name of the file, so it is not cut off.
        return saferepr(self.path, len(self.path)) if self.path else saferepr(self.text or self.data)

    @classmethod
    def of_text(cls, text: str, path: str = "") -> Self:
        """Return a text as a source.

        Raises:
            SourceError: If it is JSON with a key twice in one object.
        """
        try:
            return cls(path, text, parse_json(text))
        except SourceError as error:
            raise SourceError(f"{cls(path, text, None)} cannot be used: {error}") from None
        except RecursionError:
            return cls(path, text, None, "is nested too deeply")
        except ValueError as error:
            return cls(path, text, None, f"is not JSON: {error}")

    def fields(self, known: Collection[str], tool: str) -> Mapping[str, Any]:
        """Return the fields of a template that is a JSON object, or a mapping; `tool` has the `known` ones.

        Raises:
            SourceError: If it is not one, or has an unknown field.
        """
        if not isinstance(self.data, Mapping):
            what = self.problem or f"is {type(self.data).__name__}"
            raise SourceError(f"{self} {what}; expected an object with {tool}'s fields\n  try: {', '.join(known)}")
        for name in self.data:
            if name not in known:
                msg = f"{self} has a field {saferepr(name)}, which {tool} does not know\n  try: {', '.join(known)}"
                raise SourceError(msg)
        return self.data


def source_of(given: Any) -> Source:
    """Read a source; a `str` is text if it holds `{` or a newline, else a path."""
    if isinstance(given, os.PathLike):
        return _read_file(os.fspath(given))
    if not isinstance(given, str):
        return Source("", None, given)
    if any(character in given for character in _TEXT):
        return Source.of_text(given)
    return _read_file(os.path.expanduser(given))


def _read_file(path: str) -> Source:
    try:
        if os.path.isdir(path):
            return Source(path, None, None, "is a directory")
        text = read_file(path, LARGEST_FILE).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        return Source(path, None, None, f"is not UTF-8, from byte {error.start} on")
    except (OSError, ValueError) as error:
        if isinstance(error, SourceError) and os.path.isfile(path):
            return Source(path, None, None, f"has more than {LARGEST_FILE:,} bytes")
        msg = f"cannot read {saferepr(path)}: {getattr(error, 'strerror', None) or error}\n  try: a path that exists"
        raise SourceError(msg) from error
    return Source.of_text(text, path)
