"""How Gemma 4 writes schemas and values: like JSON, with quotes that are tokens and keys in alphabetical order."""

from collections.abc import Mapping, Sequence
from typing import Any

from lect.plugin import Chat, Writer

QUOTE = '<|"|>'
OF_ITSELF = ("description", "type", "properties", "required", "nullable")
"""The keys that describe a parameter itself, where the parameters of an object stand beside them."""


def in_order(mapping: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """Return keys and values in alphabetical order, capitals or not."""
    return sorted(mapping.items(), key=lambda item: item[0].lower())


class Notation:
    """Writes values with their origin."""

    def __init__(self, chat: Chat, out: Writer):
        self.chat = chat
        self.out = out

    def quoted(self, text: Any, *path: str | int) -> None:
        """Write a text in quotes; what is no text, as Python prints it."""
        piece = self.chat.given(text, *path) if isinstance(text, str) else self.chat.printed(text, *path)
        self.out += QUOTE, piece, QUOTE

    def names(self, names: Sequence[Any], *path: str | int) -> None:
        """Write a list of names."""
        self.out.append("[")
        for index, name in enumerate(names):
            if index:
                self.out.append(",")
            self.quoted(name, *path, index)
        self.out.append("]")

    def value(self, value: Any, *path: str | int, quoted_keys: bool) -> None:
        """Write any value."""
        out = self.out
        if isinstance(value, str):
            self.quoted(value, *path)
        elif isinstance(value, bool):
            out.append(self.chat.json(value, *path))
        elif isinstance(value, Mapping):
            out.append("{")
            self.members(value, *path, quoted_keys=quoted_keys)
            out.append("}")
        elif isinstance(value, list | tuple):
            out.append("[")
            for index, item in enumerate(value):
                if index:
                    out.append(",")
                self.value(item, *path, index, quoted_keys=quoted_keys)
            out.append("]")
        else:
            out.append(self.chat.printed(value, *path))

    def members(self, mapping: Mapping[str, Any], *path: str | int, quoted_keys: bool) -> None:
        """Write the members of a mapping."""
        for index, (key, value) in enumerate(in_order(mapping)):
            if index:
                self.out.append(",")
            quote = QUOTE if quoted_keys else ""
            self.out += quote, self.chat.printed(key, *path, key), quote, ":"
            self.value(value, *path, key, quoted_keys=quoted_keys)

    def declaration(self, tool: Mapping[str, Any], *path: str | int) -> None:
        """Write what a tool is and takes."""
        out = self.out
        function = tool.get("function", {})
        path = (*path, "function")
        out += "declaration:", self.chat.given(function.get("name", ""), *path, "name"), "{description:"
        self.quoted(function.get("description", ""), *path, "description")
        parameters = function.get("parameters")
        if parameters:
            out.append(",parameters:{")
            if parameters.get("properties"):
                out.append("properties:{")
                self.parameters(parameters["properties"], *path, "parameters", "properties")
                out.append("},")
            if parameters.get("required"):
                out.append("required:")
                self.names(parameters["required"], *path, "parameters", "required")
                out.append(",")
            if parameters.get("type"):
                out.append("type:")
                self.type(parameters["type"], *path, "parameters", "type")
                out.append("}")
        if "response" in function:
            self._response(function["response"], *path, "response")
        out.append("}")

    def _response(self, response: Mapping[str, Any], *path: str | int) -> None:
        self.out.append(",response:{")
        if response.get("description"):
            self.out.append("description:")
            self.quoted(response["description"], *path, "description")
            self.out.append(",")
        if _kind(response) == "OBJECT":
            self.out.append("type:")
            self.type(response["type"], *path, "type")
            self.out.append("}")

    def type(self, kind: Any, *path: str | int) -> None:
        """Write a type in capitals."""
        text = self.chat.given(kind, *path) if isinstance(kind, str) else self.chat.printed(kind, *path)
        self.out += QUOTE, text.upper(), QUOTE

    def parameters(self, properties: Mapping[str, Any], *path: str | int, others_only: bool = False) -> None:
        """Write the parameters of an object; `others_only`: leave out the keys that describe the object itself."""
        shown = [(name, fields) for name, fields in in_order(properties) if not (others_only and name in OF_ITSELF)]
        for index, (name, fields) in enumerate(shown):
            if index:
                self.out.append(",")
            self.out += self.chat.printed(name, *path, name), ":{"
            self.parameter(fields if isinstance(fields, Mapping) else {}, *path, name)

    def parameter(self, fields: Mapping[str, Any], *path: str | int) -> None:
        """Write what describes one parameter; its type comes last."""
        out = self.out
        kind = _kind(fields)
        if fields.get("description"):
            out.append("description:")
            self.quoted(fields["description"], *path, "description")
            out.append(",")
        if kind == "STRING" and fields.get("enum"):
            out.append("enum:")
            self.value(fields["enum"], *path, "enum", quoted_keys=True)
            out.append(",")
        items = fields.get("items")
        if kind == "ARRAY" and isinstance(items, Mapping) and items:
            out.append("items:{")
            self._items(items, *path, "items")
            out.append("},")
        if fields.get("nullable"):
            out.append("nullable:true,")
        if kind == "OBJECT":
            self._object(fields, *path)
        out.append("type:")
        self.type(fields.get("type", ""), *path, "type")
        out.append("}")

    def _object(self, fields: Mapping[str, Any], *path: str | int) -> None:
        properties = fields.get("properties")
        self.out.append("properties:{")
        if isinstance(properties, Mapping):
            self.parameters(properties, *path, "properties")
        else:
            self.parameters(fields, *path, others_only=True)
        self.out.append("},")
        if fields.get("required"):
            self.out.append("required:")
            self.names(fields["required"], *path, "required")
            self.out.append(",")

    def _items(self, items: Mapping[str, Any], *path: str | int) -> None:
        out = self.out
        for index, (key, value) in enumerate((key, value) for key, value in in_order(items) if value is not None):
            if index:
                out.append(",")
            where = (*path, key)
            out += self.chat.printed(key, *where), ":"
            if key == "properties":
                out.append("{")
                if isinstance(value, Mapping):
                    self.parameters(value, *where)
                out.append("}")
            elif key == "required":
                self.names(value, *where)
            elif key == "type" and isinstance(value, str):
                self.type(value, *where)
            elif key == "type":
                self.value([str(each).upper() for each in value], *where, quoted_keys=True)
            else:
                self.value(value, *where, quoted_keys=True)


def _kind(fields: Mapping[str, Any]) -> str:
    return str(fields.get("type", "")).upper()
