"""Tool schemas as GigaChat 3 reads them: as TypeScript, with whatever a type cannot say in comments."""

from collections.abc import Iterator

from lect.plugin import Chat, Schema, Writer

IN_COMMENTS = ("format", "maxItems", "maximum", "minItems", "minimum", "pattern")
STEP = "  "


def lines_of(schema: Schema) -> Iterator[str]:
    """Return the lines of a description that are not blank."""
    return (line for line in schema.text("description").split("\n") if line.strip())


def literal(schema: Schema, key: str) -> tuple[str, ...]:
    """Return a field as it is written in a comment: only texts are in quotes."""
    text = schema.text(key)
    return ('"', text, '"') if isinstance(schema.get(key), str) else (text,)


def write_type(chat: Chat, out: Writer, schema: Schema, indent: str) -> None:
    """Write the type that a schema describes; `indent` is that of an object's properties."""
    kind, values = schema.get("type"), schema.get("enum")
    if kind == "object":
        _write_object(chat, out, schema, indent)
    elif kind in ("string", "number", "integer") and values:
        quote = '"' if kind == "string" else ""
        for index, value in enumerate(values):
            out += " | " if index else "", quote, chat.text(value, *schema.path, "enum", index), quote
    elif kind == "string":
        out.append("Date" if schema.get("format") in ("date-time", "date") else "string")
    elif kind in ("number", "integer"):
        out.append("number")
    elif kind == "array" and "items" in schema:
        write_type(chat, out, schema.at("items"), indent)
        out.append("[]")
    else:
        out.append({"boolean": "boolean", "array": "Array<any>"}.get(kind, "any") if isinstance(kind, str) else "any")


def _write_object(chat: Chat, out: Writer, schema: Schema, indent: str) -> None:
    out.append("{\n")
    for each in schema.properties:
        for line in lines_of(each):
            out += indent, "// ", line, "\n"
        for field in each.members:
            if (key := field.path[-1]) in IN_COMMENTS:
                out += indent, "// ", field.name, ": ", *literal(each, str(key)), "\n"
        out += indent, each.name, "" if each.is_required else "?", ": "
        write_type(chat, out, each, indent + STEP)
        out.append(",")
        # The misspelling is the maker's.
        for key in ("default", "defalut_value"):
            if key in each:
                out += " // default: ", *literal(each, key)
                break
        out.append("\n")
    others = schema.get("additionalProperties")
    if others is True or isinstance(others, dict):
        out += indent, "[key: string]: "
        write_type(chat, out, schema.at("additionalProperties"), indent + STEP)
        out.append("\n")
    out += indent.removesuffix(STEP), "}"


def write_namespace(chat: Chat, out: Writer) -> None:
    """Write all tools as one namespace of functions."""
    out.append("namespace functions {\n")
    for index in range(len(chat.tools)):
        function = Schema(chat, *chat.function(index))
        for line in lines_of(function):
            out += "// ", line, "\n"
        out += "type ", function.text("name"), " = ("
        parameters, returned = function.at("parameters"), function.at("return_parameters")
        if parameters.get("properties"):
            out.append("_: ")
            write_type(chat, out, parameters, STEP)
        out.append(") => ")
        if returned.get("properties"):
            write_type(chat, out, returned, STEP)
        else:
            out.append("any")
        out.append(";\n\n")
    out.append("} // namespace functions\n\n")
