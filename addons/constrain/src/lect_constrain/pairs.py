"""Arguments that are written one by one, each in marks of its own or as in Python: where they are, and how."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lect.plugin.grammar import Grammar, Literals, Params
from lect_constrain.probes import KEY, NAMES, SAMPLES, TEXT_VALUE, Pairs, Prober, cut_arguments, in_row

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Finder = Callable[[str, str, Mapping[str, Any], int], tuple[int, int] | None]

ONE = {KEY: TEXT_VALUE}
SECOND = "zqkz"
"""A key that comes after the other one."""


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
        key = text.find(next(iter(arguments), "\0"), at + len(name))
        if at < 0 or key < 0 or kind is None:
            return None
        begin = text.find(kind.open, at + len(name)) if isinstance(kind, Params) else key
        end = text.find(close.replace("{name}", name), key)
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
        equals, found, close = rest.partition(spelling)
        if found and isinstance(kind, Params):
            return before, equals, close.replace(kind.close.replace("{key}", key), kind.close)
        if found:
            return before, equals, close
    return None


def pairs_of(prober: Prober, open_text: str) -> Pairs | None:
    """Return how a template writes arguments one by one."""
    kind, close_mark = paired_syntax(prober.grammar, prober.reply([(NAMES[0], ONE)]) or "")
    assert kind is not None

    def written(arguments: dict[str, Any]) -> str:
        """Return arguments as they are rendered."""
        _, found, rest = (prober.reply([(NAMES[0], arguments)]) or "").partition(open_text)
        end = rest.find(close_mark) if isinstance(kind, Params) else rest.rfind(close_mark)
        return rest[:end] if found and end >= 0 else ""

    pairs: Pairs | None = None
    for type_name, (value, spellings) in SAMPLES.items():
        found = cut_pair(kind, written({KEY: value}), KEY, value, spellings)
        if found is not None:
            before, equals, close = found
            pairs = pairs or Pairs(kind, before, close, "", written({}), {})
            pairs.equals[type_name] = equals
    if pairs is not None and "string" in pairs.equals:
        one, two = written(ONE), written({SECOND: TEXT_VALUE, KEY: TEXT_VALUE})
        for first, second in ((KEY, SECOND), (SECOND, KEY)):
            begin, end = one.replace(KEY, first), one.replace(KEY, second)
            if two.startswith(begin) and two.endswith(end):
                pairs.separator, pairs.is_sorted = two[len(begin) : len(two) - len(end)], first == KEY
    return pairs
