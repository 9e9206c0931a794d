"""The filters and tests that a template may use: those of transformers, bounded, and no others."""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING, Any

from jinja2 import filters, tests
from jinja2.exceptions import FilterArgumentError
from jinja2.runtime import Undefined
from jinja2.utils import pass_context

from lect.plugin import plain_str
from lect_jinja import strings
from lect_jinja.charges import (
    FILTER_COSTS,
    FREE_FILTERS,
    FREE_TESTS,
    METHOD_FILTERS,
    MOST_DIGITS,
    attribute,
    charged_filters,
    following,
)
from lect_jinja.context import is_same
from lect_jinja.formatting import percent
from lect_jinja.guard import ITEM, MAPPINGS, SIZED
from lect_jinja.methods import TEXT_METHODS
from lect_jinja.more_filters import MORE_FILTERS, MORE_TESTS
from lect_jinja.origins import distrusting
from lect_jinja.spelling import JsonStyle, to_json
from lect_jinja.strings import TEXTS, pieces_of, safe
from lect_jinja.values import INPUT_NUMBERS, number

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from lect_jinja.context import GuardedContext


JINJA_TESTS: Mapping[str, Any] = tests.TESTS


def _text(context: GuardedContext, value: Any) -> str:
    return value if type(value) in TEXTS else context.shown(value)


def _as_method(name: str) -> Callable[..., Any]:
    """Return the filter that does what a string method does."""
    method = TEXT_METHODS[name]

    @pass_context
    def filtered(context: GuardedContext, value: Any, *args: Any, **named: Any) -> Any:
        return method(context, _text(context, value), *args, **named)

    return filtered


@pass_context
def _title(context: GuardedContext, value: Any) -> str:
    return strings.letter_by_letter(filters.do_title)(_text(context, value))


@pass_context
def _trim(context: GuardedContext, value: Any, chars: str | None = None) -> Any:
    return TEXT_METHODS["strip"](context, _text(context, value), chars)


@pass_context
def _replace(context: GuardedContext, value: Any, old: Any, new: Any, count: int | None = None) -> Any:
    text = strings.joined(pieces_of(_text(context, value)))
    every = -1 if count is None else count
    return TEXT_METHODS["replace"](context, text, _text(context, old), _text(context, new), every)


@pass_context
def _string(context: GuardedContext, value: Any) -> str:
    return _text(context, value)


@pass_context
def _safe(context: GuardedContext, value: Any) -> str:
    return safe(pieces_of(_text(context, value)))


@pass_context
def _join(context: GuardedContext, value: Any, d: Any = "", attribute: str | int | None = None) -> Any:
    values = context.listed(value)
    if attribute is not None:
        get = filters.make_attrgetter(context.environment, attribute)
        values = [get(each) for each in values]
    texts = [_text(context, each) for each in values]
    return TEXT_METHODS["join"](context, strings.joined(pieces_of(_text(context, d))), texts)


@pass_context
def _indent(context: GuardedContext, s: Any, width: int | str = 4, first: bool = False, blank: bool = False) -> str:
    indention = plain_str(width if isinstance(width, str) else context.multiply(" ", width))
    text = _text(context, s)
    lines = strings.splitlines(context.add(text, "\n"))
    context.check_string(len(text) + (len(indention) + 1) * len(lines))
    context.spend(context.weight(text))
    if blank:
        result = strings.join(f"\n{indention}", lines)
    else:
        rest = [strings.joined((indention, *pieces_of(line))) if line else line for line in lines[1:]]
        result = strings.join("\n", [lines[0], *rest])
    return strings.joined((indention, *pieces_of(result))) if first else result


@pass_context
def _format(context: GuardedContext, value: Any, *args: Any, **named: Any) -> str:
    if args and named:
        msg = "can't handle positional and keyword arguments at the same time"
        raise FilterArgumentError(msg)
    return percent(context, _text(context, value), named or args)


