"""Answers of three APIs, as bytes for a stream or whole."""

from __future__ import annotations

import asyncio
import json
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, NamedTuple

import lect_apis
from lect_serve.one_call import OneCall
from lect_serve.refusals import body_of, kind_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from lect import Reply
    from lect.addon import Event, ReplyStream
    from lect_serve.asked import Asked
    from lect_serve.engines.base import Piece
    from lect_serve.scores import Scores

    Stream = ReplyStream | OneCall

COMMENT = b": ping\n\n"
"""A line of a stream that no client reads."""


def dumps(value: Any) -> bytes:
    """Return a value as JSON; half of a surrogate pair, which a client may have sent, is escaped."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.encode("utf-8", "backslashreplace")


class Tokens(NamedTuple):
    """How many tokens a request took."""

    prompt: int
    sampled: int
    cached: int = 0


class Answer(ABC):
    """An answer that is still arriving."""

    ping = COMMENT
    """What tells a client that the server lives."""

    def __init__(
        self, stream: Stream, asked: Asked, model: str, prompt_tokens: int, scores: Scores | None = None
    ) -> None:
        self.stream, self.asked, self.model, self.prompt_tokens = stream, asked, model, prompt_tokens
        self.scores = scores
        """The log probabilities, if the client wants them."""
        self.scored: list[dict[str, Any]] = []
        """Those of the text so far."""
        self.begin()

    @abstractmethod
    def begin(self) -> None:
        """Make what writes the answer."""

    def feed(self, pieces: Iterable[Piece]) -> bytes:
        """Return what a client is sent for what the engine sent at once."""
        return self.written(self.read(pieces))

    def take(self, pieces: Iterable[Piece]) -> None:
        """Take what the engine sent at once, for an answer that is sent whole."""
        self.read(pieces)

    def read(self, pieces: Iterable[Piece]) -> list[Event]:
        """Feed what an engine sent to the reply, and return the events."""
        events: list[Event] = []
        ids: list[int] = []
        for piece in pieces:
            if self.scores is not None:
                self.scores.add(piece)
            if piece.text is not None:
                events += self.stream.feed_ids(ids) if ids else ()
                ids = []
                events += self.stream.feed(piece.text)
            elif piece.ids:
                ids += piece.ids
        if ids:
            events += self.stream.feed_ids(ids)
        return events

    def finished(self, finish: str | None) -> list[Event]:
        """End the reply, and return the last events."""
        if self.scores is not None:
            self.scores.end()
        return self.stream.finish(finish)

    @property
    def is_over(self) -> bool:
        """Whether nothing more is wanted of the engine."""
        return isinstance(self.stream, OneCall) and self.stream.is_over

    async def settle(self, finish: str | None) -> int | None:
        """Return with how many tokens the answer ends before the engine did; None if it does not."""
        if not isinstance(self.stream, OneCall):
            return None
        return await asyncio.to_thread(self.stream.settle, finish)

    def reasoning(self, tokens: Tokens) -> int:
        """Return how many of the tokens were reasoning; the reply is closed."""
        counted = lect_apis.usage(self.stream, tokens.prompt, tokens.sampled)
        return int(counted["completion_tokens_details"]["reasoning_tokens"])

    @abstractmethod
    def opening(self) -> bytes:
        """Return what a stream begins with."""

    @abstractmethod
    def written(self, events: Sequence[Event]) -> bytes:
        """Return events as bytes of a stream."""

    @abstractmethod
    def close(self, finish: str | None, tokens: Tokens) -> bytes:
        """End the answer, and return the end of a stream."""

    @abstractmethod
    def fail(self, status: int, message: str, tokens: Tokens) -> bytes:
        """End an answer that failed, and return the end of a stream."""

    @abstractmethod
    def whole(self, finish: str | None, tokens: Tokens) -> dict[str, Any]:
        """End the answer, and return it as one object."""

    @property
    def reply(self) -> Reply:
        """What the model wrote, once the answer has ended."""
        return self.stream.close()


class ChatAnswer(Answer):
    """A chat completion."""

    def begin(self) -> None:
        self._chunks = lect_apis.ChatChunks(self.stream, self.model, request=self.asked.body)

    def take(self, pieces: Iterable[Piece]) -> None:
        events = self.read(pieces)
        if self.scores is not None:
            self._added(events)

    def opening(self) -> bytes:
        return _data([self._chunks.opening()])

    def written(self, events: Sequence[Event]) -> bytes:
        return _data(self._added(events))

    def _added(self, events: Sequence[Event]) -> list[dict[str, Any]]:
        if self.scores is None:
            return self._chunks.add(events)
        made: list[dict[str, Any]] = []
        for event in events:
            chunks = self._chunks.add([event])
            if event.kind == "content":
                scored = self.scores.of(event)
                self.scored += scored
                chunks[0]["choices"][0]["logprobs"] = {"content": scored, "refusal": None}
            made += chunks
        return made

    def close(self, finish: str | None, tokens: Tokens) -> bytes:
        chunks = [*self._added(self.finished(finish)), *self._chunks.close(finish)]
        if self.asked.rest.get("stream_options", {}).get("include_usage"):
            chunks.append({**self._chunks.usage(tokens.prompt, tokens.sampled), "usage": self._usage(tokens)})
        return _data(chunks) + b"data: [DONE]\n\n"

    def fail(self, status: int, message: str, tokens: Tokens) -> bytes:
        return _data(self._chunks.fail(message, kind=kind_of("chat", status)))

    def whole(self, finish: str | None, tokens: Tokens) -> dict[str, Any]:
        self._added(self.finished(finish))
        self._chunks.close(finish)
        usage = self._usage(tokens)
        made = lect_apis.completion(self._chunks.reply, self.model, usage=usage, request=self.asked.body)
        if self.scores is not None:
            made["choices"][0]["logprobs"] = {"content": self.scored, "refusal": None}
        return made

    def _usage(self, tokens: Tokens) -> dict[str, Any]:
        told = lect_apis.usage(self.stream, tokens.prompt, tokens.sampled, cached_tokens=tokens.cached)
        # Where an engine sends text for some tokens, only it knows how many they were.
        return {**told, "completion_tokens": tokens.sampled, "total_tokens": tokens.prompt + tokens.sampled}


class EventAnswer(Answer):
    """A response, or a message: both APIs have events with names."""

    events: lect_apis.ResponseEvents | lect_apis.MessageEvents

    def take(self, pieces: Iterable[Piece]) -> None:
        self.added(self.read(pieces))

    def opening(self) -> bytes:
        return _named(self.events.opening())

    def written(self, events: Sequence[Event]) -> bytes:
        return _named(self.added(events))

    def added(self, events: Sequence[Event]) -> list[dict[str, Any]]:
        """Return events as those of the API."""
        return self.events.add(events)

    def close(self, finish: str | None, tokens: Tokens) -> bytes:
        return _named(self.closed(finish, tokens))

    def fail(self, status: int, message: str, tokens: Tokens) -> bytes:
        kind = kind_of(self.asked.api, status) if self.asked.api == "messages" else None
        return _named(self.events.fail(message, kind=kind, output_tokens=tokens.sampled, cached_tokens=tokens.cached))

    def whole(self, finish: str | None, tokens: Tokens) -> dict[str, Any]:
        self.closed(finish, tokens)
        return self.made

    @property
    def made(self) -> dict[str, Any]:
        """The whole answer."""
        made = self.events.message if isinstance(self.events, lect_apis.MessageEvents) else self.events.response
        return dict(made)

    def closed(self, finish: str | None, tokens: Tokens) -> list[dict[str, Any]]:
        """End the answer, and return the last events of the API."""
        # Only a reply that has ended tells how much of it was reasoning.
        events = self.added(self.finished(finish))
        counts = {"output_tokens": tokens.sampled, "cached_tokens": tokens.cached}
        return [*events, *self.ended(self.events.close(finish, reasoning_tokens=self.reasoning(tokens), **counts))]

    def ended(self, events: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Return the last events of the API."""
        return events


