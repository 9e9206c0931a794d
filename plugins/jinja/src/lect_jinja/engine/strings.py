"""Texts that carry their origin.

There are three kinds of text. A plain `str` is the template's own. An `Input`, from core, is a piece of one of the
caller's fields. A `Joined` is pieces of both kinds, in order. The functions here are the operations of `str` for all of
them; what cannot be followed gets an unknown origin, and never becomes a plain string.
"""

from __future__ import annotations

import operator
from bisect import bisect_left, bisect_right
from itertools import accumulate
from typing import TYPE_CHECKING, Any, SupportsIndex

from markupsafe import escape

from lect.plugin import Input, given, plain_str, unknown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

TRANSFORMED = -1
_new = str.__new__


class Joined(str):
    """A text in pieces, each a plain `str` or an `Input`."""

    __slots__ = ("_starts", "pieces")
    pieces: tuple[str, ...]
    _starts: list[int]

    @property
    def starts(self) -> list[int]:
        """Where each piece begins; computed when first needed."""
        if not hasattr(self, "_starts"):
            self._starts = [0, *accumulate(map(len, self.pieces[:-1]))]
        return self._starts

    def __str__(self) -> str:
        return self

    def __getitem__(self, key: SupportsIndex | slice) -> str:
        if not isinstance(key, slice):
            index = operator.index(key)
            str.__getitem__(self, index)
            return cut(self, index % len(self), index % len(self) + 1)
        start, stop, step = key.indices(len(self))
        return cut(self, start, stop) if step == 1 else unknown(str.__getitem__(self, key))

    def __iter__(self) -> Iterator[str]:
        return (character for piece in self.pieces for character in piece)

    def __add__(self, other: str) -> str:
        # An undefined value then gets to raise its own error.
        return joined((*self.pieces, *pieces_of(other))) if isinstance(other, str) else NotImplemented

    def __radd__(self, other: str) -> str:
        return joined((*pieces_of(other), *self.pieces)) if isinstance(other, str) else NotImplemented


class Safe(Joined):
    """The result of the filter `safe`: whatever is added to it is escaped for HTML, as in Jinja2."""

    __slots__ = ()

    def __add__(self, other: str) -> Safe:
        return safe((*self.pieces, *_escaped(other)))

    def __radd__(self, other: str) -> Safe:
        return safe((*_escaped(other), *self.pieces))


TEXTS = frozenset({str, Input, Joined, Safe})
"""The types of all texts that a template meets."""


OWN_TEXT = {str}


def pieces_of(text: str) -> tuple[str, ...]:
    """Return the pieces of a text."""
    return text.pieces if isinstance(text, Joined) else (text,)


def joined(pieces: Iterable[str]) -> str:
    """Join pieces into one text: a plain one if all of them are the template's own."""
    some = [piece for piece in pieces if piece]
    if {*map(type, some)} <= OWN_TEXT:
        return "".join(some)
    if len(some) == 1:
        return some[0]
    text = _new(Joined, "".join(some))
    text.pieces = tuple(some)
    return text


def safe(pieces: Iterable[str]) -> Safe:
    """Join pieces into one safe text."""
    some = tuple(piece for piece in pieces if piece)
    text = _new(Safe, "".join(some))
    text.pieces = some
    return text


def _escaped(text: str) -> tuple[str, ...]:
    """Return the pieces of a text, escaped for HTML unless it is safe already."""
    if isinstance(text, Safe):
        return text.pieces
    return tuple(changed(piece, plain_str(escape(plain_str(piece)))) for piece in pieces_of(text))


def changed(piece: str, text: str) -> str:
    """Return the new text of a single piece: it is still from that field, but has no offset."""
    if text == piece:
        return piece
    return given(text, piece.path, TRANSFORMED) if isinstance(piece, Input) else text


def followed(result: str, *sources: object) -> str:
    """Return a text derived from others: of unknown origin unless all of them are the template's own."""
    return unknown(result) if any(isinstance(source, Input | Joined) for source in sources) else result


def cut(text: str, start: int, stop: int) -> str:
    """Return the characters from `start` to `stop`, both of them in the text."""
    if not isinstance(text, Joined):
        return text[start:stop]
    starts = text.starts
    first = max(bisect_right(starts, start) - 1, 0)
    found = list(text.pieces[first : bisect_left(starts, stop)])
    if found:
        # From the end, since the first piece may also be the last.
        found[-1] = found[-1][: stop - starts[first + len(found) - 1]]
        found[0] = found[0][start - starts[first] :]
    return joined(found)


def strip(text: str, chars: str | None = None) -> str:
    """Do what `str.strip` does."""
    if not isinstance(text, Joined):
        return text.strip(chars)
    start = len(text) - len(str.lstrip(text, chars))
    return cut(text, start, max(start, len(str.rstrip(text, chars))))


