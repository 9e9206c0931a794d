"""The filters and tests that a template may use: those of transformers, bounded, and no others."""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING, Any

from jinja2 import filters, tests
from jinja2.exceptions import FilterArgumentError
from jinja2.runtime import Undefined
from jinja2.utils import pass_context

from lect.plugin import plain_str
from lect_jinja.engine import strings
from lect_jinja.engine.access import is_same
from lect_jinja.engine.charges import (
    CALL,
    MOST_DIGITS,
    alike,
    attribute,
    each,
    filling,
    indenting,
    json,
    reading,
    rounded,
    shallow,
    weights,
    words,
)
from lect_jinja.engine.formatting import percent
from lect_jinja.engine.guard import MAPPINGS, SIZED
from lect_jinja.engine.methods import TEXT_METHODS, TEXT_ROWS
from lect_jinja.engine.more_filters import MORE_FILTERS, MORE_TESTS
from lect_jinja.engine.operations import (
    ANY,
    BY_NODE,
    COUNT,
    INDENT,
    PAIR,
    PATH,
    TEXT,
    VALUES,
    WHOLE,
    WRITTEN,
    Operation,
    WhileMade,
    called,
    without_context,
)
from lect_jinja.engine.origins import DEFAULT, NONE, OTHERS, THE_FIRST
from lect_jinja.engine.spelling import JsonStyle, to_json
from lect_jinja.engine.strings import TEXTS, pieces_of, safe
from lect_jinja.engine.values import INPUT_NUMBERS, number

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from lect_jinja.engine.context import GuardedContext


JINJA_TESTS: Mapping[str, Any] = tests.TESTS


def _text(context: GuardedContext, value: Any) -> str:
    return value if type(value) in TEXTS else context.shown(value)


def _title(context: GuardedContext, value: str) -> str:
    return strings.letter_by_letter(filters.do_title)(value)


def _trim(context: GuardedContext, value: str, chars: str | None = None) -> Any:
    return TEXT_METHODS["strip"](context, value) if chars is None else TEXT_METHODS["strip"](context, value, chars)


def _string(context: GuardedContext, value: str) -> str:
    return value


def _safe(context: GuardedContext, value: str) -> str:
    return safe(pieces_of(value))


def _replace(context: GuardedContext, value: str, old: str, new: str, count: int | None = None) -> Any:
    text = strings.joined(pieces_of(value))
    return TEXT_METHODS["replace"](context, text, old, new, -1 if count is None else count)


def _join(context: GuardedContext, value: Any, d: str = "", attribute: str | int | None = None) -> Any:
    texts = [_text(context, each) for each in _under(context, value, attribute)]
    return TEXT_METHODS["join"](context, strings.joined(pieces_of(d)), texts)


def _under(context: GuardedContext, values: Any, attribute: str | int | None) -> Any:
    """Return what values have under an attribute path; themselves without one."""
    return values if attribute is None else map(filters.make_attrgetter(context.environment, attribute), values)


def _indent(context: GuardedContext, text: str, width: int | str = 4, first: bool = False, blank: bool = False) -> str:
    indention = plain_str(width if isinstance(width, str) else context.multiply(" ", width))
    lines = strings.splitlines(context.add(text, "\n"))
    if blank:
        result = strings.join(f"\n{indention}", lines)
    else:
        rest = [strings.joined((indention, *pieces_of(line))) if line else line for line in lines[1:]]
        result = strings.join("\n", [lines[0], *rest])
    return strings.joined((indention, *pieces_of(result))) if first else result


def _format(context: GuardedContext, value: str, *args: Any, **named: Any) -> str:
    if args and named:
        msg = "can't handle positional and keyword arguments at the same time"
        raise FilterArgumentError(msg)
    return percent(context, value, named or args)


def _tojson(
    context: GuardedContext,
    value: Any,
    ensure_ascii: bool = False,
    indent: int | str | None = None,
    separators: Any = None,
    sort_keys: bool = False,
) -> str:
    pair = None
    if separators is not None:
        item, colon = map(plain_str, separators)
        pair = item, colon
    text = to_json(value, JsonStyle(bool(ensure_ascii), indent, pair, bool(sort_keys)), tracked=context.tracked)
    context.check_string(len(text))
    return text


def _int(context: GuardedContext, value: Any, default: int = 0, base: int = 10) -> Any:
    result = filters.do_int(plain_str(value) if isinstance(value, str) else value, default, base)
    return _numbered(result, value)


def _float(context: GuardedContext, value: Any, default: float = 0.0) -> Any:
    result = filters.do_float(plain_str(value) if isinstance(value, str) else value, default)
    return _numbered(result, value)


def _numbered(result: Any, value: Any) -> Any:
    """Return a number that was read from a value, marked with the same field."""
    tracked = type(value) in INPUT_NUMBERS or (isinstance(value, str) and type(value) is not str)
    return number(result, getattr(value, "path", ())) if tracked and type(result) in (int, float) else result


