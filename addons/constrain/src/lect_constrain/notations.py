"""How values are written: as JSON, as in Python, or between marks."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from lect_constrain.nodes import Chars, Lit, Node, Quoted, Text, alt, seq
from lect_constrain.schema import dumped

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from lect_constrain.lost import Lost


def is_word(name: str) -> bool:
    """Return whether every format can write a key."""
    return name.isascii() and name.isidentifier()


@dataclass(frozen=True)
class Notation:
    """How the values of a format are written.

    Attributes:
        quotes: The quotes of strings; a mark of several characters closes a raw string.
        words: What true, false and null are, each possibly in several spellings.
        bare_keys: Whether the keys of objects have no quotes.
        space: The white space that may be around colons and commas, as a class of characters.
        is_sorted: Whether keys come in alphabetical order.
        keys: Whether a key that is no plain word can be written; None if every key can.
        tags: What opens and closes an item and a key, with `{}` for its name, where objects and lists consist of these.
    """

    quotes: tuple[str, ...] = ('"',)
    words: tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]] = (("true",), ("false",), ("null",))
    bare_keys: bool = False
    space: str = r" \n"
    is_sorted: bool = False
    tags: tuple[str, str] | None = None
    keys: Callable[[str], bool] | None = field(default=None, compare=False)

    def can_write(self, name: str) -> bool:
        """Return whether a key can be written."""
        return self.keys is None or is_word(name) or self.keys(name)

    @property
    def is_json(self) -> bool:
        """Whether engines know it themselves."""
        return self == JSON

    def gap(self) -> Node:
        """Return the white space between two parts."""
        return Chars(self.space, 0, 8) if self.space else Lit("")

    def string(self, without: tuple[str, ...], low: int = 0, high: int | None = None) -> Node:
        """Return any string."""
        if self.tags:
            return Text(without)
        return alt(
            Quoted(quote, without, low, high) if len(quote) == 1 else seq(quote, Text((*without, *self.quotes), quote))
            for quote in self.quotes
        )

    def literal(self, value: Any) -> Node:
        """Return a value that is no list or object, in its spellings."""
        if isinstance(value, bool) or value is None:
            return alt(map(Lit, self.words[0 if value is True else 1 if value is False else 2]))
        if isinstance(value, str) and self.tags:
            return Lit(value)
        if isinstance(value, str):
            return alt(Lit(self.quoted(value, quote)) for quote in self.quotes)
        return Lit(dumped(value))

    def row(self, items: Iterable[Node]) -> Node:
        """Return values in a row."""
        found: list[Node | str] = []
        for item in items:
            found += [",", self.gap(), item] if found else [item]
        return seq(*found)

    def key(self, name: str) -> Node:
        """Return a key of an object."""
        return Lit(name) if self.bare_keys else alt(Lit(self.quoted(name, quote)) for quote in self.quotes)

    @staticmethod
    def quoted(text: str, quote: str) -> str:
        """Return a string in quotes."""
        if len(quote) > 1:
            return f"{quote}{text}{quote}"
        inner = dumped(text)[1:-1]
        return f'"{inner}"' if quote == '"' else "'" + inner.replace('\\"', '"').replace("'", "\\'") + "'"


@dataclass(frozen=True, slots=True, eq=False)
class Value(Node):
    """A value of a schema in a notation, JSON or another.

    `without` are marks that must not occur in its strings; `path` is where its schema is in that of the tool.
    """

    schema: Mapping[str, Any]
    notation: Notation
    without: tuple[str, ...] = ()
    path: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Begun(Node):
    """What is left of a value that the prompt has begun, with the keywords that it does not honour."""

    item: Node
    lost: Lost


JSON = Notation()
"""What engines write themselves."""
