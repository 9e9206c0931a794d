"""Requests of three APIs as messages, tools and options."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NoReturn

from lect import MessageError, Row
from lect.errors import saferepr
from lect.plugin import boundary, normalize
from lect_apis.conversation import Conversation, mapping
from lect_apis.read_completions import is_completion, read_completions
from lect_apis.read_messages import read_messages
from lect_apis.read_responses import read_responses

if TYPE_CHECKING:
    from collections.abc import Mapping

Api = Literal["chat", "responses", "messages"]
READERS = {"chat": read_completions, "responses": read_responses, "messages": read_messages}
AS_THEY_ARE = ("parts", "null", "argument_text")
NAMES = {"max_completion_tokens": "max_tokens", "max_output_tokens": "max_tokens", "stop_sequences": "stop"}
"""Options, and what chat completions call them."""


@boundary
def request(data: Mapping[str, Any], *, format: Api | None = None) -> Row:  # noqa: A002  # as in `lect.row`
    """Read a request of OpenAI's chat completions or Responses API, or of Anthropic's Messages API.

    The row has the messages and the tools in the shape that `lect.render` expects. `rest` has all other fields:
    `max_tokens`, `stop` (a list), `tool_choice` and `parallel_tool_calls` as chat completions call and write them, the
    others as they are. `rest["unread"]`, if it is there, has by place what is in messages and tools but is not for the
    model to read, such as signatures and cache marks, and what only the API's own servers can run or understand. The
    results of calls are put in the order of the calls.

    Functions of a namespace are called `namespace__name`, custom tools and shells are functions. The answers of this
    package undo that if they get the request.

    Args:
        data: The body of the request.
        format: `chat`, `responses` or `messages`; by default, a request with `input` is one of the Responses API, and
            one with `messages` is one of chat completions if it has a message, a part or a tool of theirs, else one of
            the Messages API, which says the same.

    Raises:
        MessageError: If it is neither, or no template can write what the model should read: a file, a call of a tool on
            the API's servers, or a conversation that is stored elsewhere.
    """
    fields = mapping(data, "the request")
    name = format or _seen(fields)
    if name not in READERS:
        _refuse(fields, format)
    conversation = Conversation()
    read = READERS[name](fields, conversation)
    rest = {NAMES.get(key, key): value for key, value in fields.items() if key not in read and value is not None}
    rest |= conversation.options
    if isinstance(rest.get("stop"), str):
        rest["stop"] = [rest["stop"]]
    if conversation.unread:
        rest["unread"] = conversation.unread
    # Clients answer parallel calls in any order, and most formats write results without ids.
    messages, _ = normalize(conversation.messages, accepts=AS_THEY_ARE, sort_results=True)
    return Row([*map(dict, messages)], conversation.tools or None, None, None, None, rest)


def _seen(fields: Mapping[str, Any]) -> str:
    """Return the API of a request; empty if it is of none."""
    if "input" in fields:
        return "responses"
    return ("chat" if is_completion(fields) else "messages") if "messages" in fields else ""


def _refuse(fields: Mapping[str, Any], format: str | None) -> NoReturn:  # noqa: A002  # as above
    if format:
        msg = f"format is {saferepr(format)}; expected 'chat', 'responses' or 'messages'"
    else:
        msg = f"a request has input or messages, but this one has {', '.join(map(str, fields)) or 'no fields'}"
    raise MessageError(msg)