def _over(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a Jinja2 filter that goes through values. What it would make one by one, it makes at once.

    A value that is made later would hold the one that it is made of, which may be such a value too, and so on.
    """
    passes = getattr(function, "jinja_pass_arg", None)

    def filtered(context: GuardedContext, value: Any, *args: Any, **named: Any) -> Any:
        first = {"context": context, "environment": context.environment, "eval_context": context.eval_ctx}
        given = () if passes is None else (first[passes.name],)
        result = function(*given, value, *args, **named)
        return iter([*result]) if isinstance(result, Generator) else result

    return filtered


def _comparing(
    function: Callable[..., Any], position: int | None = None, getter: Callable[..., Any] = filters.make_attrgetter
) -> Callable[..., Any]:
    """Return a Jinja2 filter that compares values with each other, or what they have under an attribute.

    Args:
        function: The filter.
        position: The position of the attribute path among its arguments; None if it takes no path.
        getter: Makes what gets the attribute of a value.
    """

    def filtered(context: GuardedContext, value: Any, *args: Any, **named: Any) -> Any:
        values = keys = value
        path = None if position is None else attribute(position, args, named)
        if path is not None:
            keys = list(map(getter(context.environment, path), values))
        context.spend(context.weight(keys) * (2 + len(keys).bit_length()))
        if function is filters.sync_do_unique:
            context.check_keys(keys)
        return _over(function)(context, values, *args, **named)

    return filtered


def _list(context: GuardedContext, value: Any) -> list[Any]:
    return list(value)


def _reverse(context: GuardedContext, value: Any) -> Any:
    return context.sliced(value, slice(None, None, -1)) if isinstance(value, str) else list(value)[::-1]


def _items(context: GuardedContext, value: Any) -> Iterator[Any]:
    if isinstance(value, Undefined):
        return iter(())
    if type(value) not in MAPPINGS:
        msg = "Can only get item pairs from a mapping."
        raise TypeError(msg)
    return iter([*value.items()])


def _length(value: Any) -> int:
    kind = type(value)
    if kind in SIZED or isinstance(value, Undefined):
        return len(value)
    msg = f"object of type {kind.__name__!r} has no len()"
    raise TypeError(msg)


def _round(context: GuardedContext, value: Any, precision: int = 0, method: str = "common") -> Any:
    if not isinstance(value, int | float):
        msg = f"type {type(value).__name__} cannot be rounded"
        raise TypeError(msg)
    if abs(precision) > MOST_DIGITS:
        context.refuse("bits", f"it rounds to {precision:,} digits")
    return _numbered(filters.do_round(value, precision, method), value)  # type: ignore[arg-type]


def _sum(context: GuardedContext, iterable: Any, attribute: str | int | None = None, start: Any = 0) -> Any:
    for value in _under(context, iterable, attribute):
        start = context.plus(start, value)
    return start


def _abs(context: GuardedContext, value: Any) -> Any:
    return context.multiply(value, -1 if value < 0 else 1)


def _of_text(name: str) -> Operation:
    """Return the row of the filter or test that does what a string method does."""
    return TEXT_ROWS[name]._replace(takes=AS_TEXT)


ALONE = {"value": ANY}
AS_TEXT = {"text": WRITTEN}
CHOSEN = {"value": VALUES}
EXTREME = {"value": VALUES, "case_sensitive": ANY, "attribute": PATH}
ROWS: dict[str, Operation] = {
    "abs": Operation(_abs, ALONE, weights, THE_FIRST),
    "capitalize": _of_text("capitalize"),
    "count": Operation(_length, ALONE, BY_NODE, THE_FIRST),
    "d": Operation(without_context(filters.do_default), ALONE, CALL, DEFAULT),
    "default": Operation(without_context(filters.do_default), ALONE, CALL, DEFAULT),
    "dictsort": Operation(
        _comparing(filters.do_dictsort),
        {"value": ANY, "case_sensitive": ANY, "by": TEXT},
        WhileMade(weights),
        THE_FIRST,
    ),
    "first": Operation(_over(filters.sync_do_first), ALONE, shallow, THE_FIRST),
    "float": Operation(_float, {"value": ANY, "default": ANY}, reading, DEFAULT),
    "format": Operation(_format, AS_TEXT, WhileMade(filling("%")), OTHERS),
    "indent": Operation(_indent, {"s": WRITTEN, "width": INDENT, "first": ANY, "blank": ANY}, indenting, THE_FIRST),
    "int": Operation(_int, {"value": ANY, "default": ANY, "base": WHOLE}, reading, DEFAULT),
    "items": Operation(_items, ALONE, shallow, THE_FIRST),
    "join": Operation(_join, {"value": VALUES, "d": WRITTEN, "attribute": PATH}, WhileMade(each(1)), (0, 1, "d")),
    "last": Operation(_over(filters.do_last), CHOSEN, shallow, THE_FIRST),
    "length": Operation(_length, ALONE, BY_NODE, THE_FIRST),
    "list": Operation(_list, CHOSEN, shallow, THE_FIRST),
    "lower": _of_text("lower"),
    # Items, or what other filters make of them, which follow what they do.
    "map": Operation(_over(filters.sync_do_map), CHOSEN, each(), THE_FIRST),
    "max": Operation(_comparing(filters.do_max, 1), EXTREME, WhileMade(each(1)), THE_FIRST),
    "min": Operation(_comparing(filters.do_min, 1), EXTREME, WhileMade(each(1)), THE_FIRST),
    "reject": Operation(_over(filters.sync_do_reject), CHOSEN, each(), THE_FIRST),
    "rejectattr": Operation(
        _over(filters.sync_do_rejectattr), {"value": VALUES, "attribute": PATH}, each(0), THE_FIRST
    ),
    "replace": Operation(
        _replace, {"value": WRITTEN, "old": WRITTEN, "new": WRITTEN, "count": COUNT}, CALL, (0, 2, "new")
    ),
    "reverse": Operation(_reverse, CHOSEN, shallow, THE_FIRST),
    "round": Operation(_round, {"value": ANY, "precision": WHOLE, "method": TEXT}, rounded, THE_FIRST),
    "safe": Operation(_safe, AS_TEXT, weights, THE_FIRST),
    "select": Operation(_over(filters.sync_do_select), CHOSEN, each(), THE_FIRST),
    "selectattr": Operation(
        _over(filters.sync_do_selectattr), {"value": VALUES, "attribute": PATH}, each(0), THE_FIRST
    ),
    "sort": Operation(
        _comparing(filters.do_sort, 2, filters.make_multi_attrgetter),
        {"value": VALUES, "reverse": ANY, "case_sensitive": ANY, "attribute": PATH},
        WhileMade(each(2)),
        THE_FIRST,
    ),
    "string": Operation(_string, AS_TEXT, weights, THE_FIRST),
    "sum": Operation(_sum, {"iterable": VALUES, "attribute": PATH, "start": ANY}, each(0), (0, 2, "start")),
    "title": Operation(_title, AS_TEXT, words, THE_FIRST),
    "tojson": Operation(
        _tojson,
        {"value": ANY, "ensure_ascii": ANY, "indent": INDENT, "separators": PAIR, "sort_keys": ANY},
        WhileMade(json),
        THE_FIRST,
    ),
    "trim": Operation(_trim, {"value": WRITTEN, "chars": TEXT}, CALL, THE_FIRST),
    "unique": Operation(_comparing(filters.sync_do_unique, 1), EXTREME, WhileMade(each(1)), THE_FIRST),
    "upper": _of_text("upper"),
    **MORE_FILTERS,
}


def _in(context: GuardedContext, value: Any, values: Any) -> bool:
    return bool(context.contains(value, values))


def _divisible(context: GuardedContext, value: Any, number: Any) -> bool:
    return bool(context.remainder(value, number) == 0)


def _even(context: GuardedContext, value: Any) -> bool:
    return bool(context.remainder(value, 2) == 0)


def _odd(context: GuardedContext, value: Any) -> bool:
    return bool(context.remainder(value, 2) == 1)


TWO = {"value": ANY, "other": ANY}
TEST_ROWS: dict[str, Operation] = {
    **{
        name: Operation(JINJA_TESTS[name], ALONE, BY_NODE, NONE)
        for name in (
            "boolean", "defined", "false", "float", "integer", "iterable", "mapping", "none", "number",
            "sequence", "string", "true", "undefined",
        )
    },
    **{
        name: Operation(without_context(JINJA_TESTS[name]), TWO, alike, NONE)
        for name in (
            "==", "eq", "equalto", "!=", "ne", ">", "gt", "greaterthan", ">=", "ge", "<", "lt", "lessthan", "<=", "le",
        )
    },
    "in": Operation(_in, TWO, weights, NONE),
    "sameas": Operation(without_context(is_same), TWO, alike, NONE),
    "divisibleby": Operation(_divisible, TWO, weights, NONE),
    "even": Operation(_even, ALONE, weights, NONE),
    "odd": Operation(_odd, ALONE, weights, NONE),
    "lower": _of_text("islower"),
    "upper": _of_text("isupper"),
    **MORE_TESTS,
}  # fmt: skip


def _asking(rows: Mapping[str, Operation]) -> dict[str, Callable[..., Any]]:
    """Return rows as Jinja2 calls them: those that cost something ask for the context."""
    return {name: row.run if row.cost is BY_NODE else pass_context(called(name, row)) for name, row in rows.items()}


FILTERS = _asking(ROWS)
TESTS = _asking(TEST_ROWS)
