"""Tool schemas as Apertus reads them: as TypeScript. Spaces and line breaks are those of the maker's template."""

from typing import Any

from lect.plugin import Chat, Schema, Writer

SIMPLE = {"string": "string", "number": "number", "integer": "number", "boolean": "boolean"}
LONGEST_INNER = 50
"""The maximum length of a type that is written before `[]`."""


def write_function(chat: Chat, out: Writer, index: int) -> None:
    """Write a function as a type, with its description before it."""
    function = Schema(chat, *chat.function(index))
    properties = function.at("parameters").properties
    out += "// ", function.text("description") if function.get("description") else ""
    out += "\ntype ", function.text("name"), " = (_: {\n" if properties else " = () => any;"
    for number, each in enumerate(properties):
        out.append(",\n" if number else "")
        _write_parameter(chat, out, each)
    if properties:
        out.append("\n}) => any;")


def _write_parameter(chat: Chat, out: Writer, schema: Schema) -> None:
    if schema.get("description"):
        out += "// ", schema.text("description"), "\n"
    out += schema.name, ": " if schema.is_required else "?: "
    write_type(chat, out, schema)
    if "default" in schema:
        plain = schema.get("enum") or schema.get("oneOf")
        out.append("// default: " if schema.get("oneOf") and not schema.get("enum") else ", // default: ")
        out.append(schema.text("default") if plain else schema.json("default"))


def write_type(chat: Chat, out: Writer, schema: Schema) -> None:
    """Write the type that a schema describes."""
    kind = schema.get("type")
    if kind == "array":
        _write_array(chat, out, schema)
    elif isinstance(kind, list | tuple) and kind:
        _write_joined(chat, out, kind, " | ", *schema.path, "type")
    elif schema.get("oneOf"):
        _write_variants(chat, out, schema.each("oneOf"))
    elif kind == "string" and schema.get("enum"):
        out.append('"')
        _write_joined(chat, out, schema.get("enum"), '" | "', *schema.path, "enum")
        out.append('"')
    elif kind == "object":
        _write_object(chat, out, schema.properties)
    else:
        out.append(SIMPLE.get(kind, "any") if isinstance(kind, str) else "any")
        out.append(" | null" if kind == "string" and schema.get("nullable") else "")


def _write_joined(chat: Chat, out: Writer, values: Any, between: str, *path: str | int) -> None:
    for index, value in enumerate(values):
        out += between if index else "", chat.text(value, *path, index)


def _write_array(chat: Chat, out: Writer, schema: Schema) -> None:
    inner = Writer()
    kind = schema.at("items").get("type")
    if isinstance(kind, str) and kind in SIMPLE:
        # Of a simple type, nothing but the type counts.
        inner.append(SIMPLE[kind])
    elif schema.get("items"):
        write_type(chat, inner, schema.at("items"))
    text = "".join(inner)
    if not text or text == "object | object" or len(text) > LONGEST_INNER:
        out.append("any[]")
    else:
        out += *inner, "[]"
    out.append(" | null" if schema.get("nullable") else "")


def _write_variants(chat: Chat, out: Writer, variants: list[Schema]) -> None:
    for index, variant in enumerate(variants):
        out.append(" | \n" if index else "")
        write_type(chat, out, variant)
        if variant.get("description"):
            out += "// ", variant.text("description")
        if "default" in variant:
            out += " " * 20, "// default: ", variant.json("default")


def _write_object(chat: Chat, out: Writer, properties: list[Schema]) -> None:
    out.append("{\n" if properties else "object")
    for number, each in enumerate(properties):
        out += ", " if number else "", each.name, ": \n" if each.is_required else "?: \n", " " * 16
        write_type(chat, out, each)
    out.append("}" if properties else "")
