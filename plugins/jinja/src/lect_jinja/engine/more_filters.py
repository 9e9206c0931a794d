"""Jinja2's filters and tests that chat templates hardly use.

What they make of somebody's text has no known origin: they follow no operand. Missing are `attr`, `groupby`,
`pprint`, `random` and `urlize`: docs/how-to/run-a-models-own-template.md says why.
"""

from __future__ import annotations

import re
import textwrap
from typing import TYPE_CHECKING, Any

from jinja2 import filters
from jinja2.runtime import LoopContext, Macro, Undefined
from jinja2.utils import url_quote
from markupsafe import Markup, escape

from lect.plugin import plain_str
from lect_jinja.engine.access import Function, Method
from lect_jinja.engine.charges import (
    CALL,
    ESCAPED,
    LIST,
    WORD,
    counting,
    cutting,
    escaping,
    into_lists,
    sizing,
    stripping,
    weights,
)
from lect_jinja.engine.guard import MAPPINGS
from lect_jinja.engine.methods import TEXT_METHODS
from lect_jinja.engine.operations import ANY, BY_NODE, COUNT, TEXT, VALUES, WHOLE, WRITTEN, Operation, WhileMade
from lect_jinja.engine.origins import NONE
from lect_jinja.engine.strings import TEXTS, Safe, pieces_of, safe

if TYPE_CHECKING:
    from lect_jinja.engine.context import GuardedContext

QUOTED = 12
"""Characters of the longest sequence that a character becomes in an address."""
_WORD = re.compile(r"\w+")


def _text(context: GuardedContext, value: Any) -> str:
    return plain_str(value if type(value) in TEXTS else context.shown(value))


def _marked_up(text: str) -> Markup:
    return Markup(text)  # noqa: S704 - no browser will show it


def _truncate(
    context: GuardedContext,
    s: Any,
    length: int = 255,
    killwords: bool = False,
    end: str = "...",
    leeway: int | None = None,
) -> Any:
    text = plain_str(s) if type(s) in TEXTS else s
    if isinstance(text, str):
        text = _marked_up(text) if type(s) is Safe else text
    result = filters.do_truncate(context.environment, text, length, killwords, end, leeway)
    if result is text:
        return s
    return safe((plain_str(result),)) if type(s) is Safe else plain_str(result)


def _wordcount(context: GuardedContext, s: str) -> int:
    return sum(1 for _ in _WORD.finditer(s))


