"""How a template writes arguments one by one: each in marks of its own, or as in Python."""

from __future__ import annotations

from typing import Any

from lect.plugin.grammar import Grammar, Literals, Params
from lect_constrain.examples import paired_syntax
from lect_constrain.probes import KEY, NAMES, SAMPLES, TEXT_VALUE, Pairs, Prober, cut_arguments

ONE = {KEY: TEXT_VALUE}
SECOND = "zqkz"
"""A key that comes after the other one."""


def finder(grammar: Grammar, text: str) -> Any:
    """Return what finds the arguments of a call: of JSON, or written one by one."""
    if cut_arguments(text, NAMES[0], ONE, 0) is not None:
        return cut_arguments
    kind, close = paired_syntax(grammar, text)

    def find(text: str, name: str, arguments: Any, start: int) -> tuple[int, int] | None:
        at = text.find(name, start)
        key = text.find(next(iter(arguments), "\0"), at)
        if at < 0 or key < 0 or kind is None:
            return None
        begin = at + len(name)
        begin = text.find(kind.open, begin) if isinstance(kind, Params) else key
        end = text.find(close.replace("{name}", name), key)
        return None if begin < 0 or end < 0 else (begin, end)

    return find


def pairs_of(prober: Prober, open_text: str) -> Pairs | None:
    """Return how a template writes arguments one by one."""
    pairs: Pairs | None = None
    quote = 0
    """How long the quote at the end of a string is."""
    kind, close_mark = paired_syntax(prober.grammar, prober.reply([(NAMES[0], ONE)]) or "")
    assert kind is not None
    for type_name, (value, spellings) in SAMPLES.items():
        text = prober.reply([(NAMES[0], {KEY: value})]) or ""
        region = _region(text, open_text, kind, close_mark)
        if region is None or KEY not in region:
            continue
        at = region.find(KEY)
        for spelling in spellings if isinstance(kind, Params) else (*_quoted(kind, value), *spellings):
            start = region.find(spelling, at + len(KEY))
            if start >= 0:
                if pairs is None:
                    quote = (len(spelling) - len(TEXT_VALUE)) // 2
                    close = region[start + len(spelling) :]
                    if isinstance(kind, Params) and "{key}" in kind.close:
                        close = close.replace(kind.close.replace("{key}", KEY), kind.close)
                    pairs = Pairs(region[:at], close, "", "", {})
                pairs.equals[type_name] = region[at + len(KEY) : start]
                break
    if pairs is None:
        return None
    none = prober.reply([(NAMES[0], {})]) or ""
    region = _region(none, open_text, kind, close_mark)
    pairs.none = region or ""
    two = prober.reply([(NAMES[0], {SECOND: TEXT_VALUE, KEY: TEXT_VALUE})]) or ""
    region = _region(two, open_text, kind, close_mark) or ""
    if SECOND in region and KEY in region:
        pairs.is_sorted = region.find(KEY) < region.find(SECOND)
        one, other = sorted((region.find(KEY), region.find(SECOND)))
        value_end = region.find(TEXT_VALUE, one) + len(TEXT_VALUE) + quote
        middle = region[value_end:other].replace(SECOND, "{key}").replace(KEY, "{key}")
        pairs.separator = (
            middle.removeprefix(pairs.close).removesuffix(pairs.open) if pairs.close + pairs.open else middle
        )
    return pairs


def _region(text: str, open_text: str, kind: Params | Literals, close_mark: str) -> str | None:
    """Return the arguments in a rendering."""
    at = text.find(open_text)
    if at < 0:
        return None
    begin = at + len(open_text)
    end = text.find(close_mark, begin) if isinstance(kind, Params) else text.rfind(close_mark)
    return None if end < 0 else text[begin:end]


def _quoted(kind: Literals, value: Any) -> tuple[str, ...]:
    if not isinstance(value, str):
        return ()
    return tuple(f"{quote}{value}{quote}" for quote in (*kind.quotes, '"', "'"))
