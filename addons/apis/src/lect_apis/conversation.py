"""What both APIs have in common: a conversation that is read item by item, and what has no place in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

from lect import MessageError
from lect.errors import saferepr

Fields = Mapping[str, Any]


class Conversation:
    """The messages, tools and options that were read so far.

    Attributes:
        messages: The messages.
        tools: The tools, as chat completions write them.
        options: Options that are read, as chat completions write them.
        unread: What no message and no tool has a place for, by its place in the request.
    """

    def __init__(self) -> None:
        self.messages: list[dict[str, Any]] = []
        self.tools: list[dict[str, Any]] = []
        self.options: dict[str, Any] = {}
        self.unread: dict[str, Any] = {}

    def leave(self, fields: Fields, at: str, *read: str) -> None:
        """Name all fields but those that are read, and those that say nothing."""
        for name, value in fields.items():
            if name not in read and value not in (None, False, "", [], {}):
                self.unread[f"{at}.{name}"] = value

    def add_tool(self, fields: Fields, at: str, parameters: str) -> None:
        """Add a function that the client runs; `parameters` is the API's name for its schema.

        `strict` is for the engine that samples, and no model was trained to see it, so it is left out.
        """
        named = {"name": text(fields, "name", at), "description": fields.get("description")}
        function = {**named, "parameters": fields.get(parameters)}
        self.tools.append(
            {"type": "function", "function": {key: each for key, each in function.items() if each is not None}}
        )
        self.leave(fields, at, "type", parameters, *named)

    def add_result(self, id: Any, content: list[dict[str, Any]]) -> None:  # noqa: A002  # as in the APIs
        """Add the result of a call."""
        self.messages.append({"role": "tool", "tool_call_id": id, "content": shortened(content)})


class Turn:
    """What the model wrote in one turn, from the pieces in which the APIs have it."""

    def __init__(self) -> None:
        self.content = ""
        self.reasoning: str | None = None
        self.calls: list[dict[str, Any]] = []

    def add_reasoning(self, text: str) -> None:
        self.reasoning = (self.reasoning or "") + text

    def add_call(self, id: Any, name: Any, arguments: Any) -> None:  # noqa: A002  # as in the APIs
        self.calls.append({"id": id, "type": "function", "function": {"name": name, "arguments": arguments}})

    def message(self) -> dict[str, Any]:
        """Return the turn as one message, in the shape of `Reply.to_openai`."""
        message: dict[str, Any] = {"role": "assistant", "content": self.content or (None if self.calls else "")}
        if self.reasoning is not None:
            message["reasoning_content"] = self.reasoning
        if self.calls:
            message["tool_calls"] = self.calls
        return message


def mapping(value: Any, at: str) -> Fields:
    """Return a mapping as it is; refuse anything else."""
    if not isinstance(value, Mapping):
        refuse(at, value, "a mapping")
    return value


def items(value: Any, at: str) -> list[tuple[str, Fields]]:
    """Return the mappings of a list, each with its place; none for None."""
    if value is not None and (not isinstance(value, Sequence) or isinstance(value, str | bytes)):
        refuse(at, value, "a list")
    return [(f"{at}[{index}]", mapping(each, f"{at}[{index}]")) for index, each in enumerate(value or ())]


def text(fields: Fields, name: str, at: str) -> str:
    """Return a field that is text."""
    value = fields.get(name)
    if not isinstance(value, str):
        refuse(f"{at}.{name}", value, "text")
    return value


def text_part(value: str) -> dict[str, Any]:
    """Return a text as a part of a message."""
    return {"type": "text", "text": value}


def image_part(url: str, **detail: Any) -> dict[str, Any]:
    """Return an image as a part of a message."""
    return {"type": "image_url", "image_url": {"url": url, **detail}}


def shortened(parts: list[dict[str, Any]]) -> str | list[dict[str, Any]]:
    """Return parts as the content of a message: one text as it is."""
    if len(parts) == 1 and parts[0]["type"] == "text":
        return str(parts[0]["text"])
    return parts or ""


def refuse(at: str, value: Any, expected: str) -> NoReturn:
    """Refuse a value of a wrong type."""
    raise MessageError(f"{at} is {saferepr(value)}; expected {expected}")


def refuse_kind(at: str, fields: Fields, what: str, remedy: str) -> NoReturn:
    """Refuse something that the model should read and no template can write."""
    msg = f"{at} is {what} of type {saferepr(fields.get('type'))}, which no template can write\n  try: {remedy}"
    raise MessageError(msg)
