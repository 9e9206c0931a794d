"""What a template writes around reasoning, content and calls, by `lect.addon.probes`.

A grammar says what is read. White space, the words `arguments` or `parameters`, the places of ids and counters, and
marks that depend on the type of a value are known to the template alone.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lect.addon import probes
from lect.errors import LectError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from lect import Template
    from lect.plugin.grammar import Grammar, Literals, Params

REASONING, CONTENT = "reasoning", "content"
NAME, ID, COUNT = object(), object(), object()
"""Places in what is written around a call: of its name, of an id, of its number."""
LABEL = re.compile("|".join((probes.THOUGHT, probes.TEXT)))

Parts = tuple[Any, ...]
"""Texts and places in a row."""
Pieces = tuple[tuple[str, str], ...]
"""A reply as pieces: `("", literal)`, or a kind of text and nothing."""


@dataclass
class Pairs:
    """Arguments that are written one by one: `open KEY equals VALUE close`, separated; `none` where there are none."""

    kind: Params | Literals
    """How the grammar reads them."""
    open: str
    close: str
    separator: str
    none: str
    equals: dict[str, str]
    """By the type of the value."""
    is_sorted: bool = False
    end: str = ""
    """The white space after the last, where there is none after the others."""

    def equals_for(self, type_name: str) -> str:
        """Return what is between a key and a value of a type; those that are not rendered are as strings."""
        return self.equals.get(type_name, self.equals.get("string", ""))


@dataclass
class CallShape:
    """How calls are written: `first ARGS (further ARGS)* last`, each with the place of a name in it."""

    first: Parts
    further: Parts | None
    last: Parts
    pairs: Pairs | None = None
    """How the arguments are written, unless they are JSON."""
    is_sorted: bool = False
    """Whether arguments in JSON come in alphabetical order."""


@dataclass
class Form:
    """A way to write calls, and what may come before them, from the header on."""

    call: CallShape
    before: list[Pieces]


@dataclass
class Shape:
    """How a template writes replies.

    Attributes:
        header: The end of a prompt, before anything that the template says on the model's behalf.
        opening: What it says on the model's behalf.
        answers: Replies without calls, from the header on.
        forms: How calls are written; empty if nothing shows that.
        content_follows: Whether content comes after calls.
        stops: What ends a reply with calls that does not end other replies.
    """

    header: str
    opening: str
    answers: list[Pieces]
    forms: list[Form]
    content_follows: bool = False
    stops: tuple[str, ...] = ()

    def has(self, text: str) -> bool:
        """Return whether a text is in what the template writes in replies."""
        rows = [*self.answers, *(pieces for form in self.forms for pieces in form.before)]
        calls = [form.call for form in self.forms]
        parts = [part for call in calls for part in (*call.first, *(call.further or ()), *call.last)]
        literals = [literal for pieces in rows for _, literal in pieces]
        return any(text in each for each in (*literals, *parts) if isinstance(each, str))


class Prober:
    """Asks a template how it writes replies."""

    def __init__(self, template: Template, grammar: Grammar, options: Mapping[str, Any]):
        self.template, self.grammar = template, grammar
        self._edges = template.edges(options)
        self.header, self.opening = self._edges.opening

    def reply(self, calls: Sequence[tuple[str, Any]] = (), *, thought: bool = False, text: bool = False) -> str | None:
        """Return a reply from the header on; None if the template cannot write it."""
        edges, wanted = self._edges, [probes.THOUGHT] * thought + [probes.TEXT] * text + [name for name, _ in calls]
        answer = edges.answer(calls=calls, text=text, thought=thought)
        try:
            written = edges.reply_text([probes.QUESTION, answer], tools=probes.TOOLS if calls else None)
        except LectError:
            return None
        return self.opening + written if written and all(word in written for word in wanted) else None

    def reads(self, text: str) -> bool:
        """Return whether a reply is read as one that is written well: makers write history that no model should."""
        prompt = self.header + self.opening
        return not self.template.parse(text[len(self.opening) :], tools=probes.TOOLS, prompt=prompt).problems

    def without_stop(self, text: str) -> tuple[str, str]:
        """Return a reply without its stop, and the stop."""
        for stop in sorted(self.template.stop, key=len, reverse=True):
            if stop and text.rstrip("\n").endswith(stop):
                return text.rstrip("\n")[: -len(stop)], stop
        return text, ""


def cut_arguments(text: str, name: str, arguments: Any, start: int) -> tuple[int, int] | None:
    """Return where the JSON arguments of a call are, after its name."""
    at = text.find(name, start)
    decoder = json.JSONDecoder()
    while at >= 0:
        at = text.find("{", at)
        if at < 0:
            return None
        try:
            value, end = decoder.raw_decode(text, at)
        except ValueError:
            value, end = None, at
        if value == arguments and isinstance(value, dict):
            return at, end
        at += 1
    return None


def in_row(mark: str | tuple[str, ...]) -> tuple[str, ...]:
    """Return a mark as a row of marks."""
    return (mark,) if isinstance(mark, str) else mark


def placed(text: str, name: str, ids: Iterable[str] = ()) -> Parts:
    """Return a text with the places of a name and of ids."""
    parts: list[Any] = [text]
    # An id that contains the name is not one of its own.
    for word, place in ((name, NAME), *((number, ID) for number in ids if name not in number)):
        if word:
            parts = [piece for part in parts for piece in split(part, re.escape(word), place)]
    return tuple(part for part in parts if part != "")


def split(part: Any, pattern: str, place: object) -> list[Any]:
    """Return a part with a place wherever a pattern is in its text."""
    pieces = re.split(pattern, part) if isinstance(part, str) else [part]
    return [each for piece in pieces for each in (place, piece)][1:]


def counted(one: Parts, other: Parts) -> Parts:
    """Return parts in which a number that differs between two calls is a place of its own."""
    if len(one) != len(other):
        return one
    found: list[Any] = []
    for mine, theirs in zip(one, other, strict=True):
        if not isinstance(mine, str) or not isinstance(theirs, str) or mine == theirs:
            found.append(mine)
            continue
        mine_parts, their_parts = re.split(r"(\d+)", mine), re.split(r"(\d+)", theirs)
        if len(mine_parts) != len(their_parts):
            return one
        for piece, other_piece in zip(mine_parts, their_parts, strict=True):
            found.append(piece if piece == other_piece else COUNT)
    merged: list[Any] = []
    for part in found:
        if isinstance(part, str) and merged and isinstance(merged[-1], str):
            merged[-1] += part
        elif part != "":
            merged.append(part)
    return tuple(merged)
