"""What the methods, filters, tests and functions of a template cost: taken from its work before they run.

`charged` wraps whole tables, so that nothing that a template can call is free by mistake. An operation that is not
named below costs the weights of all of its operands. It is named because it looks at types and lengths only
(`FREE_FILTERS`, `FREE_TESTS`), because it takes the items of a container without looking into them (`_shallow`), or
because it costs more than a look at each operand: a search, a split, a text that grows. These are the worst cases of
CPython, not the usual ones.
"""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any

from jinja2.utils import pass_context

from lect_jinja.guard import ITEM, MAPPINGS, SCALARS, SEQUENCES, SIZED, WRITE
from lect_jinja.strings import TEXTS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from lect_jinja.guard import Guard

    Function = Callable[..., Any]
    Cost = Callable[..., int]

WRITABLE = TEXTS | SCALARS | SEQUENCES | MAPPINGS
CALL = 8
"""The work of calling anything."""
PART = 8
"""The work of creating one part of a text, with its origin."""
COMPARED = 7
"""A unit of work pays for two to the power of this many characters that are compared in a search."""
SHORT, MEDIUM = 2500, 30_000
"""Below these lengths CPython compares a needle, or at least 100 characters of it, at every place of a text; in longer
texts it begins cleverer algorithms after six."""
STEP = 4
"""The work of a character of an attribute path, which has a name for every two characters at most."""
MOST_DIGITS = 300
"""Digits to which a float may be rounded."""
SPACES = "\t\n\v\f\r\x1c\x1d\x1e\x1f \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
SPACES += "\u2028\u2029\u202f\u205f\u3000"
LINE_ENDS = "\n\v\f\r\x1c\x1d\x1e\x85\u2028\u2029"


def searching(length: int, needle: int) -> int:
    """Return the work of searching a text from its beginning, for a needle of some length."""
    most = needle if length < SHORT else 100 if length < MEDIUM else 6
    return length * min(needle, most) >> COMPARED


def weights(context: Guard, *operands: Any, **named: Any) -> int:
    """Return the weights of all operands: what an operation costs unless it is named below."""
    work = CALL + sum(map(context.weight, operands))
    return work + sum(map(context.weight, named.values())) if named else work


def _searched(context: Guard, text: Any, needle: Any = None, *operands: Any, **named: Any) -> int:
    work = weights(context, text, needle, *operands, **named)
    return work + searching(_length(text), _length(needle) + sum(map(_length, named.values())))


def _compared_everywhere(context: Guard, text: Any, needle: Any = None, *operands: Any, **named: Any) -> int:
    """Return the cost of a search from the end, or for each of some characters: nothing in it is clever."""
    if needle is None and not named:
        return CALL + context.weight(text)
    work = weights(context, text, needle, *operands, **named)
    return work + (_length(text) * (_length(needle) + sum(map(_length, named.values()))) >> COMPARED)


def _split(search: Cost) -> Cost:
    def cost(context: Guard, text: Any, separator: Any = None, *operands: Any, **named: Any) -> int:
        context.spend(search(context, text, separator, *operands, **named))
        separators = [each for each in (separator, *named.values()) if isinstance(each, str)]
        if not separators:
            context.spend(context.weight(text))
        return _parts(text, separators or SPACES)

    return cost


def _lines(context: Guard, text: Any, *operands: Any, **named: Any) -> int:
    return weights(context, text, *operands, **named) + _parts(text, LINE_ENDS)


def _parts(text: Any, separators: Any) -> int:
    """Return the work of creating the parts of a text."""
    return PART * (1 + sum(str.count(text, each) for each in separators if each and isinstance(text, str)))


def _replaced(context: Guard, text: Any, *operands: Any, **named: Any) -> int:
    context.spend(_searched(context, text, *operands, **named))
    arguments = dict(zip(("old", "new", "count"), operands, strict=False)) | named
    old, new, count = (arguments.get(name) for name in ("old", "new", "count"))
    if not (isinstance(text, str) and isinstance(old, str) and isinstance(new, str)):
        return 0
    times = str.count(text, old)
    if isinstance(count, int) and count >= 0:
        times = min(times, count)
    context.check_string(len(text) + max(len(new) - len(old), 0) * times, new)
    return PART * times


def _padded(context: Guard, text: Any, width: Any = 0, *fill: Any, **named: Any) -> int:
    repeated = "".join(each for each in fill if isinstance(each, str))
    context.check_string(width if isinstance(width, int) and width > 0 else 0, repeated)
    return weights(context, text, width, *fill, **named)


def _letters(context: Guard, text: Any, *operands: Any) -> int:
    """Return the cost of changing letters, which CPython does in twelve bytes for each that is not ASCII."""
    work = weights(context, text, *operands) if operands else CALL + context.weight(text)
    return work if text.isascii() else work + (len(text) >> 2)


def _words(context: Guard, value: Any, *operands: Any) -> int:
    """Return the cost of Jinja2's own title case, which cuts a text into words first."""
    return weights(context, value, *operands) + PART * _length(value)


def _shallow(context: Guard, value: Any, *operands: Any, **named: Any) -> int:
    return weights(context, *operands, **named) + (ITEM * len(value) if type(value) in SIZED else 0)


def _joined(context: Guard, between: Any, *texts: Any, **named: Any) -> int:
    """Return the cost of taking the texts that are to be joined; the rest is counted when their lengths are known."""
    given = (*texts, *named.values())
    return weights(context, between) + sum(ITEM * len(each) for each in given if type(each) in SIZED)


