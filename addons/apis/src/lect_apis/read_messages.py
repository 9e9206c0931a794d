"""Requests of Anthropic's Messages API."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from lect import MessageError
from lect.errors import saferepr
from lect_apis.conversation import Turn, image_part, items, mapping, refuse_kind, shortened, text, text_part

if TYPE_CHECKING:
    from lect_apis.conversation import Conversation, Fields

READ = frozenset({"system", "messages", "tools", "tool_choice"})
CHOICES = {"auto": "auto", "any": "required", "none": "none"}
"""The choices of tools, and what chat completions call them."""
OF_SERVERS = frozenset({
    "bash_code_execution_tool_result", "code_execution_tool_result", "container_upload", "mcp_tool_result",
    "mcp_tool_use", "server_tool_use", "text_editor_code_execution_tool_result", "tool_reference",
    "tool_search_tool_result", "web_fetch_tool_result", "web_search_tool_result",
})  # fmt: skip
"""The blocks that only the servers of the API understand: what they have done, or what is stored there."""
REMEDY = "its text as a text block, or an image with a base64 or url source"


def read_messages(request: Fields, conversation: Conversation) -> frozenset[str]:
    """Read a request; return the fields that are read."""
    if request.get("system"):
        system = _parts(request["system"], "system", conversation)
        conversation.messages.append({"role": "system", "content": shortened(system)})
    for at, message in items(request.get("messages"), "messages"):
        role = message.get("role")
        if role == "assistant":
            _answer(message.get("content"), f"{at}.content", conversation)
        elif role in ("user", "system"):
            _said(role, message.get("content"), f"{at}.content", conversation)
        else:
            raise MessageError(
                f"{at}.role is {saferepr(role)}; expected 'user' or 'assistant'\n"
                "  try: pass messages and tools of a chat completion to lect.render as they are"
            )
        conversation.leave(message, at, "role", "content")
    for at, tool in items(request.get("tools"), "tools"):
        if "input_schema" in tool:
            conversation.add_tool(tool, at, "input_schema")
        else:
            conversation.unread[at] = tool
    if request.get("tool_choice") is not None:
        _choose(mapping(request["tool_choice"], "tool_choice"), conversation)
    return READ


def _choose(choice: Fields, conversation: Conversation) -> None:
    kind = choice.get("type")
    named = {"type": "function", "function": {"name": choice.get("name")}}
    conversation.options["tool_choice"] = named if kind == "tool" else CHOICES.get(str(kind), choice)
    if choice.get("disable_parallel_tool_use"):
        conversation.options["parallel_tool_calls"] = False


def _answer(content: Any, at: str, conversation: Conversation) -> None:
    """Read what the model wrote in one turn."""
    turn = Turn()
    if isinstance(content, str):
        turn.content, content = content, None
    for place, block in items(content, at):
        kind = block.get("type")
        if kind in OF_SERVERS:
            conversation.unread[place] = block
            continue
        read: tuple[str, ...] = ("type",)
        if kind == "text":
            turn.content += text(block, "text", place)
            read += ("text",)
        elif kind == "thinking":
            turn.add_reasoning(text(block, "thinking", place))
            read += ("thinking",)
        elif kind == "tool_use":
            turn.add_call(block.get("id"), text(block, "name", place), mapping(block.get("input"), f"{place}.input"))
            read += ("id", "name", "input")
        elif kind != "redacted_thinking":  # It is encrypted: its `data` is left unread.
            refuse_kind(place, block, "a block", "leave it out, or say in a text what it says")
        conversation.leave(block, place, *read)
    conversation.messages.append(turn.message())


def _said(role: str, content: Any, at: str, conversation: Conversation) -> None:
    """Read a message of the user: results of tools, which the API has first, are messages of their own."""
    blocks = [] if isinstance(content, str) else items(content, at)
    results = [(place, block) for place, block in blocks if block.get("type") == "tool_result"]
    for place, block in results:
        result = _parts(block.get("content"), f"{place}.content", conversation)
        conversation.add_result(block.get("tool_use_id"), result)
        conversation.leave(block, place, "type", "tool_use_id", "content")
    others = [(place, block) for place, block in blocks if block.get("type") != "tool_result"]
    said = [part for place, block in others for part in _read(place, block, conversation)]
    if said or not results:
        conversation.messages.append({"role": role, "content": shortened(said) if blocks else content or ""})


def _parts(content: Any, at: str, conversation: Conversation) -> list[dict[str, Any]]:
    if isinstance(content, str):
        return [text_part(content)]
    return [part for place, block in items(content, at) for part in _read(place, block, conversation)]


def _read(at: str, block: Fields, conversation: Conversation) -> list[dict[str, Any]]:
    """Return a block as parts; none for one that only the servers of the API understand."""
    kind = block.get("type")
    if kind in OF_SERVERS:
        conversation.unread[at] = block
        return []
    if kind == "search_result":
        conversation.leave(block, at, "type", "title", "source", "content")
        head = f"{text(block, 'title', at)} ({text(block, 'source', at)})"
        return [text_part(head), *_parts(block.get("content"), f"{at}.content", conversation)]
    source = block.get("source") if kind == "document" else None
    if isinstance(source, Mapping) and source.get("type") in ("text", "content"):
        conversation.leave(block, at, "type", "source", "title")
        title = [text_part(text(block, "title", at))] if block.get("title") else []
        if source["type"] == "text":
            return [*title, text_part(text(source, "data", f"{at}.source"))]
        return [*title, *_parts(source.get("content"), f"{at}.source.content", conversation)]
    return [_part(at, block, conversation)]


def _part(at: str, block: Fields, conversation: Conversation) -> dict[str, Any]:
    kind = block.get("type")
    if kind == "text":
        conversation.leave(block, at, "type", "text")
        return text_part(text(block, "text", at))
    source = block.get("source") if kind == "image" else None
    if not isinstance(source, Mapping) or source.get("type") not in ("base64", "url"):
        refuse_kind(at, block, "a block", REMEDY)
    conversation.leave(block, at, "type", "source")
    at = f"{at}.source"
    if source["type"] == "url":
        return image_part(text(source, "url", at))
    return image_part(f"data:{text(source, 'media_type', at)};base64,{text(source, 'data', at)}")
