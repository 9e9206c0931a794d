"""Tool schemas as gpt-oss reads them: as TypeScript."""

from collections.abc import Mapping
from typing import Any

from lect.plugin import Chat, Writer

SIMPLE = {"string": "string", "number": "number", "integer": "number", "boolean": "boolean"}


def write_joined(chat: Chat, out: Writer, values: Any, between: str, *path: str | int) -> None:
    """Write values separated by `between`."""
    for index, value in enumerate(values):
        if index:
            out.append(between)
        out.append(chat.text(value, *path, index))


def write_type(chat: Chat, out: Writer, spec: Any, *path: str | int) -> None:
    """Write the type that a schema describes. Spaces and line breaks are those of the maker's template."""
    fields: Mapping[str, Any] = spec if isinstance(spec, Mapping) else {}
    kind = fields.get("type")
    if kind == "array":
        _write_array(chat, out, fields, *path)
    elif isinstance(kind, list | tuple) and kind:
        write_joined(chat, out, kind, " | ", *path, "type")
    elif fields.get("oneOf"):
        _write_variants(chat, out, fields["oneOf"], *path, "oneOf")
    elif kind == "string" and fields.get("enum"):
        out.append('"')
        write_joined(chat, out, fields["enum"], '" | "', *path, "enum")
        out.append('"')
    elif kind == "object" and fields.get("properties"):
        _write_object(chat, out, fields, *path)
    elif kind == "object":
        out.append("object")
    else:
        out.append(SIMPLE.get(kind, "any") if isinstance(kind, str) else "any")
        if kind == "string" and fields.get("nullable"):
            out.append(" | null")


def _write_array(chat: Chat, out: Writer, fields: Mapping[str, Any], *path: str | int) -> None:
    items = fields.get("items")
    if not items:
        out.append("any[]")
    else:
        kind = items.get("type") if isinstance(items, Mapping) else None
        if isinstance(kind, str) and kind in SIMPLE:
            out += SIMPLE[kind], "[]"
        else:
            inner = Writer()
            write_type(chat, inner, items, *path, "items")
            text = "".join(inner)
            if text == "object | object" or len(text) > 50:
                out.append("any[]")
            else:
                out += *inner, "[]"
    if fields.get("nullable"):
        out.append(" | null")


def _write_variants(chat: Chat, out: Writer, variants: Any, *path: str | int) -> None:
    for index, variant in enumerate(variants):
        where = (*path, index)
        write_type(chat, out, variant, *where)
        fields: Mapping[str, Any] = variant if isinstance(variant, Mapping) else {}
        if fields.get("description"):
            out += "// ", chat.text(fields["description"], *where, "description")
        if "default" in fields:
            out += " " * 20, "// default: ", chat.json(fields["default"], *where, "default")
        if index + 1 < len(variants):
            out.append(" | \n")


def required_of(fields: Mapping[str, Any]) -> frozenset[Any]:
    """Return the names of the properties that a schema requires."""
    return frozenset(fields.get("required") or ())


def _write_object(chat: Chat, out: Writer, fields: Mapping[str, Any], *path: str | int) -> None:
    out.append("{\n")
    required = required_of(fields)
    for index, (name, spec) in enumerate(fields["properties"].items()):
        where = (*path, "properties", name)
        if index:
            out.append(", ")
        out += chat.printed(name, *where), "" if name in required else "?", ": \n", " " * 16
        write_type(chat, out, spec, *where)
    out.append("}")


def write_namespace(chat: Chat, out: Writer) -> None:
    """Write all tools as one namespace of functions."""
    out.append("## functions\n\nnamespace functions {\n\n")
    for index in range(len(chat.tools)):
        function, path = chat.function(index)
        out += "// ", chat.input(function.get("description", ""), *path, "description"), "\n"
        out += "type ", chat.input(function.get("name", ""), *path, "name"), " = "
        parameters = function.get("parameters") or {}
        if parameters.get("properties"):
            out.append("(_: {\n")
            required = required_of(parameters)
            for name, spec in parameters["properties"].items():
                where = (*path, "parameters", "properties", name)
                _write_parameter(chat, out, name, spec, *where, required=name in required)
            out.append("}) => any;\n\n")
        else:
            out.append("() => any;\n\n")
    out.append("} // namespace functions")


def _write_parameter(chat: Chat, out: Writer, name: str, spec: Any, *path: str | int, required: bool) -> None:
    fields: Mapping[str, Any] = spec if isinstance(spec, Mapping) else {}
    if fields.get("description"):
        out += "// ", chat.text(fields["description"], *path, "description"), "\n"
    out += chat.printed(name, *path), "" if required else "?", ": "
    write_type(chat, out, fields, *path)
    if "default" in fields:
        default = fields["default"]
        if fields.get("enum"):
            out += ", // default: ", chat.text(default, *path, "default")
        elif fields.get("oneOf"):
            out += "// default: ", chat.text(default, *path, "default")
        else:
            out += ", // default: ", chat.json(default, *path, "default")
    out.append(",\n")
