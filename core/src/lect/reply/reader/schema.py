"""What the tools' schemas say about a parameter."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from lect.errors import MessageError, saferepr
from lect.objects import dumped

KINDS = {
    str: "string",
    bool: "boolean",
    int: "integer",
    float: "number",
    dict: "object",
    list: "array",
    type(None): "null",
}
ALL = frozenset(KINDS.values())
DEEPEST = 16
"""How far references and unions are followed: a schema may refer to itself."""
UNIONS = ("anyOf", "oneOf", "allOf")
STRING = frozenset({"string"})
OBJECT = frozenset({"object"})


class Schemas:
    """The tools that a model may call: OpenAI tool schemas, or the function objects in them."""

    def __init__(self, tools: Sequence[Mapping[str, Any]] | None):
        self.known: dict[str, Mapping[str, Any]] = {}
        if tools is None:
            return
        if isinstance(tools, str | bytes | Mapping) or not isinstance(tools, Sequence):
            msg = f"tools is {saferepr(tools)}; expected a list of tool schemas"
            raise MessageError(msg)
        for index, tool in enumerate(map(dumped, tools)):
            function = dumped(tool.get("function") or tool) if isinstance(tool, Mapping) else None
            if not isinstance(function, Mapping) or not isinstance(function.get("name"), str):
                msg = (
                    f"tools[{index}] is {saferepr(tool)}; expected a schema such as {{'name': ..., 'parameters': "
                    "{...}}, in 'function' or not"
                )
                raise MessageError(msg)
            parameters = dumped(function.get("parameters"))
            self.known[function["name"]] = parameters if isinstance(parameters, Mapping) else {}

    def parameters(self, name: str) -> Mapping[str, Any]:
        properties = self.known.get(name, {}).get("properties")
        return properties if isinstance(properties, Mapping) else {}

    def only_tool_for(self, arguments: str) -> str | None:
        """Return the one tool that takes these arguments, given as JSON; None if there is none, or several."""
        members, _ = read_json(arguments)
        if not isinstance(members, dict):
            return None
        keys = set(members)
        fitting = [name for name in self.known if self._required(name) <= keys <= self.parameters(name).keys()]
        return fitting[0] if len(fitting) == 1 else None

    def _required(self, name: str) -> set[Any]:
        required = self.known[name].get("required")
        return {key for key in required if isinstance(key, str)} if isinstance(required, list | tuple) else set()

    def types(self, name: str, key: str) -> frozenset[str]:
        """Return the JSON types that a parameter may have; an empty set if nothing is known about it."""
        return types_of(self.parameters(name).get(key), self.known.get(name, {}))


def types_of(schema: Any, root: Mapping[str, Any], depth: int = 0) -> frozenset[str]:
    """Return the JSON types that a schema allows; an empty set if it does not say."""
    schema = _resolved(schema, root)
    named = schema.get("type") if schema else ()
    if isinstance(named, str | list | tuple):
        names = [named] if isinstance(named, str) else named
        return frozenset(name for name in names if isinstance(name, str)) & ALL
    if "const" in schema:
        return frozenset({kind_of(schema["const"])})
    if isinstance(schema.get("enum"), list | tuple):
        return frozenset(map(kind_of, schema["enum"]))
    for union in UNIONS if depth < DEEPEST else ():
        if isinstance(schema.get(union), list | tuple):
            found = [types_of(member, root, depth + 1) for member in schema[union]]
            return frozenset() if union != "allOf" and not all(found) else frozenset().union(*found)
    if isinstance(schema.get("properties"), Mapping):
        return OBJECT
    return frozenset({"array"}) if "items" in schema else frozenset()


def child(schema: Any, root: Mapping[str, Any], key: str | None, depth: int = 0) -> Any:
    """Return the schema of a member of an object, or of the items of a list if `key` is None."""
    schema = _resolved(schema, root)
    properties = schema.get("properties")
    found = schema.get("items") if key is None else properties.get(key) if isinstance(properties, Mapping) else None
    if found is not None or depth > DEEPEST:
        return found
    if inside := _inside(schema, key):
        return {"enum": inside}
    members = [member for union in UNIONS for member in schema.get(union) or ()]
    return next((inner for member in members if (inner := child(member, root, key, depth + 1)) is not None), None)


def _inside(schema: Mapping[str, Any], key: str | None) -> list[Any]:
    """Return what the values that a schema spells out have as this member, or as items."""
    values = [schema["const"]] if "const" in schema else schema.get("enum")
    values = values if isinstance(values, list | tuple) else ()
    if key is None:
        return [item for value in values if isinstance(value, list) for item in value]
    return [value[key] for value in values if isinstance(value, dict) and key in value]


def _resolved(schema: Any, root: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a schema, or the one that it refers to; an empty one if there is none."""
    for _ in range(DEEPEST if schema else 0):
        if not isinstance(schema, Mapping) or not isinstance(schema.get("$ref"), str):
            break
        steps, schema = schema["$ref"].removeprefix("#").strip("/").split("/"), root
        for step in steps:
            schema = schema.get(step) if isinstance(schema, Mapping) else None
    return schema if schema and isinstance(schema, Mapping) else {}


def kind_of(value: Any) -> str:
    """Return the JSON type of a value."""
    return KINDS.get(type(value), "string")


def read_json(text: str) -> tuple[Any, bool]:
    """Return the value of a text, and whether the text is valid JSON that Python can read: numbers may be too long."""
    try:
        return _decode(text), True
    except (ValueError, RecursionError):
        return None, False


# JSON has neither NaN nor Infinity: `int` refuses both.
_decode = json.JSONDecoder(parse_constant=int).decode
