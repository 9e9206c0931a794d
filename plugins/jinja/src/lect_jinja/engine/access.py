"""What a template looks up and calls, one row each (`operations.py`), and what it finds there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jinja2.exceptions import SecurityError
from jinja2.runtime import LoopContext, Macro, Undefined
from jinja2.utils import Namespace, object_type_repr

from lect.plugin import Input, plain_str
from lect_jinja.engine.charges import looking_up, noting, weighing
from lect_jinja.engine.guard import MAPPINGS, SCALARS, SEQUENCES
from lect_jinja.engine.methods import METHODS
from lect_jinja.engine.operations import ANY, BY_NODE, WHILE_MADE, Operation
from lect_jinja.engine.origins import ALL, distrusted
from lect_jinja.engine.statements import reached
from lect_jinja.engine.strings import TEXTS, Joined, Safe
from lect_jinja.engine.values import INPUT_NUMBERS, RANGES, InputDict, InputFloat, InputInt, InputList, InputRange

if TYPE_CHECKING:
    from collections.abc import Callable

    from lect_jinja.engine.guard import Guard

LOOP_ATTRIBUTES = frozenset({
    "index", "index0", "revindex", "revindex0", "first", "last", "length", "previtem", "nextitem", "depth", "depth0",
})  # fmt: skip
MAPPING_NAMES = frozenset(dir(dict))
PLAIN: dict[type, type] = {
    InputDict: dict,
    InputList: list,
    Input: str,
    Joined: str,
    Safe: str,
    InputInt: int,
    InputFloat: float,
    InputRange: range,
}
"""The plain type whose attributes a template may expect a value to have."""
missing = object()


class Method:
    """A method that a template names without calling it."""

    __slots__ = ("name", "receiver")

    def __init__(self, receiver: Any, name: str):
        self.receiver = receiver
        self.name = name


class Function:
    """A function that every template may call; it is given the context."""

    __slots__ = ("call",)

    def __init__(self, call: Callable[..., Any]):
        self.call = call


def attribute(context: Any, value: Any, name: str) -> Any:
    """Return `value.name`; for a mapping the item, unless a method has that name, as in Jinja2."""
    kind = type(value)
    if kind in MAPPINGS and name not in MAPPING_NAMES:
        return value[name] if name in value else Undefined(obj=value, name=name)
    if kind is Namespace:
        # Names with a leading underscore are its internals.
        found = missing if name[:1] == "_" else getattr(value, name, missing)
        return Undefined(obj=value, name=name) if found is missing else found
    if kind is LoopContext and name in LOOP_ATTRIBUTES:
        return getattr(value, name)
    if kind in METHODS and name in METHODS[kind]:
        return Method(value, name)
    if isinstance(value, Undefined):
        value._fail_with_undefined_error()
    if name[:1] == "_" or hasattr(PLAIN.get(kind, kind), name):
        msg = f"access to attribute {name!r} of {kind.__name__!r} object is unsafe."
        return Undefined(msg, name=name, obj=value, exc=SecurityError)
    return Undefined(obj=value, name=name)


def at_key(context: Any, value: Any, key: Any) -> Any:
    """Return `value[key]`; for anything but a mapping or a list, the attribute if the key is a string."""
    kind = type(value)
    try:
        if kind in MAPPINGS or kind in SEQUENCES or kind in TEXTS or kind in RANGES:
            return value[key]
    except (LookupError, TypeError):
        pass
    if isinstance(key, str):
        if kind not in MAPPINGS or key in MAPPING_NAMES:
            return attribute(context, value, plain_str(key))
        return Undefined(obj=value, name=key)
    if isinstance(value, Undefined):
        return value[key]
    if key is not None and type(key) not in SCALARS:
        # To write the key could take long.
        return Undefined(f"{object_type_repr(value)} has no element of type {type(key).__name__!r}")
    return Undefined(obj=value, name=key)


def _item(context: Guard, value: Any, key: Any) -> Any:
    found = at_key(context, value, key)
    reached(context, key, found)
    return distrusted(context, found) if type(key) in INPUT_NUMBERS else found


def _itself(context: Guard, value: Any) -> Any:
    return value


def _unpacked(context: Guard, values: Any) -> Any:
    """Return the values of `f(*values)` or `f(**values)`."""
    if type(values) in MAPPINGS:
        context.taken(values)
        return values
    return context.listed(values)


def _method(context: Guard, receiver: Any, name: str, /, *args: Any, **named: Any) -> Any:
    """Call a method of a value."""
    methods = METHODS.get(type(receiver))
    if methods is not None and name in methods:
        return methods[name](context, receiver, *args, **named)
    return _invoke(context, attribute(context, receiver, name), *args, **named)


def _invoke(context: Guard, callee: Any, /, *args: Any, **named: Any) -> Any:
    """Call what a template can call: its macros, our functions, and methods that it has named before."""
    kind = type(callee)
    if kind is Macro or kind is LoopContext:
        context.deeper()
        result = callee(*args, **named)
        context.depth -= 1
        return result
    if kind is Function:
        return callee.call(context, *args, **named)
    if kind is Method:
        return _method(context, callee.receiver, callee.name, *args, **named)
    if isinstance(callee, Undefined):
        return callee(*args, **named)
    msg = f"{kind.__name__!r} object is not callable"
    raise TypeError(msg)


ROWS: dict[str, Operation] = {
    # The name or the key is a constant.
    "attribute": Operation(attribute, {"value": ANY, "name": ANY}, BY_NODE, ALL),
    "at_key": Operation(at_key, {"value": ANY, "key": ANY}, BY_NODE, ALL),
    # A key that is a caller's number makes the result of unknown origin.
    "item": Operation(_item, {"value": ANY, "key": ANY}, looking_up, ALL),
    # A key that is about to be hashed, and compared with an equal one.
    "hashed": Operation(_itself, {"key": ANY}, weighing, ALL),
    # A list, a tuple or a mapping that the template has just put together.
    "made": Operation(_itself, {"value": ANY}, noting, ALL),
    "unpacked": Operation(_unpacked, {"values": ANY}, WHILE_MADE, ALL),
    # What is called has a row of its own, or is a macro, whose nodes are counted when it begins.
    "method": Operation(_method, {"receiver": ANY, "name": ANY}, BY_NODE, ALL),
    "invoke": Operation(_invoke, {"callee": ANY}, BY_NODE, ALL),
}


def is_same(value: Any, other: Any) -> bool:
    """Return whether two values are one object; texts and numbers need only be equal.

    Whether equal ones are one object is chance, and one that knows its field is never the template's.
    """
    kinds = {PLAIN.get(type(each), type(each)) for each in (value, other)}
    return value is other or (len(kinds) == 1 and kinds <= {str, int, float} and bool(value == other))
