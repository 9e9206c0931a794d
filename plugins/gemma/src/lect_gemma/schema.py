"""How Gemma 4 writes schemas and values: like JSON, with quotes that are tokens and keys in alphabetical order."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from lect.plugin import Chat, Writer, plain_str

QUOTE = '<|"|>'
ITSELF = ("description", "type", "properties", "required", "nullable")
"""The keys that describe a parameter itself."""


class Notation:
    """Writes values with their origin.

    Args:
        chat: The conversation.
        out: Where to write.
        hides: Whether to leave out parameters that have the name of a key that describes one.
    """

    def __init__(self, chat: Chat, out: Writer, *, hides: bool = False):
        self.chat = chat
        self.out = out
        self.hidden = ITSELF if hides else ()

    def separated(self, pairs: Iterable[tuple[Any, Any]]) -> Iterator[tuple[Any, Any]]:
        """Yield the pairs, and write a comma before each but the first."""
        for index, pair in enumerate(pairs):
            if index:
                self.out.append(",")
            yield pair

    def quoted(self, value: Any, *path: str | int) -> None:
        """Write a text in quotes; anything else as Python prints it."""
        self.out += QUOTE, self.chat.text(value, *path), QUOTE

    def kind(self, kind: Any, *path: str | int) -> None:
        """Write a type, which is in capitals."""
        self.out += QUOTE, self.chat.text(kind, *path).upper(), QUOTE

    def names(self, names: Sequence[Any], *path: str | int) -> None:
        """Write a list of names."""
        self.out.append("[")
        for index, name in self.separated(enumerate(names)):
            self.quoted(name, *path, index)
        self.out.append("]")

    def value(self, value: Any, *path: str | int, quoted_keys: bool = False) -> None:
        """Write any value."""
        if isinstance(value, str):
            self.quoted(value, *path)
        elif isinstance(value, bool):
            self.out.append(self.chat.json(value, *path))
        elif isinstance(value, Mapping):
            self.out.append("{")
            self.members(value, *path, quoted_keys=quoted_keys)
            self.out.append("}")
        elif isinstance(value, list | tuple):
            self.out.append("[")
            for index, item in self.separated(enumerate(value)):
                self.value(item, *path, index, quoted_keys=quoted_keys)
            self.out.append("]")
        else:
            self.out.append(self.chat.printed(value, *path))

    def members(self, mapping: Mapping[str, Any], *path: str | int, quoted_keys: bool = False) -> None:
        """Write the members of a mapping."""
        quote = QUOTE if quoted_keys else ""
        for key, value in self.separated(_in_order(mapping)):
            self.out += quote, self.chat.printed(key, *path, key), quote, ":"
            self.value(value, *path, key, quoted_keys=quoted_keys)

    def declaration(self, tool: Mapping[str, Any], *path: str | int) -> None:
        """Write what a tool is and takes."""
        out = self.out
        function = tool.get("function", {})
        path = (*path, "function")
        out += "declaration:", self.chat.input(function.get("name", ""), *path, "name"), "{description:"
        self.quoted(function.get("description", ""), *path, "description")
        parameters = function.get("parameters")
        if parameters:
            out.append(",parameters:{")
            if parameters.get("properties"):
                out.append("properties:{")
                self._parameters(parameters["properties"], *path, "parameters", "properties")
                out.append("},")
            self._required(parameters, *path, "parameters")
            if parameters.get("type"):
                out.append("type:")
                self.kind(parameters["type"], *path, "parameters", "type")
                out.append("}")
        if "response" in function:
            response, path = function["response"] or {}, (*path, "response")
            out.append(",response:{")
            self._description(response, *path)
            kind = self._kind(response, *path)
            if kind == "OBJECT":
                out += "type:", QUOTE, kind, QUOTE, "}"
        out.append("}")

    def _description(self, fields: Mapping[str, Any], *path: str | int) -> None:
        if fields.get("description"):
            self.out.append("description:")
            self.quoted(fields["description"], *path, "description")
            self.out.append(",")

    def _required(self, fields: Mapping[str, Any], *path: str | int) -> None:
        if fields.get("required"):
            self.out.append("required:")
            self.names(fields["required"], *path, "required")
            self.out.append(",")

    def _parameters(self, properties: Mapping[str, Any], *path: str | int, without: Sequence[str] = ()) -> None:
        """Write the parameters of an object, `without` some names."""
        without = without or self.hidden
        shown = [(name, fields) for name, fields in _in_order(properties) if name not in without]
        for name, fields in self.separated(shown):
            self.out += self.chat.printed(name, *path, name), ":{"
            self._parameter(fields if isinstance(fields, Mapping) else {}, *path, name)

    def _parameter(self, fields: Mapping[str, Any], *path: str | int) -> None:
        """Write what describes one parameter; its type comes last."""
        out = self.out
        kind = self._kind(fields, *path)
        self._description(fields, *path)
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
            out.append("properties:{")
            if isinstance(fields.get("properties"), Mapping):
                self._parameters(fields["properties"], *path, "properties")
            else:
                # The parameters of the object are next to the keys that describe the object itself.
                self._parameters(fields, *path, without=ITSELF)
            out.append("},")
            self._required(fields, *path)
        out += "type:", QUOTE, kind, QUOTE, "}"

    def _kind(self, fields: Mapping[str, Any], *path: str | int) -> str:
        """Return the type that a schema states, in capitals."""
        return self.chat.text(fields.get("type", ""), *path, "type").upper()

    def _items(self, items: Mapping[str, Any], *path: str | int) -> None:
        """Write what describes the items of an array."""
        for key, value in self.separated((key, value) for key, value in _in_order(items) if value is not None):
            where = (*path, key)
            self.out += self.chat.printed(key, *where), ":"
            if key == "properties":
                self.out.append("{")
                if isinstance(value, Mapping):
                    self._parameters(value, *where)
                self.out.append("}")
            elif key == "required":
                self.names(value, *where)
            elif key == "type" and isinstance(value, str):
                self.kind(value, *where)
            elif key == "type":
                self.out.append("[")
                for index, each in self.separated(enumerate(value)):
                    self.kind(each, *where, index)
                self.out.append("]")
            else:
                self.value(value, *where, quoted_keys=True)


def _in_order(mapping: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """Return keys and values in alphabetical order, whatever their case."""

    def name(item: tuple[Any, Any]) -> str:
        # A member of a `str` enumeration is a text, but prints as a different one.
        key = item[0]
        return (plain_str(key) if isinstance(key, str) else str(key)).lower()

    return sorted(mapping.items(), key=name)
