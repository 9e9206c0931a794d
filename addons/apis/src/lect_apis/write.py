"""What the answers of both APIs have in common: they are made of blocks that follow one another."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple

from lect.plugin import boundary

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from lect import Reply

TEXTS = ("content", "reasoning")
FAILED = "error"
CUT_OFF = ("length", "content_filter", FAILED)
"""The finish reasons of a reply whose last text is not complete."""


class Counts(NamedTuple):
    """How many tokens a reply took, as far as the server said."""

    output: int | None = None
    reasoning: int = 0
    cached: int = 0


class AnswerEvents(ABC):
    """The events of an answer: dictionaries that a server sends as they are, each as `sse(event)`.

    Send what `opening()` returns first, then what each `feed(text)` returns, then what `close()` returns, or if the
    engine failed, `fail()`.
    """

    def __init__(self, stream: Any, model: str, request: Mapping[str, Any] | None, input_tokens: int | None):
        self._stream = stream
        self._model = model
        self._request = request or {}
        self._input_tokens = input_tokens
        self._blocks: list[dict[str, Any]] = []
        self._kind = ""
        self._texts: list[str] = []

    @abstractmethod
    def opening(self) -> list[dict[str, Any]]:
        """Return the events that begin the answer."""

    def feed(self, text: str) -> list[dict[str, Any]]:
        """Add a piece of the model's output, and return the new events."""
        return self.add(self._stream.feed(text))

    @boundary
    def add(self, events: Iterable[Any]) -> list[dict[str, Any]]:
        """Return the new events for those that the stream returned, if you feed it yourself."""
        return list(self._events(events))

    @boundary
    def close(
        self,
        finish: str | None = None,
        *,
        output_tokens: int | None = None,
        reasoning_tokens: int = 0,
        cached_tokens: int = 0,
    ) -> list[dict[str, Any]]:
        """End the reply, and return the last events.

        Args:
            finish: The engine's finish reason, such as `length`.
            output_tokens: How many tokens were sampled.
            reasoning_tokens: How many of them were reasoning.
            cached_tokens: How many tokens of the prompt the engine took from its cache.
        """
        counts = Counts(output_tokens, reasoning_tokens, cached_tokens)
        return [*self._finish(finish), *self._ending(self.reply, counts)]

    @boundary
    def fail(
        self,
        error: str | Exception,
        *,
        kind: str | None = None,
        output_tokens: int | None = None,
        reasoning_tokens: int = 0,
        cached_tokens: int = 0,
    ) -> list[dict[str, Any]]:
        """End a reply whose engine failed, and return the last events: what was held back, and the error.

        Args:
            error: What the client reads: a text, or an exception with one.
            kind: What the API calls such an error; by default that of a server that failed.
            output_tokens: How many tokens were sampled.
            reasoning_tokens: How many of them were reasoning.
            cached_tokens: How many tokens of the prompt the engine took from its cache.
        """
        counts = Counts(output_tokens, reasoning_tokens, cached_tokens)
        return [*self._finish(FAILED), self._failure(str(error) or repr(error), kind, counts)]

    @property
    def reply(self) -> Reply:
        """The whole reply; reading it closes the stream."""
        reply: Reply = self._stream.close()
        return reply

    def _finish(self, finish: str | None) -> list[dict[str, Any]]:
        events = self.add(self._stream.finish(finish))
        if self._kind:
            events += self._end(is_complete=self.reply.finish not in CUT_OFF)
        return events

    def _events(self, events: Iterable[Any]) -> Iterator[dict[str, Any]]:
        for event in events:
            kind = event.kind
            if kind == "call_start" or (kind in TEXTS and kind != self._kind):
                if self._kind:
                    yield from self._end()
                self._kind, self._texts = kind, []
                yield from self._begin(kind, event.text, event.id)
            if kind in TEXTS or kind == "call_args":
                self._texts.append(event.text)
                yield from self._delta(self._kind, event.text)
            elif kind == "call_end":
                yield from self._end(is_complete=event.call.complete, arguments=event.call.arguments)

    def _end(self, *, is_complete: bool = True, arguments: Any = None) -> Iterator[dict[str, Any]]:
        kind, text = self._kind, "".join(self._texts)
        self._kind = ""
        return self._done(kind, text, is_complete, arguments)

    @abstractmethod
    def _begin(self, kind: str, name: str, id: str | None) -> Iterator[dict[str, Any]]:  # noqa: A002  # as in events
        """Begin a block; a call has a name and an id."""

    @abstractmethod
    def _delta(self, kind: str, text: str) -> Iterator[dict[str, Any]]:
        """Add text to the block that is open."""

    @abstractmethod
    def _done(self, kind: str, text: str, is_complete: bool, arguments: Any) -> Iterator[dict[str, Any]]:
        """End the block that is open; a call that is complete has arguments."""

    @abstractmethod
    def _ending(self, reply: Reply, counts: Counts) -> list[dict[str, Any]]:
        """End the answer."""

    @abstractmethod
    def _failure(self, message: str, kind: str | None, counts: Counts) -> dict[str, Any]:
        """End the answer of an engine that failed."""


