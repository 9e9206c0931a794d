"""Python source of values, as a formatter would lay it out: on one line if it fits, else one item per line."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from lect.format.turns import Turn
from lect.plugin import grammar
from lect.reply.grammar import GrammarPart

WIDTH = 120
INDENT = 4
_BLOCKS = {value: name for name, value in vars(grammar).items() if isinstance(value, GrammarPart)}
"""The grammars and parts of grammars that have a name."""


class PythonCode(str):
    """Source that is written as it is."""

    __slots__ = ()


class PythonCall(NamedTuple):
    """A call of a function or a class."""

    name: str
    given: Sequence[Any] = ()
    named: Mapping[str, Any] = {}


class _Listed(NamedTuple):
    """A value with others in it, each after its own prefix: `key=`, or nothing."""

    opening: str
    items: list[tuple[str, Any]]
    closing: str


def written(value: Any, indent: int = 0, taken: int = 0) -> str:
    """Return the source of a value.

    Args:
        value: Texts, numbers, containers of them, turns, parts of grammars, calls and code.
        indent: How far the line is indented.
        taken: How many more characters of the first line are taken.
    """
    line = _in_one_line(value)
    if indent + taken + len(line) <= WIDTH:
        return line
    if isinstance(value, str) and not isinstance(value, PythonCode):
        return _long_text(value, indent)
    listed = _listed(value)
    if listed is None or not listed.items:
        return line
    inner = indent + INDENT
    items = [f"{' ' * inner}{key}{written(item, inner, len(key) + 1)}," for key, item in listed.items]
    return "\n".join([listed.opening, *items, " " * indent + listed.closing])


def grammar_names(value: Any) -> set[str]:
    """Return the names of `lect.plugin.grammar` that the source of a value needs."""
    if isinstance(value, GrammarPart) and value in _BLOCKS:
        return {_BLOCKS[value]}
    names = {type(value).__name__} if isinstance(value, GrammarPart) else set()
    listed = _listed(value)
    return names.union(*(grammar_names(item) for _, item in listed.items)) if listed else names


def _in_one_line(value: Any) -> str:
    if isinstance(value, PythonCode):
        return value
    if isinstance(value, str):
        return _quoted(value)
    listed = _listed(value)
    if listed is None:
        return _BLOCKS[value] if isinstance(value, GrammarPart) else repr(value)
    items = ", ".join(f"{key}{_in_one_line(item)}" for key, item in listed.items)
    is_single = type(value) is tuple and len(value) == 1
    return f"{listed.opening}{items}{',' if is_single else ''}{listed.closing}"


def _listed(value: Any) -> _Listed | None:
    if isinstance(value, Turn):
        return _call(PythonCall("Turn", [value.prefix, value.suffix][: 2 if value.suffix else 1], _bare(value)))
    if isinstance(value, PythonCall):
        return _call(value)
    if isinstance(value, GrammarPart):
        usual = type(value).defaults
        facts = {fact: each for fact, each in value.facts().items() if fact not in usual or each != usual[fact]}
        return None if value in _BLOCKS else _call(PythonCall(type(value).__name__, named=facts))
    if isinstance(value, Mapping):
        return _Listed("{", [(f"{_quoted(key)}: ", item) for key, item in value.items()], "}")
    if isinstance(value, list | tuple):
        opening, closing = "[]" if isinstance(value, list) else "()"
        return _Listed(opening, [("", item) for item in value], closing)
    return None


def _bare(turn: Turn) -> dict[str, str]:
    return {} if turn.bare is None else {"bare": turn.bare}


def _call(call: PythonCall) -> _Listed:
    items = [*(("", each) for each in call.given), *((f"{name}=", each) for name, each in call.named.items())]
    return _Listed(f"{call.name}(", items, ")")


def _quoted(text: str) -> str:
    """Return a text in double quotes, unless it contains some."""
    # Python chooses double quotes where a text has a single one.
    return repr(text) if '"' in text else f'"{repr(chr(39) + text)[2:]}'


def _long_text(text: str, indent: int) -> str:
    """Return a text in pieces, cut after white space."""
    room = WIDTH - indent - INDENT - 2
    lines = [""]
    for word in re.findall(r"\S*\s*", text):
        if lines[-1] and len(_quoted(lines[-1] + word)) > room:
            lines.append("")
        lines[-1] += word
    pieces = [f"{' ' * (indent + INDENT)}{_quoted(line)}" for line in lines]
    return "\n".join(["(", *pieces, f"{' ' * indent})"])
