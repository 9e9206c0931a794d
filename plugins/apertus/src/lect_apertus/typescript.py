"""Tool schemas as Apertus reads them: as TypeScript. Spaces and line breaks are those of the maker's template."""

from collections.abc import Mapping
from typing import Any

from lect.plugin import Chat, Writer

SIMPLE = {"string": "string", "number": "number", "integer": "number", "boolean": "boolean"}
LONGEST_INNER = 50
"""The maximum length of a type that is written before `[]`."""


def write_function(chat: Chat, out: Writer, index: int) -> None:
    """Write a function as a type, with its description before it."""
    function, path = chat.function(index)
    parameters = function.get("parameters") or {}
    properties = parameters.get("properties") or {}
    out += "// ", chat.text(function.get("description") or "", *path, "description")
    out += "\ntype ", chat.text(function["name"], *path, "name"), " = (_: {\n" if properties else " = () => any;"
    required = frozenset(parameters.get("required") or ())
    for number, (name, schema) in enumerate(properties.items()):
        out.append(",\n" if number else "")
        _write_parameter(chat, out, name, schema, required, (*path, "parameters", "properties", name))
    if properties:
        out.append("\n}) => any;")


def _write_parameter(
    chat: Chat, out: Writer, name: str, schema: Any, required: frozenset[str], path: tuple[str | int, ...]
) -> None:
    fields: Mapping[str, Any] = schema if isinstance(schema, Mapping) else {}
    if fields.get("description"):
        out += "// ", chat.text(fields["description"], *path, "description"), "\n"
    out += chat.printed(name, *path), ": " if name in required else "?: "
    write_type(chat, out, fields, *path)
    if "default" in fields:
        default, where = fields["default"], (*path, "default")
        plain = fields.get("enum") or fields.get("oneOf")
        out.append("// default: " if fields.get("oneOf") and not fields.get("enum") else ", // default: ")
        out.append(chat.text(default, *where) if plain else chat.json(default, *where))


def write_type(chat: Chat, out: Writer, schema: Any, *path: str | int) -> None:
    """Write the type that a schema describes."""
    fields: Mapping[str, Any] = schema if isinstance(schema, Mapping) else {}
    kind = fields.get("type")
    if kind == "array":
        _write_array(chat, out, fields, *path)
    elif isinstance(kind, list | tuple) and kind:
        _write_joined(chat, out, kind, " | ", *path, "type")
    elif fields.get("oneOf"):
        _write_variants(chat, out, fields["oneOf"], *path, "oneOf")
    elif kind == "string" and fields.get("enum"):
        out.append('"')
        _write_joined(chat, out, fields["enum"], '" | "', *path, "enum")
        out.append('"')
    elif kind == "object":
        _write_object(chat, out, fields, *path)
    else:
        out.append(SIMPLE.get(kind, "any") if isinstance(kind, str) else "any")
        out.append(" | null" if kind == "string" and fields.get("nullable") else "")


def _write_joined(chat: Chat, out: Writer, values: Any, between: str, *path: str | int) -> None:
    for index, value in enumerate(values):
        out += between if index else "", chat.text(value, *path, index)


def _write_array(chat: Chat, out: Writer, fields: Mapping[str, Any], *path: str | int) -> None:
    inner = Writer()
    if fields.get("items"):
        write_type(chat, inner, _without_details(fields["items"]), *path, "items")
    text = "".join(inner)
    if not text or text == "object | object" or len(text) > LONGEST_INNER:
        out.append("any[]")
    else:
        out += *inner, "[]"
    out.append(" | null" if fields.get("nullable") else "")


def _without_details(items: Any) -> Any:
    """Return the schema of an item: for a simple type, only the type counts."""
    kind = items.get("type") if isinstance(items, Mapping) else None
    return {"type": kind} if isinstance(kind, str) and kind in SIMPLE else items


def _write_variants(chat: Chat, out: Writer, variants: Any, *path: str | int) -> None:
    for index, variant in enumerate(variants):
        fields: Mapping[str, Any] = variant if isinstance(variant, Mapping) else {}
        out.append(" | \n" if index else "")
        write_type(chat, out, fields, *path, index)
        if fields.get("description"):
            out += "// ", chat.text(fields["description"], *path, index, "description")
        if "default" in fields:
            out += " " * 20, "// default: ", chat.json(fields["default"], *path, index, "default")


def _write_object(chat: Chat, out: Writer, fields: Mapping[str, Any], *path: str | int) -> None:
    properties = fields.get("properties")
    required = frozenset(fields.get("required") or ())
    out.append("{\n" if properties else "object")
    for number, (name, schema) in enumerate((properties or {}).items()):
        where = (*path, "properties", name)
        out += ", " if number else "", chat.printed(name, *where)
        out.append(": \n" if name in required else "?: \n")
        out.append(" " * 16)
        write_type(chat, out, schema, *where)
    out.append("}" if properties else "")