class ResponseAnswer(EventAnswer):
    """A response of OpenAI's Responses API."""

    def begin(self) -> None:
        self.events = lect_apis.ResponseEvents(
            self.stream, self.model, request=self.asked.body, input_tokens=self.prompt_tokens
        )

    def added(self, events: Sequence[Event]) -> list[dict[str, Any]]:
        if self.scores is None:
            return super().added(events)
        made: list[dict[str, Any]] = []
        for event in events:
            scored = self.scores.of(event) if event.kind == "content" else []
            made += self._with_scores(self.events.add([event]), scored)
        return made

    def ended(self, events: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return events if self.scores is None else self._with_scores(events, [])

    def _with_scores(self, events: list[dict[str, Any]], scored: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Return events of the API with the tokens of their texts; the whole text has their bytes, too."""
        for each in events:
            if each["type"] == "response.output_text.delta":
                self.scored += scored
                each["logprobs"] = _without_bytes(scored)
            elif each["type"] == "response.output_text.done":
                each["logprobs"] = _without_bytes(self.scored)
            elif each["type"] == "response.content_part.done" and each["part"]["type"] == "output_text":
                # The item, and the response, have the same part.
                each["part"]["logprobs"], self.scored = self.scored, []
        return events


def _without_bytes(scored: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    return [{name: value for name, value in each.items() if name != "bytes"} for each in scored]


class MessageAnswer(EventAnswer):
    """A message of Anthropic's Messages API."""

    ping = b'event: ping\ndata: {"type":"ping"}\n\n'

    def begin(self) -> None:
        self.events = lect_apis.MessageEvents(
            self.stream, self.model, request=self.asked.body, input_tokens=self.prompt_tokens
        )


KINDS: Mapping[str, type[Answer]] = {"chat": ChatAnswer, "responses": ResponseAnswer, "messages": MessageAnswer}


def error(api: Any, status: int, message: str, code: str | None = None) -> bytes:
    """Return the body of an error."""
    return dumps(body_of(api, status, message, code))


def _data(chunks: Iterable[Mapping[str, Any]]) -> bytes:
    return b"".join(b"data: " + dumps(chunk) + b"\n\n" for chunk in chunks)


def _named(events: Iterable[Mapping[str, Any]]) -> bytes:
    return b"".join(b"event: %s\ndata: %s\n\n" % (each["type"].encode(), dumps(each)) for each in events)