def _wordwrap(
    context: GuardedContext,
    s: Any,
    width: int = 79,
    break_long_words: bool = True,
    wrapstring: str | None = None,
    break_on_hyphens: bool = True,
) -> str:
    if type(s) not in TEXTS:
        msg = f"{type(s).__name__!r} object has no attribute 'splitlines'"
        raise AttributeError(msg)
    text, between = plain_str(s), "\n" if wrapstring is None else plain_str(wrapstring)
    context.spend(WORD * len(text))
    parts: list[str] = []
    for line in text.splitlines():
        # What is left of a long word is copied at each break.
        context.spend(len(line) * len(line) // max(width, 1) >> 4)
        parts += _wrapped(line, width, break_long_words, break_on_hyphens) or [""]
    context.check_string(len(text) + len(between) * len(parts))
    return between.join(parts)


def _wrapped(line: str, width: int, break_long_words: bool, break_on_hyphens: bool) -> list[str]:
    return textwrap.wrap(
        line,
        width=width,
        expand_tabs=False,
        replace_whitespace=False,
        break_long_words=break_long_words,
        break_on_hyphens=break_on_hyphens,
    )


def _center(context: GuardedContext, value: str, width: int = 80) -> Any:
    centred = TEXT_METHODS["center"](context, value, width)
    return safe(pieces_of(centred)) if type(value) is Safe else centred


def _batch(context: GuardedContext, value: Any, linecount: int, fill_with: Any = None) -> list[list[Any]]:
    return list(filters.do_batch(value, linecount, fill_with))


def _slice(context: GuardedContext, value: Any, slices: int, fill_with: Any = None) -> list[list[Any]]:
    return list(filters.sync_do_slice(value, slices, fill_with))


def _filesizeformat(context: GuardedContext, value: Any, binary: bool = False) -> str:
    number = plain_str(value) if isinstance(value, str) else value
    return filters.do_filesizeformat(number, binary)


def _escape(context: GuardedContext, value: str) -> str:
    return value if type(value) is Safe else _forceescape(context, value)


def _forceescape(context: GuardedContext, shown: str) -> str:
    text = plain_str(shown)
    escaped = plain_str(escape(text))
    return safe(pieces_of(shown) if escaped == text else (escaped,))


def _striptags(context: GuardedContext, value: str) -> str:
    return plain_str(_marked_up(plain_str(value)).striptags())


def _xmlattr(context: GuardedContext, d: Any, autospace: bool = True) -> str:
    if type(d) not in MAPPINGS:
        msg = f"{type(d).__name__!r} object has no attribute 'items'"
        raise AttributeError(msg)
    attributes = {
        _text(context, key): _marked_up(plain_str(value)) if type(value) is Safe else _text(context, value)
        for key, value in d.items()
        if value is not None and not isinstance(value, Undefined)
    }
    context.check_string(ESCAPED * sum(len(key) + len(value) + 2 for key, value in attributes.items()))
    return plain_str(filters.do_xmlattr(context.eval_ctx, attributes, autospace))


def _urlencode(context: GuardedContext, value: Any) -> str:
    def quoted(each: Any, *, for_qs: bool) -> str:
        text = _text(context, each)
        context.check_string(len(text) * (3 if text.isascii() else QUOTED))
        return url_quote(text, for_qs=for_qs)

    if type(value) in TEXTS or not hasattr(value, "__iter__"):
        return quoted(value, for_qs=False)
    pairs = context.listed(value.items() if type(value) in MAPPINGS else value)
    context.spend(LIST * len(pairs))
    parts = [f"{quoted(name, for_qs=True)}={quoted(each, for_qs=True)}" for name, each in pairs]
    context.check_string(sum(map(len, parts)) + len(parts))
    return "&".join(parts)


MORE_FILTERS: dict[str, Operation] = {
    "batch": Operation(_batch, {"value": VALUES, "linecount": ANY, "fill_with": ANY}, into_lists, NONE),
    "center": Operation(_center, {"value": WRITTEN, "width": WHOLE}, CALL, NONE),
    "e": Operation(_escape, {"value": WRITTEN}, escaping, NONE),
    "escape": Operation(_escape, {"value": WRITTEN}, escaping, NONE),
    "filesizeformat": Operation(_filesizeformat, {"value": ANY, "binary": ANY}, sizing, NONE),
    "forceescape": Operation(_forceescape, {"value": WRITTEN}, escaping, NONE),
    "slice": Operation(_slice, {"value": VALUES, "slices": WHOLE, "fill_with": ANY}, into_lists, NONE),
    "striptags": Operation(_striptags, {"value": WRITTEN}, stripping, NONE),
    "truncate": Operation(
        _truncate, {"s": ANY, "length": WHOLE, "killwords": ANY, "end": TEXT, "leeway": COUNT}, cutting, NONE
    ),
    "urlencode": Operation(_urlencode, {"value": ANY}, WhileMade(weights), NONE),
    "wordcount": Operation(_wordcount, {"s": WRITTEN}, counting, NONE),
    "wordwrap": Operation(
        _wordwrap, {"s": ANY, "width": WHOLE, "break_long_words": ANY, "wrapstring": TEXT}, WhileMade(weights), NONE
    ),
    "xmlattr": Operation(_xmlattr, {"d": ANY, "autospace": ANY}, WhileMade(weights), NONE),
}


def _is_callable(value: Any) -> bool:
    return isinstance(value, Function | Method | Macro | LoopContext | Undefined)


def _is_escaped(value: Any) -> bool:
    return type(value) is Safe


def _is_filter(context: GuardedContext, value: Any) -> bool:
    return value in context.environment.filters


def _is_test(context: GuardedContext, value: Any) -> bool:
    return value in context.environment.tests


MORE_TESTS: dict[str, Operation] = {
    "callable": Operation(_is_callable, {"value": ANY}, BY_NODE, NONE),
    "escaped": Operation(_is_escaped, {"value": ANY}, BY_NODE, NONE),
    "filter": Operation(_is_filter, {"value": ANY}, weights, NONE),
    "test": Operation(_is_test, {"value": ANY}, weights, NONE),
}
