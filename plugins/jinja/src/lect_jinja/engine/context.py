"""The context of a running template: its variables, its budget, and every operation that it may perform.

The code generated for a template (`codegen.py`) does nothing by itself that could take long: it asks its context, which
counts the work and follows the origin of texts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jinja2.exceptions import SecurityError
from jinja2.runtime import LoopContext, Macro, Undefined
from jinja2.utils import Namespace, object_type_repr

from lect.plugin import Input, plain_str
from lect_jinja.engine.guard import CHARACTERS, KEPT, MAPPINGS, SCALARS, SEQUENCES, Guard
from lect_jinja.engine.methods import METHODS
from lect_jinja.engine.operators import OPERATORS
from lect_jinja.engine.origins import distrusted
from lect_jinja.engine.strings import TEXTS, Joined, Safe
from lect_jinja.engine.values import INPUT_NUMBERS, RANGES, InputDict, InputFloat, InputInt, InputList, InputRange

if TYPE_CHECKING:
    from collections.abc import Callable

    from jinja2 import Environment

LOOP_ATTRIBUTES = frozenset({
    "index", "index0", "revindex", "revindex0", "first", "last", "length", "previtem", "nextitem", "depth", "depth0",
})  # fmt: skip
LONG = 1 << 12
"""Characters of a text of which it is asked how many bytes each takes."""
MOST_ADDED = 8
"""Operands of one addition: more are added in several steps, each of them checked."""


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


class GuardedContext(Guard):
    """The context of one render."""

    # Statements

    def begin(self, item: Any, cost: int) -> None:
        """Begin an iteration of a loop, or the body of a macro."""
        self.left -= cost
        if self.left < 0:
            self.spend(0)
        if self.tracked:
            self.at(item)

    def at(self, item: Any) -> None:
        """Note whose turn it is: that of the message that a loop has reached, and nobody's after the outermost loop."""
        kind = type(item)
        if kind is InputDict:
            if _is_message(item):
                self.turn = item.path[1]
        elif kind is int or kind is InputInt:
            # Inside a loop over messages, numbers are not turns.
            if self.turn is None or self._index is not None:
                self._index = item
        elif item is None:
            self.turn = self._index = None
        elif kind is dict:
            # A template may build messages of its own; they are written in the turn of their content.
            path: tuple[Any, ...] = getattr(item.get("content"), "path", ())
            if path[:1] == ("messages",):
                self.turn = path[1]

    def mark(self, start: int) -> None:
        """Note what a generation block has written since the prompt had reached `start`."""
        end = self.reached()
        if start < end:
            # Blocks inside it have ended before.
            while self.marks and self.marks[-1][0] >= start:
                self.marks.pop()
            self.marks.append((start, end))

    def captured(self, pieces: list[str]) -> str:
        """Return what the body of a macro or of a block has written."""
        return self.together(pieces)

    def defined(self, macro: Macro) -> Macro:
        """Return a macro, which is kept until the end: it can call itself, so that nothing else would free it."""
        self.spend(KEPT)
        self.macros.append(macro)
        return macro

    # Expressions

    plus = OPERATORS["plus"]
    subtract = OPERATORS["subtract"]
    multiply = OPERATORS["multiply"]
    divide = OPERATORS["divide"]
    floor_divide = OPERATORS["floor_divide"]
    power = OPERATORS["power"]
    remainder = OPERATORS["remainder"]
    contains = OPERATORS["contains"]
    sliced = OPERATORS["sliced"]

    def add(self, *values: Any) -> Any:
        """Return `a + b + ...`."""
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
            self.left -= length >> CHARACTERS
            if self.left < 0 or length > LONG:
                self.check_string(length, *values)
            if kinds is PLAIN_TEXT:
                return "".join(values)
            return self.joined(values)
        total = values[0]
        for value in values[1:]:
            total = self.plus(total, value)
        return total

    def concatenated(self, values: tuple[Any, ...]) -> str:
        """Return `a ~ b ~ ...`."""
        return self.together([value if type(value) is str else self.shown(value) for value in values])

    def together(self, texts: list[str]) -> str:
        """Join texts."""
        length = sum(map(len, texts))
        if self.tracked or length > min(LONG, self._longest):
            self.check_string(length, *texts)
            return self.joined(texts) if self.tracked else "".join(texts)
        # So short a text may be created before it is paid for: then it says itself how many bytes a character takes.
        text = "".join(texts)
        self.left -= (length if text.isascii() else 2 * length) >> CHARACTERS
        if self.left < 0:
            self.spend(0)
        return text

    def unpacked(self, values: Any) -> Any:
        """Return the values of `f(*values)` or `f(**values)`."""
        if type(values) in MAPPINGS:
            self.taken(values)
            return values
        return self.listed(values)

    def item(self, values: Any, key: Any) -> Any:
        """Return `values[key]` for a key that is not a constant."""
        if type(key) not in SCALARS:
            self.spend(self.weight(key))
        value = item_of(self.environment, values, key)
        if key == self._index and type(value) is InputDict and _is_message(value):
            # A template that loops over the numbers of messages reaches a message when it looks it up.
            self.at(value)
        return distrusted(self, value) if type(key) in INPUT_NUMBERS else value

    # Calls

    def method(self, receiver: Any, name: str, /, *args: Any, **named: Any) -> Any:
        """Call a method of a value."""
        methods = METHODS.get(type(receiver))
        if methods is not None and name in methods:
            return methods[name](self, receiver, *args, **named)
        return self.invoke(self.environment.getattr(receiver, name), *args, **named)

    def invoke(self, callee: Any, /, *args: Any, **named: Any) -> Any:
        """Call what a template can call: its macros, our functions, and methods that it has named before."""
        kind = type(callee)
        if kind is Macro or kind is LoopContext:
            if self._depth >= self.limits.depth:
                self.refuse("depth", "its macros call each other too deeply")
            self._depth += 1
            result = callee(*args, **named)
            self._depth -= 1
            return result
        if kind is Function:
            return callee.call(self, *args, **named)
        if kind is Method:
            return self.method(callee.receiver, callee.name, *args, **named)
        if isinstance(callee, Undefined):
            return callee(*args, **named)
        msg = f"{kind.__name__!r} object is not callable"
        raise TypeError(msg)


