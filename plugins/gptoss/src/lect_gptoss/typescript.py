"""Tool schemas as gpt-oss reads them: as TypeScript."""

from typing import Any

from lect.plugin import Chat, Schema, Writer

SIMPLE = {"string": "string", "number": "number", "integer": "number", "boolean": "boolean"}
LONGEST_ITEM = 50
"""The maximum length of a type that is written before `[]`."""


def write_joined(chat: Chat, out: Writer, values: Any, between: str, *path: str | int) -> None:
    """Write values separated by `between`."""
    for index, value in enumerate(values):
        out += between if index else "", chat.text(value, *path, index)


def write_type(chat: Chat, out: Writer, schema: Schema) -> None:
    """Write the type that a schema describes. Spaces and line breaks are those of the maker's template."""
    kind = schema.get("type")
    if kind == "array":
        _write_array(chat, out, schema)
    elif isinstance(kind, list | tuple) and kind:
        write_joined(chat, out, kind, " | ", *schema.path, "type")
    elif schema.get("oneOf"):
        _write_variants(chat, out, schema.each("oneOf"))
    elif kind == "string" and schema.get("enum"):
        out.append('"')
        write_joined(chat, out, schema.get("enum"), '" | "', *schema.path, "enum")
        out.append('"')
    elif kind == "object" and schema.get("properties"):
        _write_object(chat, out, schema)
    elif kind == "object":
        out.append("object")
    else:
        out.append(SIMPLE.get(kind, "any") if isinstance(kind, str) else "any")
        out.append(" | null" if kind == "string" and schema.get("nullable") else "")


def _write_array(chat: Chat, out: Writer, schema: Schema) -> None:
    item = Writer()
    kind = schema.at("items").get("type")
    if isinstance(kind, str) and kind in SIMPLE:
        item.append(SIMPLE[kind])
    elif schema.get("items"):
        write_type(chat, item, schema.at("items"))
    text = "".join(item)
    if not schema.get("items") or text == "object | object" or len(text) > LONGEST_ITEM:
        out.append("any[]")
    else:
        out += *item, "[]"
    out.append(" | null" if schema.get("nullable") else "")


def _write_variants(chat: Chat, out: Writer, variants: list[Schema]) -> None:
    for index, variant in enumerate(variants):
        out.append(" | \n" if index else "")
        write_type(chat, out, variant)
        if variant.get("description"):
            out += "// ", variant.text("description")
        if "default" in variant:
            out += " " * 20, "// default: ", variant.json("default")


def _write_object(chat: Chat, out: Writer, schema: Schema) -> None:
    out.append("{\n")
    for index, each in enumerate(schema.properties):
        out += ", " if index else "", each.name, "" if each.is_required else "?", ": \n", " " * 16
        write_type(chat, out, each)
    out.append("}")


def write_namespace(chat: Chat, out: Writer) -> None:
    """Write all tools as one namespace of functions."""
    out.append("## functions\n\nnamespace functions {\n\n")
    for index in range(len(chat.tools)):
        function = Schema(chat, *chat.function(index))
        description = chat.input(function.fields.get("description", ""), *function.path, "description")
        out += "// ", description, "\ntype ", function.text("name"), " = "
        properties = function.at("parameters").properties
        out.append("(_: {\n" if properties else "(")
        for each in properties:
            _write_parameter(chat, out, each)
        out.append("}) => any;\n\n" if properties else ") => any;\n\n")
    out.append("} // namespace functions")


def _write_parameter(chat: Chat, out: Writer, schema: Schema) -> None:
    if schema.get("description"):
        out += "// ", schema.text("description"), "\n"
    out += schema.name, "" if schema.is_required else "?", ": "
    write_type(chat, out, schema)
    if "default" in schema:
        plain = schema.get("enum") or schema.get("oneOf")
        out.append("// default: " if schema.get("oneOf") and not schema.get("enum") else ", // default: ")
        out.append(schema.text("default") if plain else schema.json("default"))
    out.append(",\n")
