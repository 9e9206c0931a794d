"""Objects with `model_dump()`, such as pydantic's and those of the openai client, as messages and tools.

`plain_messages` and `plain_tools` return a message, a tool, or a list of them, without objects; `dumped` reads one.
"""

from collections.abc import Mapping, Sequence
from typing import Any

__all__ = ["dumped", "plain_messages", "plain_tools"]

Below = Mapping[str, "Below"]
"""The fields in which there may be objects too, and what may be below those."""
MESSAGE: Below = {"content": {}, "tool_calls": {"function": {"arguments": {}}, "arguments": {}}}
TOOL: Below = {"function": {"parameters": {}}, "parameters": {}}


def plain_messages(messages: Any) -> Any:
    """Return a message, or a list of them, without objects; the same value if there are none."""
    return _plain(messages, MESSAGE)


def plain_tools(tools: Any) -> Any:
    """Return a tool, or a list of them, without objects; the same value if there are none.

    An object has all fields of its class. Those that are None are left out, and `type` comes first, as in training.
    """
    return _plain(tools, TOOL, are_tools=True)


def dumped(value: Any) -> Any:
    """Return what an object dumps; any other value, and an object that does not dump a mapping, as it is."""
    # Asked of the type: an instance may make up attributes.
    if type(value) is dict or not callable(getattr(type(value), "model_dump", None)):
        return value
    try:
        fields = value.model_dump()
    except Exception:  # a caller's class may raise anything; the object is refused where a mapping is expected
        return value
    return fields if isinstance(fields, Mapping) else value


def _plain(value: Any, below: Below, *, are_tools: bool = False) -> Any:
    # Exact types come first: to check an abstract class takes many times as long, and nearly all requests are plain.
    if type(value) is str or value is None:
        return value
    if type(value) is not list and (not isinstance(value, Sequence) or isinstance(value, str | bytes | bytearray)):
        return _plain_item(value, below, are_tools=are_tools)
    items, is_plain = [], True
    for item in value:
        plain = item if type(item) is dict and not below else _plain_item(item, below, are_tools=are_tools)
        if type(plain) is not dict and not isinstance(plain, Mapping):
            return value  # It is refused where a mapping is expected, and the others need not be read.
        is_plain = is_plain and plain is item
        items.append(plain)
    return value if is_plain else items


def _plain_item(value: Any, below: Below, *, are_tools: bool) -> Any:
    fields = value if type(value) is dict else dumped(value)
    if type(fields) is not dict and not isinstance(fields, Mapping):
        return fields
    if fields is not value and are_tools:
        fields = _as_tool(fields, below)
    found = {}
    for name, deeper in below.items():
        if (field := fields.get(name)) is not None and type(field) is not str:
            plain = _plain(field, deeper, are_tools=are_tools)
            if plain is not field:
                found[name] = plain
    return {**fields, **found} if found else fields


def _as_tool(fields: Mapping[str, Any], below: Below) -> dict[str, Any]:
    """Return a dumped tool as people write it, also the function in it; its schema is left alone."""
    return {
        name: _as_tool(fields[name], below[name])
        if below.get(name) and isinstance(fields[name], Mapping)
        else fields[name]
        for name in sorted(fields, key=lambda name: name != "type")
        if fields[name] is not None
    }
