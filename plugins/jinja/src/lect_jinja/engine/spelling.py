"""Write values as JSON or as Python prints them, so that every text in them still knows its field."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from lect.plugin import Input, given, plain_str, unknown
from lect_jinja.engine.strings import TRANSFORMED, joined, pieces_of
from lect_jinja.engine.values import InputDict, InputFloat, InputInt, InputList

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Path = tuple[str | int, ...]


class JsonStyle(NamedTuple):
    """The arguments of the filter `tojson`."""

    ensure_ascii: bool = False
    indent: int | str | None = None
    separators: tuple[str, str] | None = None
    sort_keys: bool = False


def json_writer(style: JsonStyle) -> Callable[[Any], str]:
    """Return the function that writes plain values as JSON in one style."""
    # Not cached: a template may create an indent or separators of ten million characters.
    return json.JSONEncoder(
        ensure_ascii=style.ensure_ascii, indent=style.indent, separators=style.separators, sort_keys=style.sort_keys
    ).encode


def to_json(value: Any, style: JsonStyle, *, tracked: bool) -> str:
    """Return a value as JSON, the way `tojson` of transformers does."""
    if not tracked:
        return json_writer(style)(value)
    if _is_one_piece(value):
        return given(json_writer(style)(value.raw), value.path, TRANSFORMED)
    item, colon = style.separators or (", " if style.indent is None else ",", ": ")
    indent = style.indent
    if not isinstance(indent, str | None):
        # A number of spaces, which is not looked at for a text.
        indent = None if isinstance(value, str) else " " * indent
    written = _Spelling(json_writer(JsonStyle(style.ensure_ascii)), item, colon, indent, style.sort_keys)
    return joined(written.pieces(value))


def printed(value: Any) -> str:
    """Return a list, a tuple or a mapping as Python prints it."""
    if _is_one_piece(value):
        return given(repr(value.raw), value.path, TRANSFORMED)
    return joined(_Spelling(repr).pieces(value))


def _is_one_piece(value: Any) -> bool:
    """Return whether a value is the caller's as a whole, without message content in it: tools, arguments, ..."""
    if not isinstance(value, InputDict | InputList):
        return False
    return value.path[0] != "messages" or "tool_calls" in value.path


class _Spelling(NamedTuple):
    """How to write a value.

    Attributes:
        scalar: Writes a plain text, or anything else that is not a container: `repr`, or a JSON writer.
        item: What separates items.
        colon: What separates a key from its value.
        indent: What each level is indented by; None for one line.
        sort_keys: Whether keys are sorted.
    """

    scalar: Callable[[Any], str]
    item: str = ", "
    colon: str = ": "
    indent: str | None = None
    sort_keys: bool = False

    def pieces(self, value: Any, level: int = 0) -> Iterator[str]:
        """Yield the pieces of a value."""
        if isinstance(value, str):
            yield from self._text(value)
        elif isinstance(value, dict):
            keys = sorted(value) if self.sort_keys else list(value)
            colon = _owner(value)(self.colon)
            items = [(*self._key(key), colon, *self.pieces(value[key], level + 1)) for key in keys]
            yield from self._container(value, "{}", items, level)
        elif isinstance(value, list | tuple):
            is_tuple = isinstance(value, tuple) and self.scalar is repr
            items = [tuple(self.pieces(each, level + 1)) for each in value]
            if is_tuple and len(items) == 1:
                items = [(*items[0], ",")]
            yield from self._container(value, "()" if is_tuple else "[]", items, level)
        elif isinstance(value, InputInt | InputFloat):
            yield given(self.scalar(value), value.path, TRANSFORMED)
        elif type(value) is int or type(value) is float:
            yield self.scalar(value)
        else:
            # Booleans and None cannot carry an origin.
            yield unknown(self.scalar(value))

    def _container(self, value: Any, brackets: str, items: list[tuple[str, ...]], level: int) -> Iterator[str]:
        own = _owner(value)
        opening, closing = brackets[0], brackets[1]
        if not items:
            yield own(brackets)
            return
        for index, pieces in enumerate(items):
            yield own((self.item if index else opening) + self._line(level + 1))
            yield from pieces
        yield own(self._line(level) + closing)

    def _line(self, level: int) -> str:
        if self.indent is None:
            return ""
        return "\n" + self.indent * level

    def _key(self, key: Any) -> Iterator[str]:
        if isinstance(key, str) or self.scalar is repr:
            yield from self.pieces(key)
        elif isinstance(key, int | float) or key is None:
            # In JSON every key is a string.
            for text in self.pieces(key):
                yield from self._text(text)
        else:
            msg = f"keys must be str, int, float, bool or None, not {type(key).__name__}"
            raise TypeError(msg)

    def _text(self, text: str) -> Iterator[str]:
        quoted = self.scalar(plain_str(text))
        if type(text) is str:
            yield quoted
        elif quoted[1:-1] == text:
            mark = _owner(text)
            yield mark(quoted[0])
            yield from pieces_of(text)
            yield mark(quoted[-1])
        else:
            yield given(quoted, text.path, TRANSFORMED) if isinstance(text, Input) else unknown(quoted)


def _owner(value: Any) -> Callable[[str], str]:
    """Return a function that marks the punctuation around a value as its owner's."""
    if isinstance(value, Input | InputDict | InputList):
        path = value.path
        return lambda text: given(text, path, TRANSFORMED)
    return plain_str
