"""Whose text the result of an operation is.

What a caller gives knows its field (`values.py`); every other value is the template's. An operation that follows an
operand writes each character of it as a piece that still knows that field (`strings.py`), or returns the operand, or a
part of it, as it is. `FOLLOWED` lists these operands. Nothing else is trusted: if any other operand is somebody's, all
that would be the template's in the result is of unknown origin instead.

This covers all that a template can do. Filters, methods and functions are wrapped as whole tables, so that one without
an entry follows nothing. Operators are methods of the context (`context.py`), and say there what they follow. Names,
conditions, loops, lists and mappings make no text: they keep values, or choose among them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import wraps
from types import EllipsisType
from typing import TYPE_CHECKING, Any

from jinja2.runtime import Undefined

from lect.plugin import unknown
from lect_jinja.strings import Joined, Safe, joined, safe
from lect_jinja.values import INPUT_NUMBERS, InputRange, number

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from lect_jinja.guard import Guard

    Operands = tuple[int | str | EllipsisType, ...]

THE_FIRST: Operands = (0,)
ALL: Operands = (0, ...)
FOLLOWED: Mapping[str, Operands] = {
    # A part of the text, or parts of it.
    **dict.fromkeys(("strip", "lstrip", "rstrip", "trim", "removeprefix", "removesuffix"), THE_FIRST),
    **dict.fromkeys(("split", "rsplit", "splitlines", "partition", "rpartition"), THE_FIRST),
    # The text, letter by letter.
    **dict.fromkeys(("upper", "lower", "title", "capitalize", "swapcase", "casefold"), THE_FIRST),
    # The text, with something beside it.
    **dict.fromkeys(("ljust", "rjust", "indent"), THE_FIRST),
    # Several texts, piece by piece.
    "format": (...,),
    "join": (0, 1, "d"),
    "replace": (0, 2, "new"),
    "sum": (0, 2, "start"),
    # The value, written out.
    **dict.fromkeys(("string", "safe", "tojson"), THE_FIRST),
    # A number from the same field.
    **dict.fromkeys(("abs", "round"), THE_FIRST),
    **dict.fromkeys(("int", "float"), (0, 1, "default")),
    # Operands or their items, as they are.
    **dict.fromkeys(("first", "last", "min", "max", "list", "reverse", "sort", "unique"), THE_FIRST),
    **dict.fromkeys(("select", "selectattr", "reject", "rejectattr"), THE_FIRST),
    **dict.fromkeys(("items", "keys", "values", "copy", "dictsort"), THE_FIRST),
    **dict.fromkeys(("default", "d"), (0, 1, "default_value")),
    **dict.fromkeys(("dict", "namespace", "get", "cycle"), ALL),
    # Items, or what other filters make of them; those filters are wrapped too.
    "map": THE_FIRST,
    # It marks its numbers itself.
    "range": ALL,
    # A count or a place: digits, never a character of the text.
    **dict.fromkeys(("length", "count", "find", "rfind", "index", "rindex"), THE_FIRST),
}
"""The operands that operations follow, by position and name, the receiver being 0; `...` means all but the receiver."""
OWN = frozenset({str, int, float, bool, type(None), Undefined})
"""The types of the template's own texts and numbers."""
SHORT = 8
"""Items of a list that is looked through for somebody's; a longer one counts as somebody's."""


def distrusting(name: str, operation: Callable[..., Any], *, asks: bool = True) -> Callable[..., Any]:
    """Return an operation that distrusts every operand which it is not known to follow.

    Args:
        name: The name of the operation.
        operation: What it does.
        asks: Whether it takes the context before its operands; the result does.
    """
    listed = FOLLOWED.get(name, ())
    if listed == ALL and asks:
        return operation
    others = ... in listed
    enough = 1 if 0 in listed else 0

    @wraps(operation)
    def operate(context: Guard, *operands: Any, **named: Any) -> Any:
        result = operation(context, *operands, **named) if asks else operation(*operands, **named)
        if context.tracked and (named or len(operands) > enough):
            for place, operand in (*enumerate(operands), *named.items()) if named else enumerate(operands):
                if place in listed or type(operand) in OWN or (others and place != 0) or _is_own(operand):
                    continue
                return distrusted(context, result)
        return result

    return operate


def without_numbers(calculation: Callable[..., Any]) -> Callable[..., Any]:
    """Return an operator of the context that follows texts, but no number: a caller's number is distrusted."""

    @wraps(calculation)
    def calculate(context: Guard, left: Any, right: Any) -> Any:
        result = calculation(context, left, right)
        return distrusted(context, result) if type(left) in INPUT_NUMBERS or type(right) in INPUT_NUMBERS else result

    return calculate


def _is_own(operand: Any) -> bool:
    """Return whether a list or a tuple has nothing in it but the template's texts and numbers."""
    return type(operand) in (list, tuple) and len(operand) <= SHORT and all(type(each) in OWN for each in operand)


def distrusted(context: Guard, value: Any, depth: int = 0) -> Any:
    """Return a value in which no text and no number is the template's; what knows its field is left as it is."""
    kind = type(value)
    if kind is int or kind is float:
        return number(value, ())
    if kind is str or kind is Joined or kind is Safe:
        # It is copied, and one text may be in a list many times.
        context.spend(context.weight(value))
        if kind is str:
            return unknown(value)
        pieces = map(_distrusted_piece, value.pieces)
        return joined(pieces) if kind is Joined else safe(pieces)
    if kind is range:
        return InputRange(value)
    if isinstance(value, Iterator):
        return (distrusted(context, each) for each in value)
    if kind in REBUILT:
        # The pairs of a mapping are a level of their own.
        if depth >= 2 * context.limits.depth:
            context.refuse("depth", "it nests values too deeply")
        context.spend(len(value) + 1)
        items = value.items() if kind is dict else value
        return REBUILT[kind](distrusted(context, item, depth + 1) for item in items)
    return value


def _distrusted_piece(piece: str) -> str:
    return unknown(piece) if type(piece) is str else piece


REBUILT: Mapping[type, Callable[[Iterable[Any]], Any]] = {
    list: list,
    tuple: tuple,
    dict: dict,
    type({}.keys()): lambda keys: dict.fromkeys(keys).keys(),
    type({}.values()): lambda values: dict(enumerate(values)).values(),
    type({}.items()): lambda items: dict(items).items(),
}
"""How values that contain others are put together again."""
