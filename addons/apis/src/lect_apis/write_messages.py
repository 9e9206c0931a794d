"""Answers of Anthropic's Messages API."""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, Any

from lect_apis.partial import partial_value
from lect_apis.write import AnswerEvents, Replay, new_id

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from lect import Reply
    from lect_apis.write import Counts

BLOCKS: dict[str, dict[str, Any]] = {
    "content": {"type": "text", "text": ""},
    # Only the API's own servers can sign.
    "reasoning": {"type": "thinking", "thinking": "", "signature": ""},
    "call_start": {"type": "tool_use", "input": {}},
}
DELTAS = {
    "content": ("text_delta", "text"),
    "reasoning": ("thinking_delta", "thinking"),
    "call_start": ("input_json_delta", "partial_json"),
}
"""For each kind of block, the type of its deltas and the field that holds their text."""
REASONS = {"tool_calls": "tool_use", "length": "max_tokens", "content_filter": "refusal"}
"""Finish reasons, and what this API calls them; any other is the end of the turn."""


class MessageEvents(AnswerEvents):
    """The events of a message of Anthropic's Messages API.

    They are dictionaries that a server sends as they are, each as `sse(event)`. Send what `opening()` returns first,
    then what each `feed(text)` returns, then what `close()` returns, or if the engine failed, `fail()`. After that,
    `message` is the whole message.

    Args:
        stream: The reply that is still arriving: what `lect.stream` or `Template.stream` returned.
        model: The name of the model for the client.
        request: The request: a reply that ends at one of its `stop_sequences` says so.
        id: The id of the message; a random one by default.
        input_tokens: How many tokens the prompt has.
    """

    def __init__(
        self,
        stream: Any,
        model: str,
        *,
        request: Mapping[str, Any] | None = None,
        id: str | None = None,  # noqa: A002  # as in the API
        input_tokens: int | None = None,
    ):
        super().__init__(stream, model, request, input_tokens)
        self.message: dict[str, Any] = {
            "id": id or new_id("msg"),
            "type": "message",
            "role": "assistant",
            "model": model,
            "content": [],
            "stop_reason": None,
            "stop_sequence": None,
            "usage": {"input_tokens": input_tokens or 0, "output_tokens": 0},
        }
        """The message: what it has so far, and the whole of it after `close()` or `fail()`."""
        self._block: dict[str, Any] = {}

    def opening(self) -> list[dict[str, Any]]:
        """Return the event that begins the message."""
        return [{"type": "message_start", "message": self.message}]

    def _begin(self, kind: str, name: str, id: str | None) -> Iterator[dict[str, Any]]:  # noqa: A002  # as in events
        self._block = {**deepcopy(BLOCKS[kind]), **({"id": id, "name": name} if kind == "call_start" else {})}
        yield {"type": "content_block_start", "index": len(self._blocks), "content_block": self._block}

    def _delta(self, kind: str, text: str) -> Iterator[dict[str, Any]]:
        name, field = DELTAS[kind]
        yield {"type": "content_block_delta", "index": len(self._blocks), "delta": {"type": name, field: text}}

    def _done(self, kind: str, text: str, is_complete: bool, arguments: Any) -> Iterator[dict[str, Any]]:
        yield {"type": "content_block_stop", "index": len(self._blocks)}
        if kind == "call_start":
            done = {"input": arguments if is_complete else partial_value(text)}
        else:
            done = {DELTAS[kind][1]: text}
        self._blocks.append({**self._block, **done})

    def _ending(self, reply: Reply, counts: Counts) -> list[dict[str, Any]]:
        reason = REASONS.get(reply.finish or "", "end_turn")
        stop = reply.stop if reply.stop in (self._request.get("stop_sequences") or ()) else None
        if stop is not None and reason == "end_turn":
            reason = "stop_sequence"
        delta = {"stop_reason": reason, "stop_sequence": stop if reason == "stop_sequence" else None}
        usage = self._complete(delta, counts)
        return [{"type": "message_delta", "delta": delta, "usage": usage}, {"type": "message_stop"}]

    def _failure(self, message: str, kind: str | None, counts: Counts) -> dict[str, Any]:
        self._complete({}, counts)
        return {"type": "error", "error": {"type": kind or "api_error", "message": message}}

    def _complete(self, delta: dict[str, Any], counts: Counts) -> dict[str, Any]:
        """Put what has arrived into the message, and return the usage that is new."""
        usage: dict[str, Any] = {"output_tokens": counts.output or 0}
        if counts.cached:
            # In this API, what was read from the cache is not among the others.
            uncached = max((self._input_tokens or 0) - counts.cached, 0)
            usage |= {"input_tokens": uncached, "cache_read_input_tokens": counts.cached}
            usage["cache_creation_input_tokens"] = 0
        if counts.reasoning:
            usage["output_tokens_details"] = {"thinking_tokens": counts.reasoning}
        self.message = {
            **self.message, **delta, "content": self._blocks, "usage": {**self.message["usage"], **usage}
        }  # fmt: skip
        return usage


def message(
    reply: Reply,
    model: str,
    *,
    request: Mapping[str, Any] | None = None,
    id: str | None = None,  # noqa: A002  # as in the API
    input_tokens: int | None = None,
    output_tokens: int | None = None,
    reasoning_tokens: int = 0,
    cached_tokens: int = 0,
) -> dict[str, Any]:
    """Return a reply as a whole message of Anthropic's Messages API; the arguments are those of `MessageEvents`."""
    events = MessageEvents(Replay(reply), model, request=request, id=id, input_tokens=input_tokens)
    events.close(output_tokens=output_tokens, reasoning_tokens=reasoning_tokens, cached_tokens=cached_tokens)
    return events.message
