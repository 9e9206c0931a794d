"""The methods that a template may call, by the type of the receiver. There are no others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jinja2.runtime import LoopContext

from lect.plugin import Input
from lect_jinja.engine import strings
from lect_jinja.engine.charges import (
    by_key,
    compared_everywhere,
    filling,
    joining,
    letters,
    lines,
    padded,
    replaced,
    searched,
    shallow,
    split,
    weights,
)
from lect_jinja.engine.formatting import braces
from lect_jinja.engine.operations import ANY, COUNT, TEXT, VALUES, WHOLE, Operation, WhileMade, called, without_context
from lect_jinja.engine.origins import ALL, NONE, OTHERS, THE_FIRST
from lect_jinja.engine.strings import Joined, Safe, safe
from lect_jinja.engine.values import InputDict, InputList

if TYPE_CHECKING:
    from collections.abc import Callable

    from lect_jinja.engine.guard import Guard

    Function = Callable[..., Any]


def _on_text(function: Function) -> Function:
    """Return a string function as a method: a safe text stays safe."""

    def method(context: Guard, text: str, *args: Any, **named: Any) -> Any:
        if type(text) is not Safe:
            return function(text, *args, **named)
        result = function(strings.joined(text.pieces), *args, **named)
        return safe(strings.pieces_of(result)) if isinstance(result, str) else result

    return method


ALONE = {"text": ANY}
SEARCHED = {"text": ANY, "sub": ANY, "start": COUNT, "end": COUNT}
PARTED = {"text": ANY, "sep": TEXT, "maxsplit": WHOLE}
FILLED = {"text": ANY, "width": WHOLE, "fill": TEXT}
TEXT_ROWS: dict[str, Operation] = {
    **{
        name: Operation(_on_text(getattr(strings, name)), {"text": ANY, "chars": TEXT}, compared_everywhere, THE_FIRST)
        for name in ("strip", "lstrip", "rstrip")
    },
    "removeprefix": Operation(_on_text(strings.removeprefix), {"text": ANY, "prefix": TEXT}, weights, THE_FIRST),
    "removesuffix": Operation(_on_text(strings.removesuffix), {"text": ANY, "suffix": TEXT}, weights, THE_FIRST),
    "split": Operation(without_context(strings.split), PARTED, split(searched), THE_FIRST),
    "rsplit": Operation(without_context(strings.rsplit), PARTED, split(compared_everywhere), THE_FIRST),
    "splitlines": Operation(without_context(strings.splitlines), {"text": ANY, "keepends": ANY}, lines, THE_FIRST),
    "partition": Operation(_on_text(strings.partition), {"text": ANY, "sep": TEXT}, searched, THE_FIRST),
    "rpartition": Operation(_on_text(strings.rpartition), {"text": ANY, "sep": TEXT}, compared_everywhere, THE_FIRST),
    "replace": Operation(
        without_context(strings.replace),
        {"text": ANY, "old": TEXT, "new": TEXT, "count": WHOLE},
        replaced,
        (0, 2, "new"),
    ),
    "join": Operation(without_context(strings.join), {"between": ANY, "texts": VALUES}, joining, (0, 1)),
    "format": Operation(braces, {"form": ANY}, WhileMade(filling("{}")), OTHERS),
    "ljust": Operation(without_context(strings.ljust), FILLED, padded, THE_FIRST),
    "rjust": Operation(without_context(strings.rjust), FILLED, padded, THE_FIRST),
    "center": Operation(without_context(str.center), FILLED, padded, NONE),
    "zfill": Operation(without_context(str.zfill), FILLED, padded, NONE),
    **{
        name: Operation(_on_text(strings.letter_by_letter(getattr(str, name))), ALONE, letters, THE_FIRST)
        for name in ("upper", "lower", "title", "capitalize", "swapcase", "casefold")
    },
    # A count or a place: digits, never a character of the text.
    **{
        name: Operation(_on_text(getattr(str, name)), SEARCHED, searched, THE_FIRST)
        for name in ("find", "index", "count")
    },
    **{
        name: Operation(_on_text(getattr(str, name)), SEARCHED, compared_everywhere, THE_FIRST)
        for name in ("rfind", "rindex")
    },
    **{name: Operation(_on_text(getattr(str, name)), SEARCHED, weights, NONE) for name in ("startswith", "endswith")},
    **{
        name: Operation(_on_text(getattr(str, name)), ALONE, weights, NONE)
        for name in dir(str)
        if name.startswith("is") and name != "isidentifier"
    },
}


def _items(context: Guard, mapping: dict[str, Any]) -> Any:
    return mapping.items()


def _values(context: Guard, mapping: dict[str, Any]) -> Any:
    return mapping.values()


def _keys(context: Guard, mapping: dict[str, Any]) -> Any:
    return mapping.keys()


def _get(context: Guard, mapping: dict[str, Any], key: Any, default: Any = None) -> Any:
    return mapping.get(key, default)


def _copied(context: Guard, values: Any) -> Any:
    return dict(values) if isinstance(values, dict) else list(values)


def _index(context: Guard, values: list[Any], value: Any, *bounds: int) -> int:
    return values.index(value, *bounds)


def _count(context: Guard, values: list[Any], value: Any) -> int:
    return values.count(value)


def _cycle(context: Guard, loop: LoopContext, *values: Any) -> Any:
    return loop.cycle(*values)


def _changed(context: Guard, loop: LoopContext, *values: Any) -> bool:
    return loop.changed(*values)


MAPPING_ROWS: dict[str, Operation] = {
    "items": Operation(_items, {"mapping": ANY}, shallow, THE_FIRST),
    "values": Operation(_values, {"mapping": ANY}, shallow, THE_FIRST),
    "keys": Operation(_keys, {"mapping": ANY}, shallow, THE_FIRST),
    "get": Operation(_get, {"mapping": ANY, "key": ANY, "default": ANY}, by_key, ALL),
    "copy": Operation(_copied, {"mapping": ANY}, shallow, THE_FIRST),
}
LIST_ROWS: dict[str, Operation] = {
    "index": Operation(_index, {"values": ANY, "value": ANY, "start": COUNT, "stop": COUNT}, weights, THE_FIRST),
    "count": Operation(_count, {"values": ANY, "value": ANY}, weights, THE_FIRST),
    "copy": Operation(_copied, {"values": ANY}, shallow, THE_FIRST),
}
LOOP_ROWS: dict[str, Operation] = {
    "cycle": Operation(_cycle, {"loop": ANY}, weights, ALL),
    "changed": Operation(_changed, {"loop": ANY}, weights, NONE),
}


def _methods(rows: dict[str, Operation]) -> dict[str, Function]:
    return {name: called(name, row) for name, row in rows.items()}


TEXT_METHODS = _methods(TEXT_ROWS)
METHODS: dict[type, dict[str, Function]] = {
    kind: methods
    for methods, kinds in (
        (TEXT_METHODS, (str, Input, Joined, Safe)),
        (_methods(MAPPING_ROWS), (dict, InputDict)),
        (_methods(LIST_ROWS), (list, InputList)),
        (_methods(LOOP_ROWS), (LoopContext,)),
    )
    for kind in kinds
}
