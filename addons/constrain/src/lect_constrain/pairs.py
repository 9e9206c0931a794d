"""Arguments that are written one by one, each in marks of its own or as in Python: where they are, and how."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from lect.addon import probes
from lect.plugin.grammar import Grammar, Literals, Params
from lect_constrain.probes import Pairs, cut_arguments, in_row

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Finder = Callable[[str, str, Mapping[str, Any], int], tuple[int, int] | None]

WORDS = {"boolean": ("true", "True"), "null": ("null", "None")}
"""How templates spell what is neither a text nor a number."""


def paired_syntax(grammar: Grammar, text: str) -> tuple[Params | Literals | None, str]:
    """Return how the arguments in a text are written one by one, and what ends them."""
    for section in grammar.sections:
        for call in section.calls:
            kind = call.arguments
            if isinstance(kind, Literals) and kind.close in text and kind.assign in text:
                return kind, kind.close
            if isinstance(kind, Params) and kind.open in text and call.close:
                return kind, in_row(call.close[0])[0]
    return None, ""


def finder(grammar: Grammar, text: str, name: str, arguments: Mapping[str, Any]) -> Finder:
    """Return what finds the arguments of calls that are written as the one in a text is: as JSON, or one by one."""
    if cut_arguments(text, name, arguments, 0) is not None:
        return cut_arguments
    kind, close = paired_syntax(grammar, text)

    def find(text: str, name: str, arguments: Mapping[str, Any], start: int) -> tuple[int, int] | None:
        at = text.find(name, start)
        key = min((place for key in arguments if (place := text.find(key, at + len(name))) >= 0), default=-1)
        if at < 0 or key < 0 or kind is None:
            return None
        begin = text.find(kind.open, at + len(name)) if isinstance(kind, Params) else key
        mark = close.replace("{name}", name)
        end = text.find(mark, key)
        # An object among the values may end with the same mark.
        while end >= 0 and text.count("{", key, end) > text.count("}", key, end):
            end = text.find(mark, end + 1)
        return None if begin < 0 or end < 0 else (begin, end)

    return find


def cut_pair(
    kind: Params | Literals, text: str, key: str, value: Any, spellings: tuple[str, ...]
) -> tuple[str, str, str] | None:
    """Return what is around the key and the value in one argument; None if they are not found."""
    if isinstance(kind, Literals) and isinstance(value, str):
        spellings = (*(f"{quote}{value}{quote}" for quote in (*kind.quotes, '"', "'")), *spellings)
    before, found, rest = text.partition(key)
    for spelling in spellings if found else ():
        # The word for a type may be that of its only value, and comes before it.
        equals, found, close = rest.rpartition(spelling)
        if found and isinstance(kind, Params):
            return before, equals, close.replace(kind.close.replace("{key}", key), kind.close)
        if found:
            return before, equals, close
    return None


def pairs_of(kind: Params | Literals, one: str, every: str, none: str) -> Pairs | None:
    """Return how arguments are written one by one, from a text, from values of every type, and from no arguments."""
    string = cut_pair(kind, one, probes.KEY, probes.VALUE, (probes.VALUE,))
    if string is None:
        return None
    before, equals, close = string
    pairs = Pairs(kind, before, close, "", none, {"string": equals})
    places = sorted(
        every.find(key) for key in (probes.LAST_KEY, *(key for key, _ in probes.SAMPLES.values())) if key in every
    )
    for type_name, (key, value) in probes.SAMPLES.items():
        start = every.find(key)
        end = next((place for place in places if place > start), len(every))
        found = cut_pair(kind, every[start:end], key, value, _spellings(type_name, value)) if start >= 0 else None
        if found is not None:
            pairs.equals[type_name] = found[1]
    first, second = (
        (probes.KEY, probes.LAST_KEY)
        if every.find(probes.KEY) < every.find(probes.LAST_KEY)
        else (probes.LAST_KEY, probes.KEY)
    )
    between = every[every.find(first) + len(first) : every.find(second)]
    written = one.partition(probes.KEY)[2].replace(probes.KEY, first)
    if between.startswith(written) and between.endswith(before):
        pairs.separator = between[len(written) : len(between) - len(before)]
    elif between == written.rstrip() + before:
        pairs.close = close.rstrip()
        pairs.end = close[len(pairs.close) :]
        pairs.none = none.removesuffix(pairs.end)
    pairs.is_sorted = first == probes.KEY
    return pairs


def _spellings(type_name: str, value: Any) -> tuple[str, ...]:
    """Return how templates may spell a value."""
    return WORDS.get(type_name, (str(value), json.dumps(value)))
