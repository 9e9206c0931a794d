"""Whose text the result of an operation is.

What a caller gives knows its field (`values.py`); every other value is the template's. An operation that follows an
operand writes each character of it as a piece that still knows that field (`strings.py`), or returns the operand, or a
part of it, as it is. The row of an operation says which these are. Nothing else is trusted: if any other operand is
somebody's, all that would be the template's in the result is of unknown origin instead.

This covers all that a template can do. Filters, methods, functions and operators have a row each (`operations.py`);
an operator says itself what it follows (`operators.py`). Names, conditions, loops, lists and mappings make
no text: they keep values, or choose among them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import wraps
from types import EllipsisType
from typing import TYPE_CHECKING, Any

from jinja2.runtime import Undefined

from lect.plugin import unknown
from lect_jinja.engine.guard import ITEM
from lect_jinja.engine.strings import Joined, Safe, joined, safe
from lect_jinja.engine.values import INPUT_NUMBERS, InputRange, number

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from lect_jinja.engine.guard import Guard

    Operands = tuple[int | str | EllipsisType, ...]

THE_FIRST: Operands = (0,)
ALL: Operands = (0, ...)
NONE: Operands = ()
DEFAULT: Operands = (0, 1, "default", "default_value")
OTHERS: Operands = (...,)
"""Operands that an operation follows, by position and name, the receiver being 0; `...` means all but the receiver."""
OWN = frozenset({str, int, float, bool, type(None), Undefined})
"""The types of the template's own texts and numbers."""
SHORT = 8
"""Items of a list that is looked through for somebody's; a longer one counts as somebody's."""


def without_numbers(calculation: Callable[..., Any]) -> Callable[..., Any]:
    """Return an operator of the context that follows texts, but no number: a caller's number is distrusted."""

    @wraps(calculation)
    def calculate(context: Guard, left: Any, right: Any) -> Any:
        result = calculation(context, left, right)
        return distrusted(context, result) if type(left) in INPUT_NUMBERS or type(right) in INPUT_NUMBERS else result

    return calculate


def is_own(operand: Any) -> bool:
    """Return whether a value is one of the template's texts and numbers, or a list or a tuple of nothing else."""
    kind = type(operand)
    return kind in OWN or (
        kind in (list, tuple) and len(operand) <= SHORT and all(type(each) in OWN for each in operand)
    )


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
        return iter([distrusted(context, each) for each in context.counted(value, ITEM)])
    if kind in REBUILT:
        # The pairs of a mapping are a level of their own.
        if depth >= 2 * context.limits.depth:
            context.refuse("depth", "it nests values too deeply")
        # Each number becomes one that knows its field.
        context.spend(ITEM * len(value) + 1)
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