def lstrip(text: str, chars: str | None = None) -> str:
    """Do what `str.lstrip` does."""
    if not isinstance(text, Joined):
        return text.lstrip(chars)
    return cut(text, len(text) - len(str.lstrip(text, chars)), len(text))


def rstrip(text: str, chars: str | None = None) -> str:
    """Do what `str.rstrip` does."""
    if not isinstance(text, Joined):
        return text.rstrip(chars)
    return cut(text, 0, len(str.rstrip(text, chars)))


def removeprefix(text: str, prefix: str) -> str:
    """Do what `str.removeprefix` does."""
    return cut(text, len(prefix), len(text)) if prefix and text.startswith(prefix) else text


def removesuffix(text: str, suffix: str) -> str:
    """Do what `str.removesuffix` does."""
    return cut(text, 0, len(text) - len(suffix)) if suffix and text.endswith(suffix) else text


def _located(text: str, parts: Iterable[str], between: int | None) -> list[str]:
    """Return consecutive parts of a text, with `between` characters between them, or any number for None."""
    found, cursor = [], 0
    for part in parts:
        if between is None:
            cursor = str.find(text, part, cursor)
        found.append(cut(text, cursor, cursor + len(part)))
        cursor += len(part) + (between or 0)
    return found


def split(text: str, sep: str | None = None, maxsplit: int = -1) -> list[str]:
    """Do what `str.split` does."""
    parts = str.split(text, sep, maxsplit)
    return parts if type(text) is str else _located(text, parts, None if sep is None else len(sep))


def rsplit(text: str, sep: str | None = None, maxsplit: int = -1) -> list[str]:
    """Do what `str.rsplit` does."""
    parts = str.rsplit(text, sep, maxsplit)
    return parts if type(text) is str else _located(text, parts, None if sep is None else len(sep))


def splitlines(text: str, keepends: bool = False) -> list[str]:
    """Do what `str.splitlines` does."""
    parts = str.splitlines(text, keepends)
    return parts if type(text) is str else _located(text, parts, None)


def partition(text: str, sep: str) -> tuple[str, ...]:
    """Do what `str.partition` does."""
    return tuple(_located(text, str.partition(text, sep), 0))


def rpartition(text: str, sep: str) -> tuple[str, ...]:
    """Do what `str.rpartition` does."""
    return tuple(_located(text, str.rpartition(text, sep), 0))


def replace(text: str, old: str, new: str, count: int = -1) -> str:
    """Do what `str.replace` does."""
    result = str.replace(text, old, new, count)
    if type(text) is str and type(new) is str:
        return result
    if not old:
        return followed(result, text, new)
    found: list[str] = []
    begin = 0
    at = str.find(text, old)
    while at >= 0 and count:
        found += pieces_of(cut(text, begin, at)) + pieces_of(new)
        begin = at + len(old)
        count -= 1
        at = str.find(text, old, begin)
    return joined((*found, *pieces_of(cut(text, begin, len(text))))) if begin else text


def join(between: str, texts: Iterable[Any]) -> str:
    """Do what `str.join` does."""
    found: list[str] = []
    separator = pieces_of(between)
    for index, text in enumerate(texts):
        if not isinstance(text, str):
            msg = f"sequence item {index}: expected str instance, {type(text).__name__} found"
            raise TypeError(msg)
        if index:
            found += separator
        found += pieces_of(text)
    return joined(found)


def repeat(text: str, count: int) -> str:
    """Do what `*` does."""
    return text * count if type(text) is str else joined(pieces_of(text) * count)


def letter_by_letter(method: Callable[[str], str]) -> Callable[[str], str]:
    """Return a method of `str` that changes characters in place, such as `upper`, for all texts."""

    def change(text: str) -> str:
        result = method(text)
        if type(text) is str:
            return result
        if type(text) is Input:
            return changed(text, result)
        # A letter may depend on those beside it, as in a title: then it depends on another piece.
        pieces = [changed(piece, method(plain_str(piece))) for piece in pieces_of(text)]
        return joined(pieces) if "".join(pieces) == result else unknown(result)

    return change


def ljust(text: str, width: int, fill: str = " ") -> str:
    """Do what `str.ljust` does."""
    padded = str.ljust(text, width, fill)
    return padded if type(text) is str else joined((*pieces_of(text), padded[len(text) :]))


def rjust(text: str, width: int, fill: str = " ") -> str:
    """Do what `str.rjust` does."""
    padded = str.rjust(text, width, fill)
    return padded if type(text) is str else joined((padded[: len(padded) - len(text)], *pieces_of(text)))
