"""The operators of a template, one row each, as for all that it can call (`operations.py`).

Texts in a result keep their origin, and no number does: what is calculated with a caller's number is distrusted. What
the generated code does without a row is in `codegen.py`: it compares with constants, and adds a constant number.
"""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

from lect_jinja.engine.charges import adding, calculating, containing, modulo, multiplying, raising, slicing
from lect_jinja.engine.formatting import percent
from lect_jinja.engine.guard import MAPPINGS, SEQUENCES
from lect_jinja.engine.operations import ANY, Operation, without_context
from lect_jinja.engine.origins import ALL, distrusted, without_numbers
from lect_jinja.engine.strings import TEXTS, Safe, repeat
from lect_jinja.engine.values import INPUT_NUMBERS

if TYPE_CHECKING:
    from lect_jinja.engine.guard import Guard
    from lect_jinja.engine.operations import Function

HELD = MAPPINGS | TEXTS | SEQUENCES
"""What is searched as it is; anything else is gone through first."""


def _plus(context: Guard, left: Any, right: Any) -> Any:
    if isinstance(left, str) and isinstance(right, str):
        if isinstance(left, Safe) or isinstance(right, Safe):
            return right.__radd__(left) if not isinstance(left, Safe) else left + right  # type: ignore[attr-defined]
        return context.joined((left, right))
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
    context.check_string(len(text))
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


TWO = {"left": ANY, "right": ANY}
ROWS: dict[str, Operation] = {
    "plus": Operation(without_numbers(_plus), TWO, adding, ALL),
    "subtract": Operation(without_numbers(_subtract), TWO, calculating, ALL),
    "multiply": Operation(without_numbers(_multiply), TWO, multiplying, ALL),
    "divide": Operation(without_numbers(without_context(operator.truediv)), TWO, calculating, ALL),
    "floor_divide": Operation(without_numbers(without_context(operator.floordiv)), TWO, calculating, ALL),
    "power": Operation(without_numbers(without_context(operator.pow)), TWO, raising, ALL),
    "remainder": Operation(_remainder, TWO, modulo, ALL),
    "contains": Operation(_contains, {"value": ANY, "values": ANY}, containing, ALL),
    "sliced": Operation(_sliced, {"values": ANY, "key": ANY}, slicing, ALL),
}


def _called(row: Operation) -> Function:
    """Return what `called` returns, for two operands of any type whose origin the operator follows itself."""
    run, _, cost, _ = row
    assert callable(cost)

    def call(context: Guard, left: Any, right: Any) -> Any:
        work = cost(context, left, right)
        context.left -= work
        if context.left < 0:
            context.spend(0)
        return run(context, left, right)

    return call


OPERATORS = {name: _called(row) for name, row in ROWS.items()}