class Step(NamedTuple):
    """What an event of a stream says that an answer is made of."""

    kind: str
    text: str = ""
    id: str | None = None
    call: Any = None


class Replay:
    """A reply that is complete, as a stream of which nothing has been read."""

    def __init__(self, reply: Reply):
        self.reply = reply

    def finish(self, _: str | None = None) -> Iterator[Step]:
        """Return the steps of the reply, in the order in which the model wrote them."""
        reply = self.reply
        written = sorted([*_written(reply, "reasoning"), *_written(reply, "content")], key=lambda piece: piece[0])
        for call in sorted((*reply.tool_calls, *reply.incomplete), key=lambda call: call.index):
            before = [piece for piece in written if call.span is None or piece[0] < call.span[0]]
            written = written[len(before) :]
            yield from _texts(before)
            yield Step("call_start", call.name, call.id or f"call_{call.index}")
            if text := call.to_openai()["function"]["arguments"]:
                yield Step("call_args", text)
            yield Step("call_end", call=call)
        yield from _texts(written)

    @boundary
    def close(self) -> Reply:
        return self.reply


def _written(reply: Reply, kind: str) -> Iterator[tuple[int, str, str]]:
    """Yield where each piece of the content or of the reasoning begins in the raw text, its kind and its text.

    What a format adds between two pieces belongs to the second, as in the events. A text that is not made of its pieces
    is one piece, at the start.
    """
    text = (reply.content if kind == "content" else reply.reasoning) or ""
    pieces = [(piece.start, reply.raw[piece.start : piece.end]) for piece in reply.pieces if piece.kind == kind]
    ends = [0]
    for _, written in pieces:
        ends.append(text.find(written, ends[-1]) + len(written))
        if ends[-1] < ends[-2] + len(written):
            pieces = []
            break
    if not pieces:
        yield from [(-1, kind, text)] if text else ()
        return
    ends[-1] = len(text)
    for (start, _), begin, end in zip(pieces, ends, ends[1:], strict=False):
        yield start, kind, text[begin:end]


def _texts(pieces: Iterable[tuple[int, str, str]]) -> Iterator[Step]:
    for kind, group in groupby(pieces, key=lambda piece: piece[1]):
        yield Step(kind, "".join(text for _, _, text in group))


def new_id(prefix: str) -> str:
    """Return a random id."""
    import uuid

    return f"{prefix}_{uuid.uuid4().hex}"


@boundary
def sse(event: Mapping[str, Any]) -> str:
    """Return an event of either API as the lines of a server-sent event."""
    return f"event: {event['type']}\ndata: {json.dumps(event)}\n\n"
