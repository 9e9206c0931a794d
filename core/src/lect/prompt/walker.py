"""Walking through the JSON schemas of tools, for formats that write tools in a notation of their own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lect.prompt.chat import Chat
from lect.prompt.fields import is_list
from lect.values import Path


class Schema:
    """A JSON schema, or the function that it belongs to, with the place at which the caller gave it.

    `Schema(chat, *chat.function(index))` is a tool's function; `at("parameters")` is the schema of its parameters.

    Args:
        chat: The conversation.
        value: What the caller gave.
        path: Where it was given.
        is_required: Whether it is a property that the schema around it requires.

    Attributes:
        fields: What it says. Anything but a mapping says nothing: in JSON Schema, `true` allows any value.
    """

    __slots__ = ("_chat", "fields", "is_required", "path")

    def __init__(self, chat: Chat, value: Any, path: Path, *, is_required: bool = False):
        self._chat = chat
        self.fields: Mapping[str, Any] = value if isinstance(value, Mapping) else {}
        self.path, self.is_required = path, is_required

    def __contains__(self, key: str) -> bool:
        return key in self.fields

    def get(self, key: str) -> Any:
        """Return a field as it was given; None if there is none."""
        return self.fields.get(key)

    def text(self, key: str) -> str:
        """Return a field with its origin, a text as it is and anything else as Python prints it; empty if missing."""
        value = self.fields.get(key, "")
        # The common case first: a tool has many texts, and they are written into every prompt.
        if type(value) is str and not self._chat.tracked:
            return value
        return self._chat.text(value, *self.path, key)

    def json(self, key: str) -> str:
        """Return a field as JSON text with its origin."""
        return self._chat.json(self.fields.get(key), *self.path, key)

    def at(self, key: str) -> Schema:
        """Return the schema in a field, such as `items`."""
        return Schema(self._chat, self.fields.get(key), (*self.path, key))

    def each(self, key: str) -> list[Schema]:
        """Return the schemas in a field that is a list of them, such as `oneOf`."""
        value = self.fields.get(key)
        items = enumerate(value) if is_list(value) else ()
        return [Schema(self._chat, item, (*self.path, key, index)) for index, item in items]

    @property
    def name(self) -> str:
        """The key under which it was given, such as the name of a property, with its origin."""
        key = self.path[-1]
        return key if type(key) is str and not self._chat.tracked else self._chat.printed(key, *self.path)

    @property
    def members(self) -> list[Schema]:
        """A schema for each of its fields."""
        return [Schema(self._chat, value, (*self.path, key)) for key, value in self.fields.items()]

    @property
    def properties(self) -> list[Schema]:
        """The schemas of an object's properties."""
        properties, required = self.at("properties"), self.fields.get("required")
        names = frozenset(name for name in required if isinstance(name, str)) if is_list(required) else ()
        given = properties.fields.items()
        return [Schema(self._chat, value, (*properties.path, name), is_required=name in names) for name, value in given]
