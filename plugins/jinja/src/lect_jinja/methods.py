"""The methods that a template may call, by the type of the receiver. There are no others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jinja2.runtime import LoopContext

from lect.plugin import Input
from lect_jinja import strings
from lect_jinja.charges import LIST_COSTS, MAPPING_COSTS, TEXT_COSTS, charged
from lect_jinja.formatting import braces
from lect_jinja.origins import distrusting
from lect_jinja.strings import Joined, Safe, safe
from lect_jinja.values import InputDict, InputList

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from lect_jinja.guard import Guard

    Function = Callable[..., Any]


def _on_text(function: Function) -> Function:
    """Return a string function as a method: a safe text stays safe."""

    def method(context: Guard, text: str, *args: Any, **named: Any) -> Any:
        if type(text) is not Safe:
            return function(text, *args, **named)
        result = function(strings.joined(text.pieces), *args, **named)
        return safe(strings.pieces_of(result)) if isinstance(result, str) else result

    return method


def _without_context(function: Function) -> Function:
    def method(context: Guard, text: str, *args: Any, **named: Any) -> Any:
        return function(text, *args, **named)

    return method


def _join(context: Guard, between: str, texts: Iterable[str]) -> str:
    parts = context.listed(texts)
    context.check_string(sum(len(part) for part in parts if isinstance(part, str)) + len(between) * len(parts))
    context.spend(sum(map(context.weight, parts)) + context.weight(between) * len(parts))
    return strings.join(between, parts)


TEXT_METHODS: dict[str, Function] = {
    "strip": _on_text(strings.strip),
    "lstrip": _on_text(strings.lstrip),
    "rstrip": _on_text(strings.rstrip),
    "removeprefix": _on_text(strings.removeprefix),
    "removesuffix": _on_text(strings.removesuffix),
    "split": _without_context(strings.split),
    "rsplit": _without_context(strings.rsplit),
    "splitlines": _without_context(strings.splitlines),
    "partition": _on_text(strings.partition),
    "rpartition": _on_text(strings.rpartition),
    "replace": _without_context(strings.replace),
    "join": _join,
    "format": braces,
    "ljust": _without_context(strings.ljust),
    "rjust": _without_context(strings.rjust),
    "center": _without_context(str.center),
    "zfill": _without_context(str.zfill),
    **{
        name: _on_text(strings.letter_by_letter(getattr(str, name)))
        for name in ("upper", "lower", "title", "capitalize", "swapcase", "casefold")
    },
    **{
        name: _on_text(getattr(str, name))
        for name in (
            "startswith", "endswith", "find", "rfind", "index", "rindex", "count", "isalnum", "isalpha", "isascii",
            "isdecimal", "isdigit", "islower", "isnumeric", "isprintable", "isspace", "istitle", "isupper",
        )
    },
}  # fmt: skip
TEXT_METHODS = charged(TEXT_METHODS, TEXT_COSTS)


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


MAPPING_METHODS = charged(
    {"items": _items, "values": _values, "keys": _keys, "get": _get, "copy": _copied}, MAPPING_COSTS
)
LIST_METHODS = charged({"index": _index, "count": _count, "copy": _copied}, LIST_COSTS)
LOOP_METHODS = charged({"cycle": _cycle, "changed": _changed}, {})
METHODS: dict[type, dict[str, Function]] = {
    kind: {name: distrusting(name, method) for name, method in methods.items()}
    for methods, kinds in (
        (TEXT_METHODS, (str, Input, Joined, Safe)),
        (MAPPING_METHODS, (dict, InputDict)),
        (LIST_METHODS, (list, InputList)),
        (LOOP_METHODS, (LoopContext,)),
    )
    for kind in kinds
}
