"""Requests of OpenAI's Responses API."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from lect import MessageError
from lect.errors import saferepr
from lect_apis.conversation import Turn, image_part, items, refuse_kind, shortened, text, text_part
from lect_apis.own_tools import add_tools, called

if TYPE_CHECKING:
    from lect_apis.conversation import Conversation, Fields

TEXTS = {"input_text": "text", "output_text": "text", "text": "text", "reasoning_text": "text", "refusal": "refusal"}
"""The parts that are text, and the field that holds it."""
READ = frozenset({"input", "instructions", "tools", "tool_choice"})
ELSEWHERE = ("previous_response_id", "conversation", "prompt")
"""The fields that name messages which are not in the request."""
CALLS = frozenset({"function_call", "custom_tool_call", "local_shell_call", "shell_call"})
RESULTS = frozenset(f"{each}_output" for each in CALLS)
OF_SERVERS = frozenset({
    "code_interpreter_call", "compaction", "computer_call", "computer_call_output", "file_search_call",
    "image_generation_call", "item_reference", "mcp_approval_request", "mcp_approval_response", "mcp_call",
    "mcp_list_tools", "tool_search_call", "tool_search_output", "web_search_call",
})  # fmt: skip
"""The items that only the servers of the API understand: what they have done, or what is stored there."""
ITEM = ("type", "id", "status")
"""The fields of every item: they number and describe it, and are not named when they are left out."""


def read_responses(request: Fields, conversation: Conversation) -> frozenset[str]:
    """Read a request; return the fields that are read."""
    for name in ELSEWHERE:
        if request.get(name) is not None:
            raise MessageError(
                f"{name} is {saferepr(request[name])}: its messages are not in the request\n"
                f"  try: put them at the start of input, and remove {name}"
            )
    if request.get("instructions") is not None:
        conversation.messages.append({"role": "system", "content": text(request, "instructions", "the request")})
    given = request.get("input")
    if isinstance(given, str):
        conversation.messages.append({"role": "user", "content": given})
    else:
        _Items(conversation).read(given)
    add_tools(request, conversation)
    choice = request.get("tool_choice")
    if isinstance(choice, Mapping) and choice.get("type") in ("function", "custom"):
        choice = {"type": "function", "function": {"name": choice.get("name")}}
    elif isinstance(choice, Mapping) and choice.get("type") == "allowed_tools":
        conversation.leave(choice, "tool_choice", "type", "mode")
        choice = choice.get("mode")
    if choice is not None:
        conversation.options["tool_choice"] = choice
    return READ


def _id_of(item: Fields) -> Any:
    """Return the id of a call; that of a local shell's result is its only one."""
    return item.get("call_id") or item.get("id")


class _Items:
    """Reads the items of `input`.

    The items of one turn of the model are one message. Such a turn ends where somebody else has the word, or where a
    message follows a message: no answer has that.
    """

    def __init__(self, conversation: Conversation):
        self.conversation = conversation
        self.turn: Turn | None = None
        self.is_after_message = False

    def read(self, given: Any) -> None:
        for at, item in items(given, "input"):
            kind = item.get("type") or "message"
            if kind in OF_SERVERS:
                self.conversation.unread[at] = item
                continue
            is_answer = kind == "message" and item.get("role") == "assistant"
            if (is_answer and self.is_after_message) or not (is_answer or kind == "reasoning" or kind in CALLS):
                self.end()
            self.is_after_message = is_answer
            if kind == "message":
                self.message(at, item)
            elif kind == "reasoning":
                self.reasoning(at, item)
            elif kind in CALLS:
                self.answer.add_call(_id_of(item), *called(item, at))
                self.conversation.leave(item, at, *ITEM, "call_id", "name", "namespace", "arguments", "input", "action")
            elif kind in RESULTS:
                output = item.get("output")
                if kind == "shell_call_output" and not isinstance(output, str):
                    output = json.dumps(output, ensure_ascii=False)
                self.conversation.add_result(_id_of(item), self.parts(output, f"{at}.output"))
                self.conversation.leave(item, at, *ITEM, "call_id", "output", "name", "namespace")
            else:
                refuse_kind(at, item, "an item", "leave it out, or say in a message what it says")
        self.end()

    @property
    def answer(self) -> Turn:
        """The turn of the model that is being read."""
        self.turn = self.turn or Turn()
        return self.turn

    def end(self) -> None:
        if self.turn:
            self.conversation.messages.append(self.turn.message())
        self.turn = None

    def message(self, at: str, item: Fields) -> None:
        parts = self.parts(item.get("content"), f"{at}.content")
        role = text(item, "role", at)
        if role == "assistant":
            if image := next((part for part in parts if part["type"] != "text"), None):
                refuse_kind(at, image, "an answer with a part", "the part in a message of the user")
            self.answer.content += "".join(part["text"] for part in parts)
        else:
            self.conversation.messages.append({"role": role, "content": shortened(parts)})
        self.conversation.leave(item, at, *ITEM, "role", "content")

    def reasoning(self, at: str, item: Fields) -> None:
        """Read reasoning; where there is only a summary of it, the summary."""
        name = "content" if item.get("content") else "summary"
        texts = [text(each, "text", place) for place, each in items(item.get(name), f"{at}.{name}")]
        if texts:
            self.answer.add_reasoning(("" if name == "content" else "\n\n").join(texts))
        self.conversation.leave(item, at, *ITEM, name)

    def parts(self, content: Any, at: str) -> list[dict[str, Any]]:
        if isinstance(content, str):
            return [text_part(content)]
        return [self.part(place, part) for place, part in items(content, at)]

    def part(self, at: str, part: Fields) -> dict[str, Any]:
        kind = part.get("type")
        if isinstance(kind, str) and kind in TEXTS:
            field = TEXTS[kind]
            self.conversation.leave(part, at, "type", field)
            return text_part(text(part, field, at))
        if kind != "input_image" or not part.get("image_url"):
            refuse_kind(at, part, "a part", "its text as input_text, or an input_image with an image_url")
        self.conversation.leave(part, at, "type", "image_url", "detail")
        detail = part.get("detail")
        return image_part(text(part, "image_url", at), **({} if detail in (None, "auto") else {"detail": detail}))
