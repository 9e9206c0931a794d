"""The methods that a template may call, by the type of the receiver. There are no others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lect.plugin import Input
from lect_jinja import strings
from lect_jinja.formatting import braces
from lect_jinja.strings import Joined, Safe, followed, safe
from lect_jinja.values import InputDict, InputList

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from lect_jinja.guard import Guard

    Function = Callable[..., Any]


def _on_text(function: Function) -> Function:
    """Return a string function as a method: its work is proportional to the text, and a safe text stays safe."""

    def method(context: Guard, text: str, *args: Any, **named: Any) -> Any:
        context.go_through(text)
        if type(text) is not Safe:
            return function(text, *args, **named)
        result = function(strings.joined(text.pieces), *args, **named)
        return safe(strings.pieces_of(result)) if isinstance(result, str) else result

    return method


def _replace(context: Guard, text: str, old: str, new: str, count: int = -1) -> str:
    found = str.count(text, old)
    times = found if count < 0 else min(found, count)
    context.check_string(len(text) + max(len(new) - len(old), 0) * times)
    context.go_through(text)
    context.spend(times)
    return strings.replace(text, old, new, count)


def _split(function: Function) -> Function:
    def method(context: Guard, text: str, *args: Any, **named: Any) -> Any:
        context.go_through(text)
        parts = function(text, *args, **named)
        context.spend(len(parts))
        return parts

    return method


def _join(context: Guard, between: str, texts: Iterable[str]) -> str:
    parts = context.listed(texts)
    context.check_string(sum(len(part) for part in parts if isinstance(part, str)) + len(between) * len(parts))
    text = strings.join(between, parts)
    context.spend(len(strings.pieces_of(text)))
    return text


def _padded(function: Function) -> Function:
    def method(context: Guard, text: str, width: int, *fill: str) -> Any:
        context.check_string(width)
        context.go_through(text)
        return function(text, width, *fill)

    return method


def _center(text: str, width: int, *fill: str) -> str:
    return followed(str.center(text, width, *fill), text, *fill)


def _zfill(text: str, width: int) -> str:
    return followed(str.zfill(text, width), text)


TEXT_METHODS: dict[str, Function] = {
    "strip": _on_text(strings.strip),
    "lstrip": _on_text(strings.lstrip),
    "rstrip": _on_text(strings.rstrip),
    "removeprefix": _on_text(strings.removeprefix),
    "removesuffix": _on_text(strings.removesuffix),
    "split": _split(strings.split),
    "rsplit": _split(strings.rsplit),
    "splitlines": _split(strings.splitlines),
    "partition": _on_text(strings.partition),
    "rpartition": _on_text(strings.rpartition),
    "replace": _replace,
    "join": _join,
    "format": braces,
    "ljust": _padded(strings.ljust),
    "rjust": _padded(strings.rjust),
    "center": _padded(_center),
    "zfill": _padded(_zfill),
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


def _items(context: Guard, mapping: dict[str, Any]) -> Any:
    context.spend(len(mapping))
    return mapping.items()


def _values(context: Guard, mapping: dict[str, Any]) -> Any:
    context.spend(len(mapping))
    return mapping.values()


def _keys(context: Guard, mapping: dict[str, Any]) -> Any:
    context.spend(len(mapping))
    return mapping.keys()


def _get(context: Guard, mapping: dict[str, Any], key: Any, default: Any = None) -> Any:
    context.hashed(key)
    return mapping.get(key, default)


def _copied(context: Guard, values: Any) -> Any:
    context.spend(len(values))
    return dict(values) if isinstance(values, dict) else list(values)


def _index(context: Guard, values: list[Any], value: Any, *bounds: int) -> int:
    context.weigh(values)
    return values.index(value, *bounds)


def _count(context: Guard, values: list[Any], value: Any) -> int:
    context.weigh(values)
    return values.count(value)


MAPPING_METHODS: dict[str, Function] = {"items": _items, "values": _values, "keys": _keys, "get": _get, "copy": _copied}
LIST_METHODS: dict[str, Function] = {"index": _index, "count": _count, "copy": _copied}
METHODS: dict[type, dict[str, Function]] = {
    str: TEXT_METHODS,
    Input: TEXT_METHODS,
    Joined: TEXT_METHODS,
    Safe: TEXT_METHODS,
    dict: MAPPING_METHODS,
    InputDict: MAPPING_METHODS,
    list: LIST_METHODS,
    InputList: LIST_METHODS,
}
