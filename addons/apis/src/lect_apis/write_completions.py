"""Chat completions of OpenAI's API, streamed and whole."""

from __future__ import annotations

import sys
from time import time
from typing import TYPE_CHECKING, Any, Literal, get_args
from uuid import uuid4

from lect.errors import MessageError, expect_one_of
from lect.plugin import boundary
from lect_apis.own_tools import input_of, own_tools
from lect_apis.partial import partial_value

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from lect import Reply

OUR_KEY = "reasoning_content"
ReasoningKey = Literal["reasoning_content", "reasoning"]


class ChatChunks:
    """The chunks of a chat completion: dictionaries that a server sends as they are, each as one JSON text.

    Send `opening()` first, then what each `feed(text)` returns, then what `close()` returns: its last chunk says why
    the reply ended. If the engine fails, send what `fail()` returns instead.

    Args:
        stream: The reply that is still arriving: what `lect.stream` or `Template.stream` returned.
        model: The name of the model for the client.
        id: The id of the completion; a random one by default.
        created: When it began, in seconds since 1970; now by default.
        reasoning_key: The key under which clients look for the reasoning: OpenAI's API has none.
        index: The number of the choice, if a request asks for several.
        request: The request: calls of its custom tools come back as such, each in one chunk.

    Raises:
        MessageError: If `reasoning_key` is unknown.
    """

    def __init__(
        self,
        stream: Any,
        model: str,
        *,
        id: str | None = None,  # noqa: A002  # as in the API
        created: int | None = None,
        reasoning_key: ReasoningKey = "reasoning_content",
        index: int = 0,
        request: Mapping[str, Any] | None = None,
    ):
        expect_one_of(get_args(ReasoningKey), "reasoning_key", reasoning_key, MessageError)
        self._stream = stream
        self._head = _head("chat.completion.chunk", model, id, created)
        self._reasoning_key = reasoning_key
        self._index = index
        self._custom = _custom_names(request)
        self._held: dict[int, tuple[Any, list[str]]] = {}
        """Calls of custom tools that are still arriving, by their number: how each began, and its texts."""

    def opening(self) -> dict[str, Any]:
        """Return the first chunk of the completion, with the role."""
        return self._chunk({"role": "assistant", "content": ""})

    def feed(self, text: str) -> list[dict[str, Any]]:
        """Add a piece of the model's output, and return the new chunks."""
        return self._chunks(self._stream.feed(text))

    @boundary
    def feed_ids(self, ids: Iterable[int]) -> list[dict[str, Any]]:
        """Add sampled tokens, and return the new chunks."""
        return self._chunks(self._stream.feed_ids(ids))

    @boundary
    def add(self, events: Iterable[Any]) -> list[dict[str, Any]]:
        """Return the new chunks for events that the stream returned, if you feed it yourself."""
        return self._chunks(events)

    def close(self, finish: str | None = None) -> list[dict[str, Any]]:
        """End the reply, and return the last chunks; `finish` is the engine's finish reason, such as `length`."""
        chunks = [*self._chunks(self._stream.finish(finish)), *self._broken_off()]
        return [*chunks, self._chunk({}, self.reply.finish or "stop")]

    @boundary
    def fail(self, error: str | Exception, *, kind: str = "server_error") -> list[dict[str, Any]]:
        """End a reply whose engine failed, and return the last chunks, of which the last has the text of `error`."""
        told = {"message": str(error) or repr(error), "type": kind, "param": None, "code": None}
        chunks = [*self._chunks(self._stream.finish("error")), *self._broken_off()]
        return [*chunks, {**self._head, "choices": [], "error": told}]

    @boundary
    def usage(
        self, prompt_tokens: int, completion_tokens: int | None = None, *, cached_tokens: int | None = None
    ) -> dict[str, Any]:
        """Return the chunk that follows the last one if the request has `stream_options.include_usage`.

        The arguments are those of the function `usage`.
        """
        counted = usage(self._stream, prompt_tokens, completion_tokens, cached_tokens=cached_tokens)
        return {**self._head, "choices": [], "usage": counted}

    @property
    def reply(self) -> Reply:
        """The whole reply; reading it closes the stream."""
        reply: Reply = self._stream.close()
        return reply

    def _chunks(self, events: Iterable[Any]) -> list[dict[str, Any]]:
        return [self._chunk(delta) for event in events for delta in self._deltas(event)]

    def _deltas(self, event: Any) -> Iterator[dict[str, Any]]:
        """Yield what an event says as deltas; a call of a custom tool comes whole, for the model wrote it as JSON."""
        kind, index = event.kind, event.index
        if kind == "call_start" and event.text in self._custom:
            self._held[index] = (event, [])
        elif kind == "call_args" and index in self._held:
            self._held[index][1].append(event.text)
        elif kind == "call_end" and event.call.index in self._held:
            begun, texts = self._held.pop(event.call.index)
            yield self._custom_delta(begun, event.call.arguments, "".join(texts))
        elif (delta := event.to_openai()) is not None:
            yield delta

    def _broken_off(self) -> list[dict[str, Any]]:
        """Return the chunks of calls of custom tools that did not end, with what arrived of them."""
        held, self._held = self._held, {}
        whole = [(begun, "".join(texts)) for begun, texts in held.values()]
        return [self._chunk(self._custom_delta(begun, partial_value(text), text)) for begun, text in whole]

    def _custom_delta(self, begun: Any, arguments: Any, written: str) -> dict[str, Any]:
        custom = {"name": self._custom[begun.text], "input": input_of(arguments, written)}
        call_id = begun.id or f"call_{begun.index}"
        return {"tool_calls": [{"index": begun.index, "id": call_id, "type": "custom", "custom": custom}]}

    def _chunk(self, delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
        if OUR_KEY in delta:
            delta = {self._reasoning_key: delta[OUR_KEY]}
        return {**self._head, "choices": [{"index": self._index, "delta": delta, "finish_reason": finish}]}


@boundary
def completion(
    reply: Reply,
    model: str,
    *,
    id: str | None = None,  # noqa: A002  # as in the API
    created: int | None = None,
    usage: dict[str, Any] | None = None,
    reasoning_key: ReasoningKey = "reasoning_content",
    index: int = 0,
    request: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Return a reply as a completion that is not streamed.

    The arguments are those of `ChatChunks`; `usage` is what the function of that name returns, if it is to be told.
    """
    message = reply.to_openai()
    custom = _custom_names(request)
    for at, call in enumerate(message.get("tool_calls", ()) if custom else ()):
        function = call["function"]
        if function["name"] in custom:
            text = function["arguments"]
            own = {"name": custom[function["name"]], "input": input_of(partial_value(text), text)}
            message["tool_calls"][at] = {"id": call["id"], "type": "custom", "custom": own}
    if OUR_KEY in message:
        message[reasoning_key] = message.pop(OUR_KEY)
    choice = {"index": index, "message": message, "logprobs": None, "finish_reason": reply.finish or "stop"}
    head = _head("chat.completion", model, id, created)
    return {**head, "choices": [choice], **({} if usage is None else {"usage": usage})}


@boundary
def usage(
    stream: Any, prompt_tokens: int, completion_tokens: int | None = None, *, cached_tokens: int | None = None
) -> dict[str, Any]:
    """Close a stream, and return the usage of the request as in OpenAI's API.

    If text was fed, not ids, `completion_tokens` must be given, and the tokens of the reasoning are estimated by its
    share of the characters. `cached_tokens` is how many of the prompt the engine took from its cache, if it says so.

    Raises:
        MessageError: If it is not given then.
    """
    reply: Reply = stream.close()
    written = len(stream.tokens(0, sys.maxsize))
    if written:
        thoughts = [(piece.start, piece.end) for piece in reply.pieces if piece.kind == "reasoning"]
        reasoning = sum(len(stream.tokens(*span)) for span in thoughts)
    elif completion_tokens is not None:
        written = completion_tokens
        reasoning = round(written * reply.characters["reasoning"] / (len(reply.raw) or 1))
    else:
        raise MessageError("no ids were fed, so their number is unknown\n  try: completion_tokens=...")
    cached = {} if cached_tokens is None else {"prompt_tokens_details": {"cached_tokens": cached_tokens}}
    return {
        "prompt_tokens": prompt_tokens,
        "completion_tokens": written,
        "total_tokens": prompt_tokens + written,
        **cached,
        "completion_tokens_details": {"reasoning_tokens": reasoning},
    }


def _custom_names(request: Mapping[str, Any] | None) -> dict[str, str]:
    """Return the names of the custom tools of a request, by what the model calls them."""
    return {name: own.name for name, own in own_tools(request or {}).items() if own.kind == "custom"}


def _head(kind: str, model: str, own_id: str | None, created: int | None) -> dict[str, Any]:
    """Return what a completion, or a chunk of one, begins with."""
    return {
        "id": own_id or f"chatcmpl-{uuid4().hex}",
        "object": kind,
        "created": int(time()) if created is None else created,
        "model": model,
    }
