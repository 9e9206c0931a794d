"""The algebra of constraints: trees of a few nodes, which each writer puts into its notation.

A node is shared by identity: a writer names the shared ones once. Trees are finite; only values may recur, through
`Ref`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


class Node:
    """A part of a constraint."""

    __slots__ = ()


@dataclass(frozen=True, slots=True, eq=False)
class Lit(Node):
    """Exactly this text; control tokens in it are tokens where the writer knows their ids."""

    text: str


@dataclass(frozen=True, slots=True, eq=False)
class Text(Node):
    """Any text in which no mark of `without` occurs, nor `end`, which follows it; without an `end`, it may just stop.

    Text and its end are one node because llguidance needs them in one lexeme.
    """

    without: tuple[str, ...] = ()
    end: str = ""
    first: str = ""
    """The characters with which it does not begin, as a class; then it may be empty only without an `end`."""


@dataclass(frozen=True, slots=True, eq=False)
class Quoted(Node):
    """A string in quotes with backslash escapes, in which no mark of `without` occurs as it is written."""

    quote: str = '"'
    without: tuple[str, ...] = ()
    low: int = 0
    high: int | None = None
    is_open: bool = False
    """Whether it has begun already, so that the first quote is missing."""


@dataclass(frozen=True, slots=True, eq=False)
class Chars(Node):
    """Characters of a class, as in a regular expression without its brackets, so many times."""

    allowed: str
    low: int = 1
    high: int | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Ref(Node):
    """A value that recurs: the name of its rule, and all of them."""

    name: str
    rules: Mapping[str, Node]


@dataclass(frozen=True, slots=True, eq=False)
class Seq(Node):
    """One after the other."""

    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Alt(Node):
    """One of several."""

    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Rep(Node):
    """So many times; None is any number."""

    item: Node
    low: int = 0
    high: int | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Word(Node):
    """A part without free text that a writer with a lexer must keep in one piece, such as a number."""

    item: Node


class Tokens:
    """Control tokens that have ids, and finds them in texts."""

    def __init__(self, ids: Mapping[str, int]):
        self.ids = ids
        words = map(re.escape, sorted(ids, key=len, reverse=True))
        self.pattern = re.compile("|".join(words) if ids else "(?!)")

    def split(self, text: str) -> list[str | int]:
        """Return a text as texts and ids."""
        found: list[str | int] = []
        at = 0
        for match in self.pattern.finditer(text):
            found += [text[at : match.start()], self.ids[match[0]]]
            at = match.end()
        return [part for part in (*found, text[at:]) if part != ""]


EMPTY = Lit("")
DIGITS = Chars("0-9", 1, 6)
"""A counter."""


def seq(*items: Node | str) -> Node:
    """Return parts in a row: neighbouring literals are joined, and empty ones left out."""
    found: list[Node] = []
    for each in items:
        item = Lit(each) if isinstance(each, str) else each
        for part in item.items if isinstance(item, Seq) else (item,):
            if isinstance(part, Lit) and found and isinstance(found[-1], Lit):
                found[-1] = Lit(found[-1].text + part.text)
            elif not (isinstance(part, Lit) and not part.text):
                found.append(part)
    return found[0] if len(found) == 1 else Seq(tuple(found)) if found else EMPTY


def alt(items: Iterable[Node]) -> Node:
    """Return a choice; equal literals are one."""
    found: list[Node] = []
    texts: set[str] = set()
    for each in items:
        for item in each.items if isinstance(each, Alt) else (each,):
            if not isinstance(item, Lit) or item.text not in texts:
                found.append(item)
            if isinstance(item, Lit):
                texts.add(item.text)
    return found[0] if len(found) == 1 else Alt(tuple(found))


def optional(node: Node) -> Node:
    """Return a part that may be missing."""
    return Rep(node, 0, 1)


def spread(before: Node, after: Node) -> Node:
    """Return two parts in a row, the text at the end of the first in each branch of the second.

    A lexer must see in one piece what tells such a text from another that begins alike.
    """
    first = before.items if isinstance(before, Seq) else (before,)
    second = after.items if isinstance(after, Seq) else (after,)
    if not isinstance(first[-1], Lit) or not isinstance(second[0], Alt):
        return seq(before, after)
    return seq(*first[:-1], alt(seq(first[-1], each) for each in second[0].items), *second[1:])


def closed(node: Node, close: str, marks: Iterable[str]) -> Node:
    """Return a value with what closes it; a text and the first mark of its close are one node."""
    if isinstance(node, Alt):
        return alt(closed(each, close, marks) for each in node.items)
    if isinstance(node, Seq) and isinstance(node.items[-1], Text):
        return seq(*node.items[:-1], closed(node.items[-1], close, marks))
    if isinstance(node, Text) and not node.end:
        at, _, mark = min((close.find(mark), len(mark), mark) for mark in marks if mark in close)
        without = tuple(each for each in node.without if each not in mark and mark not in each)
        return seq(Text(without, mark), close[at + len(mark) :])
    return seq(node, close)
