"""A reply as a server streams it to clients of OpenAI's API."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, get_args

from lect.errors import MessageError, expect_one_of
from lect.reply.reply import OUR_KEY, completion_head

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lect.reply.events import Event
    from lect.reply.reply import Reply
    from lect.reply.stream import ReplyStream

ReasoningKey = Literal["reasoning_content", "reasoning"]


class ChatChunks:
    """The chunks of a chat completion: dictionaries that a server sends as they are, each as one JSON text.

    Send `opening()` first, then what each `feed(text)` returns, then what `close()` returns: its last chunk says why
    the reply ended. If the engine fails, send what `fail()` returns instead.

    Args:
        stream: The reply that is still arriving.
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
        stream: ReplyStream,
        model: str,
        *,
        id: str | None = None,  # noqa: A002  # as in the API
        created: int | None = None,
        reasoning_key: ReasoningKey = "reasoning_content",
        index: int = 0,
    ):
        expect_one_of(get_args(ReasoningKey), "reasoning_key", reasoning_key, MessageError)
        self._stream = stream
        self._head = completion_head("chat.completion.chunk", model, id, created)
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

        The arguments are those of `ReplyStream.usage`.
        """
        return {**self._head, "choices": [], "usage": self._stream.usage(prompt_tokens, completion_tokens)}

    @property
    def reply(self) -> Reply:
        """The whole reply; reading it closes the stream."""
        return self._stream.close()

    def _chunks(self, events: Iterable[Event]) -> list[dict[str, Any]]:
        return [self._chunk(delta) for event in events if (delta := event.to_openai()) is not None]

    def _chunk(self, delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
        if OUR_KEY in delta:
            delta = {self._reasoning_key: delta[OUR_KEY]}
        return {**self._head, "choices": [{"index": self._index, "delta": delta, "finish_reason": finish}]}
