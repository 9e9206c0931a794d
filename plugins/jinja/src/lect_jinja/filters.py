"""The filters, tests and functions that a template may use: those of transformers, bounded, and no others."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any, NoReturn

from jinja2 import filters, tests
from jinja2.exceptions import FilterArgumentError, SecurityError, TemplateError
from jinja2.runtime import Undefined
from jinja2.utils import Namespace, pass_context

from lect.plugin import plain_str
from lect_jinja import strings
from lect_jinja.context import Function
from lect_jinja.formatting import percent
from lect_jinja.guard import MAPPINGS, SEQUENCES, VIEWS
from lect_jinja.methods import TEXT_METHODS
from lect_jinja.spelling import JsonStyle, to_json
from lect_jinja.strings import TEXTS, pieces_of, safe
from lect_jinja.values import InputFloat, InputInt, number

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from lect_jinja.context import GuardedContext


SIZED = SEQUENCES | MAPPINGS | TEXTS | VIEWS | {range}
JINJA_TESTS: Mapping[str, Any] = tests.TESTS
MOST_DIGITS = 300
"""Digits to which a float may be rounded."""


class RaisedError(TemplateError):
    """An error that a template raises on purpose."""


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
    text = _text(context, value)
    context.go_through(text)
    return strings.letter_by_letter(filters.do_title)(text)


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
    indention = width if isinstance(width, str) else context.multiply(" ", width)
    text = _text(context, s)
    context.go_through(text)
    lines = strings.splitlines(context.add(text, "\n"))
    context.check_string(len(text) + (len(indention) + 1) * len(lines))
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
    before = context.left
    context.weigh(value)
    pair = None if separators is None else (plain_str(separators[0]), plain_str(separators[1]))
    between = 0 if pair is None else len(pair[0] + pair[1])
    if indent is not None:
        between += 8 * (len(indent) if isinstance(indent, str) else int(indent))
    context.check_string(max(before - context.left, 0) * between)
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
    tracked = isinstance(value, InputInt | InputFloat) or (isinstance(value, str) and type(value) is not str)
    return number(result, getattr(value, "path", ())) if tracked and type(result) in (int, float) else result


def _over(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a Jinja2 filter that goes through values, with its work counted."""
    passes = getattr(function, "jinja_pass_arg", None)

    @pass_context
    def filtered(context: GuardedContext, value: Any, *args: Any, **named: Any) -> Any:
        if type(value) in SIZED:
            context.spend(len(value))
        elif value:
            value = context.counted(value, 1)
        first = {"context": context, "environment": context.environment, "eval_context": context.eval_ctx}
        given = () if passes is None else (first[passes.name],)
        return function(*given, value, *args, **named)

    return filtered


def _comparing(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a Jinja2 filter that compares values with each other, with its work counted."""

    @pass_context
    def filtered(context: GuardedContext, value: Any, *args: Any, **named: Any) -> Any:
        values = value if type(value) in MAPPINGS else context.listed(value)
        before = context.left
        context.weigh(values)
        context.spend(max(before - context.left, 0) * len(values).bit_length())
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


FILTERS: dict[str, Callable[..., Any]] = {
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
    "max": _comparing(filters.do_max),
    "min": _comparing(filters.do_min),
    "reject": _over(filters.sync_do_reject),
    "rejectattr": _over(filters.sync_do_rejectattr),
    "replace": _replace,
    "reverse": _reverse,
    "round": _round,
    "safe": _safe,
    "select": _over(filters.sync_do_select),
    "selectattr": _over(filters.sync_do_selectattr),
    "sort": _comparing(filters.do_sort),
    "string": _string,
    "sum": _sum,
    "title": _title,
    "tojson": _tojson,
    "trim": _trim,
    "unique": _comparing(filters.sync_do_unique),
    "upper": _as_method("upper"),
}


def _compared(function: Callable[[Any, Any], bool]) -> Callable[..., bool]:
    @pass_context
    def test(context: GuardedContext, value: Any, other: Any) -> bool:
        return function(context.weighed(value), other)

    return test


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
            "boolean", "defined", "false", "float", "integer", "iterable", "mapping", "none", "number", "sameas",
            "sequence", "string", "true", "undefined",
        )
    },
    **{
        name: _compared(JINJA_TESTS[name])
        for name in (
            "==", "eq", "equalto", "!=", "ne", ">", "gt", "greaterthan", ">=", "ge", "<", "lt", "lessthan", "<=", "le",
        )
    },
    "in": _in,
    "divisibleby": _divisible,
    "even": _even,
    "odd": _odd,
    "lower": _lower,
    "upper": _upper,
}  # fmt: skip


def _raise_exception(context: GuardedContext, message: Any = "") -> NoReturn:
    raise RaisedError(plain_str(_text(context, message)))


def _strftime_now(context: GuardedContext, form: str) -> str:
    if len(form) > context.limits.bits:
        context.refuse("bits", f"it asks for a date in a format of {len(form):,} characters")
    moment = context.moment or datetime.now()
    return strings.followed(moment.strftime(plain_str(form)), form)


def _namespace(context: GuardedContext, *args: Any, **named: Any) -> Namespace:
    space = Namespace(*args, **named)
    for name in (*named, *(name for each in args for name in dict(each))):
        if str(name)[:1] == "_":
            msg = f"the name {name!r} on a namespace is not allowed"
            raise SecurityError(msg)
    return space


def _range(context: GuardedContext, *bounds: int) -> range:
    numbers = range(*bounds)
    # `len` fails for a range that is too long for an index.
    length = max(0, (numbers.stop - numbers.start + numbers.step - (1 if numbers.step > 0 else -1)) // numbers.step)
    if length > context.limits.work * 1000:
        context.refuse("work", f"it creates a range of {length:,} numbers")
    context.spend(length * 2)
    return numbers


def _dict(context: GuardedContext, *args: Any, **named: Any) -> dict[Any, Any]:
    for each in args:
        context.weigh(each)
    return dict(*args, **named)


FUNCTIONS: Mapping[str, Function] = {
    "raise_exception": Function(_raise_exception),
    "strftime_now": Function(_strftime_now),
    "namespace": Function(_namespace),
    "range": Function(_range),
    "dict": Function(_dict),
}