@pass_context
def _tojson(
    context: GuardedContext,
    value: Any,
    ensure_ascii: bool = False,
    indent: int | str | None = None,
    separators: Any = None,
    sort_keys: bool = False,
) -> str:
    pair = None if separators is None else (plain_str(separators[0]), plain_str(separators[1]))
    text = to_json(value, JsonStyle(bool(ensure_ascii), indent, pair, bool(sort_keys)), tracked=context.tracked)
    context.check_string(len(text))
    return text


@pass_context
def _int(context: GuardedContext, value: Any, default: int = 0, base: int = 10) -> Any:
    _refuse_long(context, value)
    result = filters.do_int(plain_str(value) if isinstance(value, str) else value, default, base)
    return _numbered(result, value)


@pass_context
def _float(context: GuardedContext, value: Any, default: float = 0.0) -> Any:
    _refuse_long(context, value)
    result = filters.do_float(plain_str(value) if isinstance(value, str) else value, default)
    return _numbered(result, value)


def _refuse_long(context: GuardedContext, value: Any) -> None:
    if isinstance(value, str) and len(value) > context.limits.bits // 4:
        context.refuse("bits", f"it reads a number of {len(value):,} characters")


def _numbered(result: Any, value: Any) -> Any:
    """Return a number that was read from a value, marked with the same field."""
    tracked = type(value) in INPUT_NUMBERS or (isinstance(value, str) and type(value) is not str)
    return number(result, getattr(value, "path", ())) if tracked and type(result) in (int, float) else result


def _over(function: Callable[..., Any], attribute: int | None = None) -> Callable[..., Any]:
    """Return a Jinja2 filter that goes through values, and counts those whose number is not known before.

    Args:
        function: The filter.
        attribute: The position of an attribute path among its arguments.
    """
    passes = getattr(function, "jinja_pass_arg", None)

    @pass_context
    def filtered(context: GuardedContext, value: Any, *args: Any, **named: Any) -> Any:
        source = value
        if type(value) not in SIZED and value:
            value = context.counted(value, ITEM + following(attribute, args, named))
        first = {"context": context, "environment": context.environment, "eval_context": context.eval_ctx}
        given = () if passes is None else (first[passes.name],)
        result = function(*given, value, *args, **named)
        return context.lazy(result, source) if isinstance(result, Generator) else result

    return filtered


def _comparing(
    function: Callable[..., Any], position: int | None = None, getter: Callable[..., Any] = filters.make_attrgetter
) -> Callable[..., Any]:
    """Return a Jinja2 filter that compares values with each other, or what they have under an attribute.

    Args:
        function: The filter.
        position: The position of the attribute path among its arguments.
        getter: Makes what gets the attribute of a value.
    """

    @pass_context
    def filtered(context: GuardedContext, value: Any, *args: Any, **named: Any) -> Any:
        values = keys = value if type(value) in MAPPINGS else context.listed(value)
        path = attribute(position, args, named)
        if path is not None:
            keys = list(map(getter(context.environment, path), values))
        context.spend(context.weight(keys) * (2 + len(keys).bit_length()))
        if function is filters.sync_do_unique:
            context.check_keys(keys)
        given = (context.environment,) if getattr(function, "jinja_pass_arg", None) else ()
        return function(*given, values, *args, **named)

    return filtered


@pass_context
def _list(context: GuardedContext, value: Any) -> list[Any]:
    return context.listed(value)


@pass_context
def _reverse(context: GuardedContext, value: Any) -> Any:
    return context.sliced(value, slice(None, None, -1)) if isinstance(value, str) else context.listed(value)[::-1]


def _items(value: Any) -> Iterator[Any]:
    if isinstance(value, Undefined):
        return
    if type(value) not in MAPPINGS:
        msg = "Can only get item pairs from a mapping."
        raise TypeError(msg)
    yield from value.items()


def _length(value: Any) -> int:
    kind = type(value)
    if kind in SIZED or isinstance(value, Undefined):
        return len(value)
    msg = f"object of type {kind.__name__!r} has no len()"
    raise TypeError(msg)


