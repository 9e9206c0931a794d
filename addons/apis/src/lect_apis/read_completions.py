"""Requests of OpenAI's chat completions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from lect_apis.conversation import items, mapping, shortened, text, text_part
from lect_apis.own_tools import add_tools, called

if TYPE_CHECKING:
    from lect_apis.conversation import Conversation, Fields

READ = frozenset({"messages", "tools", "tool_choice"})
FIELDS = ("role", "content", "name", "tool_calls", "tool_call_id", "reasoning_content", "reasoning")
"""The fields of a message that a model reads, or that say whose it is."""
CALL = ("id", "type", "index")
OWN_FIELDS = frozenset({"tool_calls", "reasoning_content", "reasoning"})
OWN_ROLES = frozenset({"developer", "function", "tool"})
OWN_PARTS = frozenset({"image_url", "input_audio", "video_url"})


def is_completion(fields: Fields) -> bool:
    """Return whether a request with messages has something that only chat completions have.

    One that has nothing of the kind reads the same in the Messages API.
    """
    tools, messages = fields.get("tools"), fields.get("messages")
    return any("function" in tool or "custom" in tool for tool in _mappings(tools)) or any(
        message.get("role") in OWN_ROLES
        or not OWN_FIELDS.isdisjoint(message)
        or any(part.get("type") in OWN_PARTS for part in _mappings(message.get("content")))
        for message in _mappings(messages)
    )


def read_completions(request: Fields, conversation: Conversation) -> frozenset[str]:
    """Read a request; return the fields that are read."""
    for at, message in items(request.get("messages"), "messages"):
        # The call of a result has the name of its function.
        read = [name for name in FIELDS if name != "name" or message.get("role") != "tool"]
        kept = {name: message[name] for name in read if name in message}
        conversation.leave(message, at, *read)
        content, calls = message.get("content"), message.get("tool_calls")
        if isinstance(content, list | tuple):
            parts = items(content, f"{at}.content")
            kept["content"] = shortened([_part(place, part, conversation) for place, part in parts])
        if calls is not None:
            kept["tool_calls"] = [_call(*each, conversation) for each in items(calls, f"{at}.tool_calls")]
        conversation.messages.append(kept)
    add_tools(request, conversation)
    choice = request.get("tool_choice")
    if isinstance(choice, Mapping) and choice.get("type") == "custom":
        choice = {"type": "function", "function": choice.get("custom")}
    if choice is not None:
        conversation.options["tool_choice"] = choice
    return READ


def _part(at: str, part: Fields, conversation: Conversation) -> dict[str, Any]:
    """Return a part as it is, without what is not for the model to read; a refusal is text."""
    kind = part.get("type")
    if kind in ("text", "refusal"):
        conversation.leave(part, at, "type", str(kind))
        return text_part(text(part, str(kind), at))
    conversation.leave(part, at, "type", str(kind))
    return {name: value for name, value in part.items() if name in ("type", kind)}


def _call(at: str, call: Fields, conversation: Conversation) -> dict[str, Any]:
    field = "custom" if "custom" in call else "function"
    own = mapping(call.get(field), f"{at}.{field}")
    conversation.leave(call, at, *CALL, field)
    conversation.leave(own, f"{at}.{field}", "name", "arguments", "input")
    if field == "custom":
        name, arguments = called({**own, "type": field}, f"{at}.{field}")
        own = {"name": name, "arguments": arguments}
    function = {name: own[name] for name in ("name", "arguments") if name in own}
    return {"id": call.get("id"), "type": "function", "function": function}


def _mappings(value: Any) -> list[Fields]:
    return [each for each in value if isinstance(each, Mapping)] if isinstance(value, list | tuple) else []