def _by_key(context: Guard, mapping: Any, *operands: Any, **named: Any) -> int:
    return weights(context, *operands[:1], **named)


def _made(context: Guard, *operands: Any, **named: Any) -> int:
    """Return the cost of putting values together: what they weigh is noted when they are."""
    return 2 * CALL + ITEM * (len(operands) + len(named))


def _by_attribute(position: int | None) -> Cost:
    """Return the cost of a filter that follows an attribute path, such as 'function.name', in each item."""

    def cost(context: Guard, value: Any, *operands: Any, **named: Any) -> int:
        path = following(position, operands, named)
        items = len(value) if type(value) in SIZED else 0
        return weights(context, *operands, **named) + path + (ITEM + path) * items

    return cost


def following(position: int | None, operands: tuple[Any, ...], named: Mapping[str, Any]) -> int:
    """Return the work of following the attribute path among the operands of a filter."""
    return STEP * _length(attribute(position, operands, named))


def attribute(position: int | None, operands: tuple[Any, ...], named: Mapping[str, Any]) -> Any:
    """Return the attribute path among the operands of a filter; None if there is none."""
    if position is not None and len(operands) > position:
        return operands[position]
    return named.get("attribute")


def _json(context: Guard, value: Any, *operands: Any, **named: Any) -> int:
    arguments = dict(zip(("ensure_ascii", "indent", "separators"), operands, strict=False)) | named
    indent, separators = arguments.get("indent"), arguments.get("separators")
    if type(value) not in WRITABLE:
        # JSON says itself what it cannot write.
        return CALL
    if indent is not None or separators is not None:
        level = indent if isinstance(indent, int) else _length(indent)
        between = sum(map(_length, separators[:2])) if isinstance(separators, list | tuple) else 0
        depth = context.known(value).depth
        context.check_string(context.weight(value) * (between + max(level, 0) * depth + 1))
    context.about_to_write(value)
    return weights(context, *operands, **named) + WRITE * CALL


def _rounded(context: Guard, value: Any, *operands: Any, **named: Any) -> int:
    digits = [min(abs(each), MOST_DIGITS) for each in (*operands, *named.values()) if isinstance(each, int)]
    return weights(context, value, *operands, **named) + sum(digits)


def _length(value: Any) -> int:
    return len(value) if isinstance(value, str) else 0


METHOD_FILTERS = frozenset({"capitalize", "lower", "replace", "trim", "upper"})
"""Filters that give all of their operands to a method, which is charged for them."""
FREE_FILTERS = frozenset({"count", "d", "default", "length"})
FREE_TESTS = frozenset({
    "boolean", "defined", "false", "float", "integer", "iterable", "mapping", "none", "number", "sameas", "sequence",
    "string", "true", "undefined",
})  # fmt: skip
"""Those that look at the type or the length of a value, or return it as it is."""
TEXT_COSTS: dict[str, Cost] = {
    **dict.fromkeys(("find", "index", "count", "partition"), _searched),
    **dict.fromkeys(("rfind", "rindex", "rpartition", "strip", "lstrip", "rstrip"), _compared_everywhere),
    **dict.fromkeys(("ljust", "rjust", "center", "zfill"), _padded),
    **dict.fromkeys(("upper", "lower", "title", "capitalize", "swapcase", "casefold"), _letters),
    "split": _split(_searched),
    "rsplit": _split(_compared_everywhere),
    "splitlines": _lines,
    "replace": _replaced,
    "join": _joined,
}
MAPPING_COSTS: dict[str, Cost] = {
    **dict.fromkeys(("items", "keys", "values", "copy"), _shallow),
    "get": _by_key,
}
LIST_COSTS: dict[str, Cost] = {"copy": _shallow}
FILTER_COSTS: dict[str, Cost] = {
    **dict.fromkeys(("first", "items", "last", "list", "reject", "reverse", "select"), _shallow),
    **dict.fromkeys(("rejectattr", "selectattr", "sum"), _by_attribute(0)),
    **dict.fromkeys(("join", "max", "min", "unique"), _by_attribute(1)),
    "sort": _by_attribute(2),
    "map": _by_attribute(None),
    "indent": _lines,
    "round": _rounded,
    "title": _words,
    "tojson": _json,
}
# What is raised ends the render.
FUNCTION_COSTS: dict[str, Cost] = dict.fromkeys(("dict", "namespace", "raise_exception"), _made)


def charged(table: Mapping[str, Function], costs: Mapping[str, Cost]) -> dict[str, Function]:
    """Return a table of methods, each of which is charged before it runs. They are given the context first."""
    return {name: _charged(function, costs.get(name, weights)) for name, function in table.items()}


def charged_filters(
    table: Mapping[str, Function], costs: Mapping[str, Cost], free: frozenset[str]
) -> dict[str, Function]:
    """Return a table of filters or tests, which are given the context only if they ask for it."""
    return {
        name: function if name in free else pass_context(_charged(_with_context(function), costs.get(name, weights)))
        for name, function in table.items()
    }


def _charged(function: Function, cost: Cost) -> Function:
    @wraps(function)
    def call(context: Guard, /, *operands: Any, **named: Any) -> Any:
        # A cost may spend some of the work itself, so it is known before the subtraction begins.
        work = cost(context, *operands, **named)
        context.left -= work
        if context.left < 0:
            context.spend(0)
        return function(context, *operands, **named)

    call.is_charged = True  # type: ignore[attr-defined]
    return call


def _with_context(function: Function) -> Function:
    if hasattr(function, "jinja_pass_arg"):
        return function
    return wraps(function)(lambda context, /, *operands, **named: function(*operands, **named))
