"""Reading tools: fields of a wrong type are refused here, by name, so that no family has to check them.

Only the fields that templates take apart are checked; everything else in a schema is the caller's JSON.
"""

from collections.abc import Mapping
from marshal import dumps
from typing import Any

from lect.prompt.fields import is_list, is_list_of, spell, wrong
from lect.prompt.limits import DEFAULT, Limits
from lect.prompt.messages import expect_tools
from lect.values import EQUAL_BYTES, Path

Raw = Mapping[str, Any]
Texts = dict[tuple[Any, ...], str]
"""JSON texts by what they say, and the style in which it is written: together as long as the tools, in each style."""

NOTHING = type(None)
COMBINED = ("oneOf", "anyOf", "allOf")
KINDS: dict[str, tuple[str, tuple[type, ...]]] = {
    "name": ("text", (str,)),
    "description": ("text", (str, NOTHING)),
    "parameters": ("a schema such as {'type': 'object', 'properties': {...}}", (Mapping, NOTHING)),
    "response": ("a schema", (Mapping, NOTHING)),
    "type": ("the name of a type, or a list of names", (str, list, tuple, NOTHING)),
    "properties": ("a mapping of names to schemas", (Mapping, NOTHING)),
    "required": ("a list of names", (list, tuple, NOTHING)),
    "enum": ("a list of values", (list, tuple, NOTHING)),
    **dict.fromkeys(COMBINED, ("a list of schemas", (list, tuple, NOTHING))),
}
"""What the fields of a function and of a schema must be."""


_known: dict[tuple[bytes, int], Texts] = {}
LARGEST, MOST = 512 * 1024, 4 * 2**20
"""Bytes of the tools that are remembered: of one list, and of all. Agents give up to 100 kB with every request."""


def read_tools(tools: Any, limits: Limits = DEFAULT) -> tuple[tuple[Raw, ...], tuple[bytes, Texts]]:
    """Check tool schemas; return them, their bytes if they are remembered, and the texts written of equal ones."""
    expect_tools(tools)
    try:
        data = dumps(tools, EQUAL_BYTES)
    except ValueError:
        data = b""
    data = data if len(data) <= LARGEST else b""
    key = data, limits.depth
    texts = _known.get(key) if data else None
    if texts is None:
        _check(tools, limits)
        texts = {}
        if data:
            # Threads that do this at the same time may exceed the bound by one list each.
            if sum(len(each) for each, _ in [*_known]) + len(data) > MOST:
                _known.clear()
            _known[key] = texts
    return tuple(tools), (data, texts)


def _check(tools: Any, limits: Limits) -> None:
    for index, tool in enumerate(tools):
        path: Path = ("tools", index)
        example = 'a schema such as {"type": "function", "function": {"name": ..., "parameters": {...}}}'
        if not isinstance(tool, Mapping):
            wrong(spell(path), tool, example)
        limits.check_value(tool, path)
        function = tool
        if "function" in tool:
            function, path = tool["function"], (*path, "function")
            if not isinstance(function, Mapping):
                wrong(spell(path), function, 'a mapping such as {"name": ..., "parameters": {...}}')
        _check_fields(function, path, ("name", "description", "parameters", "response"))
        for field in ("parameters", "response"):
            if function.get(field):
                _check_schema(function[field], (*path, field))


def _check_schema(schema: Raw, path: Path) -> None:
    _check_fields(schema, path, ("description", "type", "properties", "required", "enum", *COMBINED))
    for field in ("required", "type"):
        if is_list(schema.get(field)) and not is_list_of(str, schema[field]):
            wrong(f"{spell(path)}.{field}", schema[field], KINDS[field][0])
    for name, each in (schema.get("properties") or {}).items():
        _check_inner(each, (*path, "properties", name))
    for field in COMBINED:
        for index, each in enumerate(schema.get(field) or ()):
            _check_inner(each, (*path, field, index))
    if "items" in schema and not is_list(schema["items"]):
        _check_inner(schema["items"], (*path, "items"))


def _check_inner(schema: Any, path: Path) -> None:
    # In JSON Schema, `true` is a schema that allows anything.
    if isinstance(schema, Mapping):
        _check_schema(schema, path)
    elif not (schema is None or isinstance(schema, bool)):
        wrong(spell(path), schema, "a schema such as {'type': 'string'}")


def _check_fields(fields: Raw, path: Path, names: tuple[str, ...]) -> None:
    for name in names:
        wanted, kinds = KINDS[name]
        if name in fields and not isinstance(fields[name], kinds):
            wrong(f"{spell(path)}.{name}", fields[name], wanted)
