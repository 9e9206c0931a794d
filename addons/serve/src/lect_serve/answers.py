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

    def __init__(self, stream: Stream, asked: Asked, model: str, prompt_tokens: int) -> None:
        self.stream, self.asked, self.model, self.prompt_tokens = stream, asked, model, prompt_tokens

    def feed(self, pieces: Iterable[Piece]) -> bytes:
        """Return what a client is sent for what the engine sent at once."""
        return self.written(read(self.stream, pieces))

    def take(self, pieces: Iterable[Piece]) -> None:
        """Take what the engine sent at once, for an answer that is sent whole."""
        read(self.stream, pieces)

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


def read(stream: Stream, pieces: Iterable[Piece]) -> list[Event]:
    """Feed what an engine sent to a reply, and return the events."""
    events: list[Event] = []
    ids: list[int] = []
    for piece in pieces:
        if piece.text is not None:
            events += stream.feed_ids(ids) if ids else ()
            ids = []
            events += stream.feed(piece.text)
        elif piece.ids:
            ids += piece.ids
    if ids:
        events += stream.feed_ids(ids)
    return events


class ChatAnswer(Answer):
    """A chat completion."""

    def __init__(self, stream: Stream, asked: Asked, model: str, prompt_tokens: int) -> None:
        super().__init__(stream, asked, model, prompt_tokens)
        self._chunks = lect_apis.ChatChunks(stream, model, request=asked.body)

    def opening(self) -> bytes:
        return _data([self._chunks.opening()])

    def written(self, events: Sequence[Event]) -> bytes:
        return _data(self._chunks.add(events))

    def close(self, finish: str | None, tokens: Tokens) -> bytes:
        chunks = self._chunks.close(finish)
        if self.asked.rest.get("stream_options", {}).get("include_usage"):
            chunks.append({**self._chunks.usage(tokens.prompt, tokens.sampled), "usage": self._usage(tokens)})
        return _data(chunks) + b"data: [DONE]\n\n"

    def fail(self, status: int, message: str, tokens: Tokens) -> bytes:
        return _data(self._chunks.fail(message, kind=kind_of("chat", status)))

    def whole(self, finish: str | None, tokens: Tokens) -> dict[str, Any]:
        self._chunks.close(finish)
        usage = self._usage(tokens)
        return lect_apis.completion(self._chunks.reply, self.model, usage=usage, request=self.asked.body)

    def _usage(self, tokens: Tokens) -> dict[str, Any]:
        told = lect_apis.usage(self.stream, tokens.prompt, tokens.sampled, cached_tokens=tokens.cached)
        # Where an engine sends text for some tokens, only it knows how many they were.
        return {**told, "completion_tokens": tokens.sampled, "total_tokens": tokens.prompt + tokens.sampled}


class EventAnswer(Answer):
    """A response, or a message: both APIs have events with names."""

    events: lect_apis.ResponseEvents | lect_apis.MessageEvents

    def take(self, pieces: Iterable[Piece]) -> None:
        self.events.add(read(self.stream, pieces))

    def opening(self) -> bytes:
        return _named(self.events.opening())

    def written(self, events: Sequence[Event]) -> bytes:
        return _named(self.events.add(events))

    def close(self, finish: str | None, tokens: Tokens) -> bytes:
        return _named(self._closed(finish, tokens))

    def fail(self, status: int, message: str, tokens: Tokens) -> bytes:
        kind = kind_of(self.asked.api, status) if self.asked.api == "messages" else None
        return _named(self.events.fail(message, kind=kind, output_tokens=tokens.sampled, cached_tokens=tokens.cached))

    def whole(self, finish: str | None, tokens: Tokens) -> dict[str, Any]:
        self._closed(finish, tokens)
        return self.made

    @property
    def made(self) -> dict[str, Any]:
        """The whole answer."""
        made = self.events.message if isinstance(self.events, lect_apis.MessageEvents) else self.events.response
        return dict(made)

    def _closed(self, finish: str | None, tokens: Tokens) -> list[dict[str, Any]]:
        # Only a reply that has ended tells how much of it was reasoning.
        events = self.events.add(self.stream.finish(finish))
        counts = {"output_tokens": tokens.sampled, "cached_tokens": tokens.cached}
        return [*events, *self.events.close(finish, reasoning_tokens=self.reasoning(tokens), **counts)]


class ResponseAnswer(EventAnswer):
    """A response of OpenAI's Responses API."""

    def __init__(self, stream: Stream, asked: Asked, model: str, prompt_tokens: int) -> None:
        super().__init__(stream, asked, model, prompt_tokens)
        self.events = lect_apis.ResponseEvents(stream, model, request=asked.body, input_tokens=prompt_tokens)


class MessageAnswer(EventAnswer):
    """A message of Anthropic's Messages API."""

    ping = b'event: ping\ndata: {"type":"ping"}\n\n'

    def __init__(self, stream: Stream, asked: Asked, model: str, prompt_tokens: int) -> None:
        super().__init__(stream, asked, model, prompt_tokens)
        self.events = lect_apis.MessageEvents(stream, model, request=asked.body, input_tokens=prompt_tokens)


KINDS: Mapping[str, type[Answer]] = {"chat": ChatAnswer, "responses": ResponseAnswer, "messages": MessageAnswer}


def error(api: Any, status: int, message: str, code: str | None = None) -> bytes:
    """Return the body of an error."""
    return dumps(body_of(api, status, message, code))


def _data(chunks: Iterable[Mapping[str, Any]]) -> bytes:
    return b"".join(b"data: " + dumps(chunk) + b"\n\n" for chunk in chunks)


def _named(events: Iterable[Mapping[str, Any]]) -> bytes:
    return b"".join(b"event: %s\ndata: %s\n\n" % (each["type"].encode(), dumps(each)) for each in events)
