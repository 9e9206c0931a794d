"""Chat completions of OpenAI's API, streamed and whole."""

from __future__ import annotations

import sys
from time import time
from typing import TYPE_CHECKING, Any, Literal, get_args
from uuid import uuid4

from lect.errors import MessageError, expect_one_of

if TYPE_CHECKING:
    from collections.abc import Iterable

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
    ):
        expect_one_of(get_args(ReasoningKey), "reasoning_key", reasoning_key, MessageError)
        self._stream = stream
        self._head = _head("chat.completion.chunk", model, id, created)
        self._reasoning_key = reasoning_key
        self._index = index

    def opening(self) -> dict[str, Any]:
        """Return the first chunk of the completion, with the role."""
        return self._chunk({"role": "assistant", "content": ""})

    def feed(self, text: str) -> list[dict[str, Any]]:
        """Add a piece of the model's output, and return the new chunks."""
        return self._chunks(self._stream.feed(text))

    def feed_ids(self, ids: Iterable[int]) -> list[dict[str, Any]]:
        """Add sampled tokens, and return the new chunks."""
        return self._chunks(self._stream.feed_ids(ids))

    def close(self, finish: str | None = None) -> list[dict[str, Any]]:
        """End the reply, and return the last chunks; `finish` is the engine's finish reason, such as `length`."""
        chunks = self._chunks(self._stream.finish(finish))
        return [*chunks, self._chunk({}, self.reply.finish or "stop")]

    def fail(self, error: str | Exception, *, kind: str = "server_error") -> list[dict[str, Any]]:
        """End a reply whose engine failed, and return the last chunks, of which the last has the text of `error`."""
        told = {"message": str(error) or repr(error), "type": kind, "param": None, "code": None}
        return [*self._chunks(self._stream.finish("error")), {**self._head, "choices": [], "error": told}]

    def usage(self, prompt_tokens: int, completion_tokens: int | None = None) -> dict[str, Any]:
        """Return the chunk that follows the last one if the request has `stream_options.include_usage`.

        The arguments are those of the function `usage`.
        """
        return {**self._head, "choices": [], "usage": usage(self._stream, prompt_tokens, completion_tokens)}

    @property
    def reply(self) -> Reply:
        """The whole reply; reading it closes the stream."""
        reply: Reply = self._stream.close()
        return reply

    def _chunks(self, events: Iterable[Any]) -> list[dict[str, Any]]:
        return [self._chunk(delta) for event in events if (delta := event.to_openai()) is not None]

    def _chunk(self, delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
        if OUR_KEY in delta:
            delta = {self._reasoning_key: delta[OUR_KEY]}
        return {**self._head, "choices": [{"index": self._index, "delta": delta, "finish_reason": finish}]}


def completion(
    reply: Reply,
    model: str,
    *,
    id: str | None = None,  # noqa: A002  # as in the API
    created: int | None = None,
    usage: dict[str, Any] | None = None,
    reasoning_key: ReasoningKey = "reasoning_content",
    index: int = 0,
) -> dict[str, Any]:
    """Return a reply as a completion that is not streamed.

    The arguments are those of `ChatChunks`; `usage` is what the function of that name returns, if it is to be told.
    """
    message = reply.to_openai()
    if OUR_KEY in message:
        message[reasoning_key] = message.pop(OUR_KEY)
    choice = {"index": index, "message": message, "logprobs": None, "finish_reason": reply.finish or "stop"}
    head = _head("chat.completion", model, id, created)
    return {**head, "choices": [choice], **({} if usage is None else {"usage": usage})}


def usage(stream: Any, prompt_tokens: int, completion_tokens: int | None = None) -> dict[str, Any]:
    """Close a stream, and return the usage of the request as in OpenAI's API.

    If text was fed, not ids, `completion_tokens` must be given, and the tokens of the reasoning are estimated by its
    share of the characters.

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
    return {
        "prompt_tokens": prompt_tokens,
        "completion_tokens": written,
        "total_tokens": prompt_tokens + written,
        "completion_tokens_details": {"reasoning_tokens": reasoning},
    }


def _head(kind: str, model: str, own_id: str | None, created: int | None) -> dict[str, Any]:
    """Return what a completion, or a chunk of one, begins with."""
    return {
        "id": own_id or f"chatcmpl-{uuid4().hex}",
        "object": kind,
        "created": int(time()) if created is None else created,
        "model": model,
    }
