"""How Gemma 4 writes schemas and values: like JSON, with quotes that are tokens and keys in alphabetical order."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from lect.plugin import Chat, Schema, Writer, plain_str

QUOTE = '<|"|>'
ITSELF = ("description", "type", "properties", "required", "nullable")
"""The keys that describe a parameter itself."""
Item = TypeVar("Item")


class Notation:
    """Writes values with their origin.

    Args:
        chat: The conversation.
        out: Where to write.
        null: Whether None is `null`, as in JSON, or `None`, as Python prints it.
        without: The names of parameters that are never written.
    """

    def __init__(self, chat: Chat, out: Writer, *, null: bool, without: Sequence[str] = ()):
        self.chat = chat
        self.out = out
        self.null = null
        self.without = without

    def separated(self, items: Iterable[Item]) -> Iterator[Item]:
        """Yield the items, and write a comma before each but the first."""
        for index, item in enumerate(items):
            if index:
                self.out.append(",")
            yield item

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
        elif isinstance(value, bool) or (value is None and self.null):
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
        function = Schema(self.chat, tool, path).at("function")
        out += "declaration:", function.text("name"), "{description:", QUOTE, function.text("description"), QUOTE
        parameters = function.at("parameters")
        if parameters.fields:
            out.append(",parameters:{")
            if parameters.get("properties"):
                out.append("properties:{")
                self._parameters(parameters.properties)
                out.append("},")
            self._required(parameters)
            if parameters.get("type"):
                out += "type:", QUOTE, parameters.text("type").upper(), QUOTE, "}"
        if "response" in function:
            response = function.at("response")
            out.append(",response:{")
            self._description(response)
            kind = response.text("type").upper()
            if kind == "OBJECT":
                out += "type:", QUOTE, kind, QUOTE, "}"
        out.append("}")

    def _description(self, schema: Schema) -> None:
        if schema.get("description"):
            self.out += "description:", QUOTE, schema.text("description"), QUOTE, ","

    def _required(self, schema: Schema) -> None:
        if schema.get("required"):
            self.out.append("required:")
            self.names(schema.get("required"), *schema.path, "required")
            self.out.append(",")

    def _parameters(self, parameters: Iterable[Schema], without: Sequence[str] = ()) -> None:
        """Write the parameters of an object, `without` some names."""
        shown = (each for each in parameters if each.path[-1] not in (*self.without, *without))
        for each in self.separated(sorted(shown, key=lambda each: each.name.lower())):
            self.out += each.name, ":{"
            self._parameter(each)

    def _parameter(self, schema: Schema) -> None:
        """Write what describes one parameter; its type comes last."""
        out = self.out
        kind = schema.text("type").upper()
        self._description(schema)
        if kind == "STRING":
            self._enum(schema)
        items = schema.at("items")
        if kind == "ARRAY" and items.fields:
            out.append("items:{")
            self._items(items)
            out.append("},")
        if schema.get("nullable"):
            out.append("nullable:true,")
        if kind == "OBJECT":
            self._properties(schema)
            out.append(",")
            self._required(schema)
        out += "type:", QUOTE, kind, QUOTE, "}"

    def _enum(self, schema: Schema) -> None:
        if schema.get("enum"):
            self.out.append("enum:")
            self.value(schema.get("enum"), *schema.path, "enum", quoted_keys=True)
            self.out.append(",")

    def _properties(self, schema: Schema) -> None:
        """Write the parameters of an object."""
        self.out.append("properties:{")
        if isinstance(schema.get("properties"), Mapping):
            self._parameters(schema.properties)
        else:
            # The parameters of the object are next to the keys that describe the object itself.
            self._parameters(schema.members, without=ITSELF)
        self.out.append("}")

    def _items(self, items: Schema) -> None:
        """Write what describes the items of an array."""
        for key, value in self.separated((key, value) for key, value in _in_order(items.fields) if value is not None):
            where = (*items.path, key)
            self.out += self.chat.printed(key, *where), ":"
            if key == "properties":
                self.out.append("{")
                self._parameters(items.properties)
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