@pass_context
def _round(context: GuardedContext, value: Any, precision: int = 0, method: str = "common") -> Any:
    if not isinstance(value, int | float):
        msg = f"type {type(value).__name__} cannot be rounded"
        raise TypeError(msg)
    if abs(precision) > MOST_DIGITS:
        context.refuse("bits", f"it rounds to {precision:,} digits")
    return _numbered(filters.do_round(value, precision, method), value)  # type: ignore[arg-type]


@pass_context
def _sum(context: GuardedContext, iterable: Any, attribute: str | int | None = None, start: Any = 0) -> Any:
    values = context.listed(iterable)
    if attribute is not None:
        values = [filters.make_attrgetter(context.environment, attribute)(each) for each in values]
    for value in values:
        start = context.plus(start, value)
    return start


@pass_context
def _abs(context: GuardedContext, value: Any) -> Any:
    return context.multiply(value, -1 if value < 0 else 1)


_FILTERS: dict[str, Callable[..., Any]] = {
    "abs": _abs,
    "capitalize": _as_method("capitalize"),
    "count": _length,
    "d": filters.do_default,
    "default": filters.do_default,
    "dictsort": _comparing(filters.do_dictsort),
    "first": _over(filters.sync_do_first),
    "float": _float,
    "format": _format,
    "indent": _indent,
    "int": _int,
    "items": _items,
    "join": _join,
    "last": _over(filters.do_last),
    "length": _length,
    "list": _list,
    "lower": _as_method("lower"),
    "map": _over(filters.sync_do_map),
    "max": _comparing(filters.do_max, 1),
    "min": _comparing(filters.do_min, 1),
    "reject": _over(filters.sync_do_reject),
    "rejectattr": _over(filters.sync_do_rejectattr, 0),
    "replace": _replace,
    "reverse": _reverse,
    "round": _round,
    "safe": _safe,
    "select": _over(filters.sync_do_select),
    "selectattr": _over(filters.sync_do_selectattr, 0),
    "sort": _comparing(filters.do_sort, 2, filters.make_multi_attrgetter),
    "string": _string,
    "sum": _sum,
    "title": _title,
    "tojson": _tojson,
    "trim": _trim,
    "unique": _comparing(filters.sync_do_unique, 1),
    "upper": _as_method("upper"),
    **MORE_FILTERS,
}
FILTERS = {
    name: pass_context(distrusting(name, function, asks=hasattr(function, "jinja_pass_arg")))
    for name, function in charged_filters(_FILTERS, FILTER_COSTS, FREE_FILTERS | METHOD_FILTERS).items()
}


@pass_context
def _in(context: GuardedContext, value: Any, values: Any) -> bool:
    return context.contains(value, values)


@pass_context
def _divisible(context: GuardedContext, value: Any, number: Any) -> bool:
    return bool(context.remainder(value, number) == 0)


@pass_context
def _even(context: GuardedContext, value: Any) -> bool:
    return bool(context.remainder(value, 2) == 0)


@pass_context
def _odd(context: GuardedContext, value: Any) -> bool:
    return bool(context.remainder(value, 2) == 1)


@pass_context
def _lower(context: GuardedContext, value: Any) -> bool:
    return _text(context, value).islower()


@pass_context
def _upper(context: GuardedContext, value: Any) -> bool:
    return _text(context, value).isupper()


TESTS: dict[str, Callable[..., Any]] = {
    **{
        name: JINJA_TESTS[name]
        for name in (
            "boolean", "defined", "false", "float", "integer", "iterable", "mapping", "none", "number",
            "sequence", "string", "true", "undefined",
            "==", "eq", "equalto", "!=", "ne", ">", "gt", "greaterthan", ">=", "ge", "<", "lt", "lessthan", "<=", "le",
        )
    },
    "in": _in,
    "sameas": is_same,
    "divisibleby": _divisible,
    "even": _even,
    "odd": _odd,
    "lower": _lower,
    "upper": _upper,
    **MORE_TESTS,
}  # fmt: skip
TESTS = charged_filters(TESTS, {}, FREE_TESTS)
