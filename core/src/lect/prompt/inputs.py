"""Text from the caller that remembers where it came from.

A template program works on strings. When only the prompt is wanted they are plain `str`; when segments are wanted they
are `Input`, a `str` that knows the field it came from and its offset there, and keeps both through the operations that
templates use. All else that a program writes is template text. What cannot be followed is `UNKNOWN` and never trusted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Never, SupportsIndex, cast

from lect.boundaries import boundary
from lect.errors import MessageError, saferepr
from lect.values import TRANSFORMED, Path

_new = str.__new__


class Input(str):
    """A piece of the caller's text that knows where it came from."""

    __slots__ = ("path", "start")
    path: Path
    """The field that it came from; empty if that is not known."""
    start: int
    """The offset in that field; -1 if the text was transformed."""

    def _piece(self, text: str, start: int) -> Input:
        piece = _new(Input, text)
        piece.path = self.path
        piece.start = start
        return piece

    def _shifted(self, text: str, by: int) -> Input:
        return self._piece(text, TRANSFORMED if self.start < 0 else self.start + by)

    def _changed(self, text: str) -> Input:
        return self if text == self else self._piece(text, TRANSFORMED)

    # Operations that return a part of the text: the offset moves along.

    def strip(self, chars: str | None = None, /) -> Input:
        # Most texts have no white space at their ends.
        return self if len(str.strip(self, chars)) == len(self) else self.lstrip(chars).rstrip(chars)

    def lstrip(self, chars: str | None = None, /) -> Input:
        text = str.lstrip(self, chars)
        return self._shifted(text, len(self) - len(text))

    def rstrip(self, chars: str | None = None, /) -> Input:
        return self._shifted(str.rstrip(self, chars), 0)

    def removeprefix(self, prefix: str, /) -> Input:
        text = str.removeprefix(self, prefix)
        return self._shifted(text, len(self) - len(text))

    def removesuffix(self, suffix: str, /) -> Input:
        return self._shifted(str.removesuffix(self, suffix), 0)

    def __getitem__(self, key: SupportsIndex | slice) -> Input:
        text = str.__getitem__(self, key)
        if isinstance(key, slice):
            start, _, step = key.indices(len(self))
            return self._shifted(text, start) if step == 1 else self._changed(text)
        index = key.__index__()
        return self._shifted(text, index if index >= 0 else index + len(self))

    def __iter__(self) -> Iterator[str]:
        return (self._shifted(character, offset) for offset, character in enumerate(str.__iter__(self)))

    def _located(self, pieces: Iterable[str], sep: str | None = None) -> list[Input]:
        """Return the pieces, which follow each other in the text separated by `sep`, with their offsets."""
        located, cursor = [], 0
        for piece in pieces:
            if sep is None:
                # The separator is white space or a line end, with which no piece but the first begins.
                cursor = str.index(self, piece, cursor)
            located.append(self._shifted(piece, cursor))
            cursor += len(piece) + len(sep or "")
        return located

    def split(self, sep: str | None = None, maxsplit: SupportsIndex = -1) -> list[str]:
        return cast("list[str]", self._located(str.split(self, sep, maxsplit), sep))

    def rsplit(self, sep: str | None = None, maxsplit: SupportsIndex = -1) -> list[str]:
        return cast("list[str]", self._located(str.rsplit(self, sep, maxsplit), sep))

    def splitlines(self, keepends: bool = False) -> list[str]:
        return cast("list[str]", self._located(str.splitlines(self, keepends)))

    def partition(self, sep: str, /) -> tuple[str, str, str]:
        before, middle, after = self._located(str.partition(self, sep), "")
        return before, middle, after

    def rpartition(self, sep: str, /) -> tuple[str, str, str]:
        before, middle, after = self._located(str.rpartition(self, sep), "")
        return before, middle, after

    def __str__(self) -> Input:
        # A plain string would count as template text and be trusted.
        return self

    # Joining with other text cannot be followed. `+` returns text of unknown origin; an f-string raises, because it
    # would return a plain string, which counts as template text.

    def join(self, pieces: Iterable[str], /) -> Input:
        return unknown(str.join(self, pieces))

    def __add__(self, other: str) -> Input:
        return unknown(str.__add__(self, other))

    def __radd__(self, other: str) -> Input:
        return unknown(other.__add__(self))

    def __format__(self, *values: Any, **named: Any) -> Never:
        msg = "text from the caller was put into an f-string; write the pieces one by one instead: out += a, b"
        raise TypeError(msg)

    __mod__ = __rmod__ = format = format_map = __format__


def _changing(name: str) -> Callable[..., Input]:
    """Return a method of `Input` that changes the text: the result still comes from its field, but has no offset."""
    plain = getattr(str, name)

    def change(self: Input, *values: Any, **named: Any) -> Input:
        return self._changed(plain(self, *values, **named))

    return change


for _name in (
    "__mul__", "__rmul__", "capitalize", "casefold", "center", "expandtabs", "ljust", "lower", "replace", "rjust",
    "swapcase", "title", "translate", "upper", "zfill",
):  # fmt: skip
    setattr(Input, _name, _changing(_name))

plain_str = str.__str__
"""Return an `Input`, or any other `str`, as a plain string: `plain_str(text)`."""


def given(text: str, path: Path, start: int = 0) -> Input:
    """Mark `text` as the caller's, from the field `path`. Text that already knows its origin keeps it."""
    if type(text) is not str:
        if isinstance(text, Input):
            return text
        if not isinstance(text, str):
            raise MessageError(f"text is {saferepr(text)} ({type(text).__name__}); expected str")
        # A member of an enumeration may be text too, with a different `str()`.
        text = plain_str(text)
    piece = _new(Input, text)
    piece.path = path
    piece.start = start
    return piece


@boundary
def unknown(text: str) -> Input:
    """Mark `text` as of unknown origin, so that nothing trusts it."""
    return given(text, (), TRANSFORMED)
