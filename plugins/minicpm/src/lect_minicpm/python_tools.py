"""Tool schemas as MiniCPM3 reads them: as Python functions, with a class for each object and each choice."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from lect.plugin import Chat, Writer

TYPES = {"string": "str", "number": "float", "integer": "int", "boolean": "bool", "null": "None"}
WORD = re.compile(r"[^-\s({\[<]+")

Schema = Mapping[str, Any]


def write_functions(chat: Chat, out: Writer) -> None:
    """Write all tools that are functions."""
    for index, tool in enumerate(chat.tools):
        if tool.get("type", "function") == "function":
            _write_function(chat, out, *chat.function(index))


def _write_function(chat: Chat, out: Writer, function: Schema, path: tuple[str | int, ...]) -> None:
    """Write a function whose docstring describes its parameters; their classes precede it."""
    parameters = function.get("parameters")
    schema = _fields(parameters)
    required = _required(schema)
    head = Writer()
    head += "\n\ndef ", chat.text(function.get("name", ""), *path, "name"), "("
    for index, (name, spec) in enumerate(_properties(schema)):
        where = (*path, "parameters", "properties", name)
        head += ", " if index else "", chat.printed(name, *where)
        if name not in required:
            head += "=", _default(chat, spec, *where)
    head += '):\n    """', chat.text(function.get("description", ""), *path, "description")
    head.append("\n\n    Args:\n" if parameters else "\n")
    _write_object(chat, out, head, schema, " " * 8, *path, "parameters")
    out.append('    """\n')


def _write_object(chat: Chat, out: Writer, head: Iterable[str], schema: Schema, indent: str, *path: str | int) -> None:
    """Write the classes that the properties of an object need, then its head, then its properties."""
    required = _required(schema)
    lines = Writer(head)
    for name, spec in _properties(schema):
        where = (*path, "properties", name)
        _write_class(chat, out, name, spec, *where)
        lines += indent, chat.printed(name, *where), ": "
        _write_property(chat, lines, name, spec, *where, is_required=name in required)
    out += lines


def _write_class(chat: Chat, out: Writer, name: str, spec: Schema, *path: str | int) -> None:
    """Write the class of a property that is a choice, an object, or a list of objects."""
    items = _fields(spec.get("items"))
    if spec.get("enum"):
        out += "\n\nclass ", _title(chat, name, *path), "(Enum):\n"
        for index, value in enumerate(spec["enum"]):
            out += "    enum_", str(index), " = ", chat.json(value, *path, "enum", index), "\n"
    elif spec.get("type") == "object" and spec.get("properties"):
        _write_object(chat, out, _model_head(chat, name, *path), spec, " " * 4, *path)
    elif spec.get("type") == "array" and items.get("type") == "object" and items.get("properties"):
        _write_object(chat, out, _model_head(chat, name, *path), items, " " * 4, *path, "items")


def _model_head(chat: Chat, name: str, *path: str | int) -> Iterable[str]:
    return "\n\nclass ", _title(chat, name, *path), "(BaseModel):\n"


def _write_property(chat: Chat, out: Writer, name: str, spec: Schema, *path: str | int, is_required: bool) -> None:
    """Write the type of a property, its default, and its description."""
    out.append("" if is_required else "Optional[")
    _write_type(chat, out, name, spec, *path)
    out.append("" if is_required else "]")
    if spec.get("title") or spec.get("description") or spec.get("pattern"):
        out += " = Field(", "..." if is_required else _default(chat, spec, *path)
        for argument, field in (("description", "description"), ("regex", "pattern"), ("title", "title")):
            if spec.get(field):
                out += ", ", argument, "=", chat.json(spec[field], *path, field)
        out.append(")")
    elif not is_required:
        out += " = ", _default(chat, spec, *path)
    out.append("\n")


def _write_type(chat: Chat, out: Writer, name: str, spec: Schema, *path: str | int) -> None:
    """Write the type of a value; where none is given, it is an empty union, as in the maker's template."""
    kind = spec.get("type", ())
    if spec.get("enum") or (kind == "object" and spec.get("properties")):
        out.append(_title(chat, name, *path))
    elif isinstance(kind, str) and kind in TYPES:
        out.append(TYPES[kind])
    elif kind == "array":
        out.append("List[")
        _write_type(chat, out, name, _fields(spec.get("items")), *path)
        out.append("]")
    elif kind == "object":
        out.append("Dict[str, ")
        _write_type(chat, out, name, _fields(spec.get("additionalProperties")), *path)
        out.append("]")
    elif kind is None or (kind and isinstance(kind, str)):
        out.append("Any")
    else:
        out.append("Union[")
        for index, each in enumerate(kind):
            out.append(", " if index else "")
            _write_type(chat, out, name, {"type": each}, *path)
        out.append("]")


def _default(chat: Chat, spec: Schema, *path: str | int) -> str:
    if "default" not in spec:
        return "None"
    default = spec["default"]
    return (chat.json if isinstance(default, str) else chat.printed)(default, *path, "default")


def _title(chat: Chat, name: str, *path: str | int) -> str:
    """Return the name of a property as a class name: each word begins with a capital."""
    return chat.transformed(
        name, lambda text: WORD.sub(lambda word: word[0][0].upper() + word[0][1:].lower(), text), *path
    )


def _fields(schema: Any) -> Schema:
    return schema if isinstance(schema, Mapping) else {}


def _properties(schema: Schema) -> Iterable[tuple[str, Schema]]:
    return ((name, _fields(spec)) for name, spec in (schema.get("properties") or {}).items())


def _required(schema: Schema) -> frozenset[str]:
    return frozenset(schema.get("required") or ())