def _is_message(value: InputDict) -> bool:
    return len(value.path) == 2 and value.path[0] == "messages"


PLAIN_TEXT = frozenset({str})
FOLLOWED = frozenset({str, Input, Joined})


def attribute_of(environment: Environment, value: Any, name: str) -> Any:
    """Return `value.name`; for a mapping the item, unless a method has that name, as in Jinja2."""
    kind = type(value)
    if kind in MAPPINGS and name not in MAPPING_NAMES:
        return value[name] if name in value else environment.undefined(obj=value, name=name)
    if kind is Namespace:
        # Names with a leading underscore are its internals.
        found = missing if name[:1] == "_" else getattr(value, name, missing)
        return environment.undefined(obj=value, name=name) if found is missing else found
    if kind is LoopContext and name in LOOP_ATTRIBUTES:
        return getattr(value, name)
    if kind in METHODS and name in METHODS[kind]:
        return Method(value, name)
    if isinstance(value, Undefined):
        value._fail_with_undefined_error()
    if name[:1] == "_" or hasattr(PLAIN.get(kind, kind), name):
        return environment.undefined(
            f"access to attribute {name!r} of {kind.__name__!r} object is unsafe.",
            name=name,
            obj=value,
            exc=SecurityError,
        )
    return environment.undefined(obj=value, name=name)


def item_of(environment: Environment, value: Any, key: Any) -> Any:
    """Return `value[key]`; for anything but a mapping or a list, the attribute if the key is a string."""
    kind = type(value)
    try:
        if kind in MAPPINGS or kind in SEQUENCES or kind in TEXTS or kind in RANGES:
            return value[key]
    except (LookupError, TypeError):
        pass
    if isinstance(key, str):
        return (
            attribute_of(environment, value, plain_str(key))
            if kind not in MAPPINGS or key in MAPPING_NAMES
            else environment.undefined(obj=value, name=key)
        )
    if isinstance(value, Undefined):
        return value[key]
    if key is not None and type(key) not in SCALARS:
        # To write the key could take long.
        return environment.undefined(f"{object_type_repr(value)} has no element of type {type(key).__name__!r}")
    return environment.undefined(obj=value, name=key)


missing = object()
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


def is_same(value: Any, other: Any) -> bool:
    """Return whether two values are one object; texts and numbers need only be equal.

    Whether equal ones are one object is chance, and one that knows its field is never the template's.
    """
    kinds = {PLAIN.get(type(each), type(each)) for each in (value, other)}
    return value is other or (len(kinds) == 1 and kinds <= {str, int, float} and bool(value == other))
