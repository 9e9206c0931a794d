"""The operators of a template, one row each (`operations.py`).

Texts in a result keep their origin, and no number does: what is calculated with a caller's number is distrusted. A
constant number is added, and a constant compared, by the generated code itself.
"""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

from lect.plugin import Input
from lect_jinja.engine.charges import (
    adding,
    calculating,
    comparing,
    containing,
    modulo,
    multiplying,
    raising,
    slicing,
)
from lect_jinja.engine.formatting import percent
from lect_jinja.engine.guard import CHARACTERS, MAPPINGS, SEQUENCES
from lect_jinja.engine.operations import ANY, WHILE_MADE, Operation, WhileMade, without_context
from lect_jinja.engine.origins import ALL, distrusted, without_numbers
from lect_jinja.engine.strings import TEXTS, Joined, Safe, joined, pieces_of, repeat
from lect_jinja.engine.values import INPUT_NUMBERS

if TYPE_CHECKING:
    from lect_jinja.engine.guard import Guard

HELD = MAPPINGS | TEXTS | SEQUENCES
"""What is searched as it is; anything else is gone through first."""
LONG = 1 << 12
"""Characters of a text of which it is asked how many bytes each takes."""
PLAIN_TEXT = frozenset({str})
FOLLOWED = frozenset({str, Input, Joined})


def _plus(context: Guard, left: Any, right: Any) -> Any:
    if isinstance(left, str) and isinstance(right, str):
        if isinstance(left, Safe) or isinstance(right, Safe):
            return right.__radd__(left) if not isinstance(left, Safe) else left + right  # type: ignore[attr-defined]
        return joined((*pieces_of(left), *pieces_of(right)))
    return _bounded(context, left + right)


def _subtract(context: Guard, left: Any, right: Any) -> Any:
    return _bounded(context, left - right)


def _bounded(context: Guard, value: Any) -> Any:
    if isinstance(value, int) and value.bit_length() > context.limits.bits:
        context.refuse("bits", f"it creates an integer of {value.bit_length():,} bits")
    return value


def _multiply(context: Guard, left: Any, right: Any) -> Any:
    if isinstance(left, int) and not isinstance(right, int):
        left, right = right, left
    return repeat(left, right) if isinstance(left, str) and isinstance(right, int) else left * right


def _remainder(context: Guard, left: Any, right: Any) -> Any:
    """Return `left % right`; for a text, the text with values filled in, which follows them itself."""
    if not isinstance(left, str):
        return _modulo(context, left, right)
    text = percent(context, left, right)
    return text if type(left) is str else distrusted(context, text)


_modulo = without_numbers(without_context(operator.mod))


def _contains(context: Guard, value: Any, values: Any) -> bool:
    if type(values) not in HELD:
        values = context.listed(values)
        context.spend(context.weight(values))
    return value in values


def _sliced(context: Guard, values: Any, key: slice) -> Any:
    found = values[key]
    if context.tracked and not INPUT_NUMBERS.isdisjoint((type(key.start), type(key.stop), type(key.step))):
        return distrusted(context, found)
    return found


def _add(context: Guard, *values: Any) -> Any:
    """Return `a + b + ...`. Texts, which are most of what is added, are joined at once."""
    length = 0
    kinds = PLAIN_TEXT
    for value in values:
        if type(value) is not str:
            if type(value) not in FOLLOWED:
                break
            kinds = FOLLOWED
        length += len(value)
    else:
        # As `check_string` does.
        context.left -= length >> CHARACTERS
        if context.left < 0 or length > LONG:
            context.check_string(length, *values)
        return "".join(values) if kinds is PLAIN_TEXT else context.joined(values)
    total = values[0]
    for value in values[1:]:
        total = context.plus(total, value)
    return total


def _concatenated(context: Guard, values: tuple[Any, ...]) -> str:
    """Return `a ~ b ~ ...`."""
    return together(context, [value if type(value) is str else context.shown(value) for value in values])


def together(context: Guard, texts: list[str]) -> str:
    """Join texts."""
    length = sum(map(len, texts))
    if context.tracked or length > min(LONG, context.longest):
        context.check_string(length, *texts)
        return context.joined(texts) if context.tracked else "".join(texts)
    # So short a text may be created before it is paid for: then it says itself how many bytes a character takes.
    text = "".join(texts)
    context.left -= (length if text.isascii() else 2 * length) >> CHARACTERS
    if context.left < 0:
        context.spend(0)
    return text


TWO = {"left": ANY, "right": ANY}
ROWS: dict[str, Operation] = {
    "add": Operation(_add, {}, WHILE_MADE, ALL),
    "plus": Operation(without_numbers(_plus), TWO, adding, ALL),
    "subtract": Operation(without_numbers(_subtract), TWO, calculating, ALL),
    "multiply": Operation(without_numbers(_multiply), TWO, multiplying, ALL),
    "divide": Operation(without_numbers(without_context(operator.truediv)), TWO, calculating, ALL),
    "floor_divide": Operation(without_numbers(without_context(operator.floordiv)), TWO, calculating, ALL),
    "power": Operation(without_numbers(without_context(operator.pow)), TWO, raising, ALL),
    "remainder": Operation(_remainder, TWO, WhileMade(modulo), ALL),
    "concatenated": Operation(_concatenated, {"values": ANY}, WHILE_MADE, ALL),
    # By Jinja2's names; true and false have no origin.
    "eq": Operation(lambda _, left, right: left == right, TWO, comparing, ALL),
    "ne": Operation(lambda _, left, right: left != right, TWO, comparing, ALL),
    "lt": Operation(lambda _, left, right: left < right, TWO, comparing, ALL),
    "lteq": Operation(lambda _, left, right: left <= right, TWO, comparing, ALL),
    "gt": Operation(lambda _, left, right: left > right, TWO, comparing, ALL),
    "gteq": Operation(lambda _, left, right: left >= right, TWO, comparing, ALL),
    "contains": Operation(_contains, {"value": ANY, "values": ANY}, WhileMade(containing), ALL),
    "sliced": Operation(_sliced, {"values": ANY, "key": ANY}, slicing, ALL),
}
