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
    ending = b""
    """What comes after the last of a stream."""

    def __init__(
        self, stream: Stream, asked: Asked, model: str, prompt_tokens: int, scores: Scores | None = None
    ) -> None:
        self.stream, self.asked, self.model, self.prompt_tokens = stream, asked, model, prompt_tokens
        self.scores = scores
        """The log probabilities, if the client wants them."""
        self.scored: list[dict[str, Any]] = []
        """Those of the text so far."""
        self.writer = self.begun()

    def feed(self, pieces: Iterable[Piece]) -> bytes:
        """Return what a client is sent for what the engine sent at once."""
        return self.encoded(self.take(pieces))

    def take(self, pieces: Iterable[Piece]) -> list[dict[str, Any]]:
        """Take what the engine sent at once, and return it as the API has it."""
        return self._added(self._read(pieces))

    def _read(self, pieces: Iterable[Piece]) -> list[Event]:
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

    def _added(self, events: Sequence[Event]) -> list[dict[str, Any]]:
        if self.scores is None:
            added: list[dict[str, Any]] = self.writer.add(events)
            return added
        made: list[dict[str, Any]] = []
        for event in events:
            scored = self.scores.of(event) if event.kind == "content" else []
            made += self.with_scores(self.writer.add([event]), scored)
        return made

    @property
    def is_over(self) -> bool:
        """Whether nothing more is wanted of the engine."""
        return isinstance(self.stream, OneCall) and self.stream.is_over

    async def settle(self, finish: str | None) -> int | None:
        """Return with how many tokens the answer ends before the engine did; None if it does not."""
        if not isinstance(self.stream, OneCall):
            return None
        return await asyncio.to_thread(self.stream.settle, finish)

    def opening(self) -> bytes:
        """Return what a stream begins with."""
        return self.encoded(self.writer.opening())

    def close(self, finish: str | None, tokens: Tokens) -> bytes:
        """End the answer, and return the end of a stream."""
        return self.encoded(self._closed(finish, tokens)) + self.ending

    def _closed(self, finish: str | None, tokens: Tokens) -> list[dict[str, Any]]:
        if self.scores is not None:
            self.scores.end()
        # Only a reply that has ended tells how much of it was reasoning.
        return [*self._added(self.stream.finish(finish)), *self.with_scores(self.last(finish, tokens), [])]

    @property
    def reply(self) -> Reply:
        """What the model wrote, once the answer has ended."""
        return self.stream.close()

    @abstractmethod
    def begun(self) -> Any:
        """Return what makes objects of the API from events."""

    @abstractmethod
    def encoded(self, objects: Iterable[Mapping[str, Any]]) -> bytes:
        """Return objects of the API as bytes of a stream."""

    @abstractmethod
    def last(self, finish: str | None, tokens: Tokens) -> list[dict[str, Any]]:
        """Return the last objects of an answer whose reply has ended."""

    @abstractmethod
    def fail(self, status: int, message: str, tokens: Tokens) -> bytes:
        """End an answer that failed, and return the end of a stream."""

    @abstractmethod
    def whole(self, finish: str | None, tokens: Tokens) -> dict[str, Any]:
        """End the answer, and return it as one object."""

    def with_scores(self, objects: list[dict[str, Any]], scored: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Return objects of the API, with the tokens of the one that has text."""
        return objects


class ChatAnswer(Answer):
    """A chat completion."""

    writer: lect_apis.ChatChunks
    ending = b"data: [DONE]\n\n"

    def begun(self) -> lect_apis.ChatChunks:
        return lect_apis.ChatChunks(self.stream, self.model, request=self.asked.body)

    def encoded(self, objects: Iterable[Mapping[str, Any]]) -> bytes:
        return b"".join(b"data: " + dumps(each) + b"\n\n" for each in objects)

    def opening(self) -> bytes:
        return self.encoded([self.writer.opening()])

    def last(self, finish: str | None, tokens: Tokens) -> list[dict[str, Any]]:
        chunks = self.writer.close(finish)
        if self.asked.rest.get("stream_options", {}).get("include_usage"):
            chunks.append({**self.writer.usage(tokens.prompt, tokens.sampled), "usage": self._usage(tokens)})
        return chunks

    def fail(self, status: int, message: str, tokens: Tokens) -> bytes:
        return self.encoded(self.writer.fail(message, kind=kind_of("chat", status)))

    def whole(self, finish: str | None, tokens: Tokens) -> dict[str, Any]:
        self._closed(finish, tokens)
        usage = self._usage(tokens)
        made = lect_apis.completion(self.reply, self.model, usage=usage, request=self.asked.body)
        if self.scores is not None:
            made["choices"][0]["logprobs"] = {"content": self.scored, "refusal": None}
        return made

    def _usage(self, tokens: Tokens) -> dict[str, Any]:
        told = lect_apis.usage(self.stream, tokens.prompt, tokens.sampled, cached_tokens=tokens.cached)
        # Where an engine sends text for some tokens, only it knows how many they were.
        return {**told, "completion_tokens": tokens.sampled, "total_tokens": tokens.prompt + tokens.sampled}

    def with_scores(self, objects: list[dict[str, Any]], scored: list[dict[str, Any]]) -> list[dict[str, Any]]:
        self.scored += scored
        for choice in (each["choices"][0] for each in objects if scored):
            choice["logprobs"] = {"content": scored, "refusal": None}
        return objects


class EventAnswer(Answer):
    """A response, or a message: both APIs have events with names."""

    writer: lect_apis.ResponseEvents | lect_apis.MessageEvents

    def encoded(self, objects: Iterable[Mapping[str, Any]]) -> bytes:
        return b"".join(b"event: %s\ndata: %s\n\n" % (each["type"].encode(), dumps(each)) for each in objects)

    def last(self, finish: str | None, tokens: Tokens) -> list[dict[str, Any]]:
        counted = lect_apis.usage(self.stream, tokens.prompt, tokens.sampled)
        reasoning = int(counted["completion_tokens_details"]["reasoning_tokens"])
        counts = {"output_tokens": tokens.sampled, "cached_tokens": tokens.cached}
        return self.writer.close(finish, reasoning_tokens=reasoning, **counts)

    def fail(self, status: int, message: str, tokens: Tokens) -> bytes:
        kind = kind_of(self.asked.api, status) if self.asked.api == "messages" else None
        counts = {"output_tokens": tokens.sampled, "cached_tokens": tokens.cached}
        return self.encoded(self.writer.fail(message, kind=kind, **counts))

    def whole(self, finish: str | None, tokens: Tokens) -> dict[str, Any]:
        self._closed(finish, tokens)
        return self.made

    @property
    @abstractmethod
    def made(self) -> dict[str, Any]:
        """The whole answer."""


class ResponseAnswer(EventAnswer):
    """A response of OpenAI's Responses API."""

    writer: lect_apis.ResponseEvents

    def begun(self) -> lect_apis.ResponseEvents:
        body, size = self.asked.body, self.prompt_tokens
        return lect_apis.ResponseEvents(self.stream, self.model, request=body, input_tokens=size)

    @property
    def made(self) -> dict[str, Any]:
        return self.writer.response

    def with_scores(self, objects: list[dict[str, Any]], scored: list[dict[str, Any]]) -> list[dict[str, Any]]:
        for each in objects:
            if each["type"] == "response.output_text.delta" and scored:
                self.scored += scored
                each["logprobs"] = _without_bytes(scored)
            elif each["type"] == "response.output_text.done" and self.scored:
                each["logprobs"] = _without_bytes(self.scored)
            elif each["type"] == "response.content_part.done" and self.scored:
                # The item, and the response, have the same part, with the bytes.
                each["part"]["logprobs"], self.scored = self.scored, []
        return objects


def _without_bytes(scored: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    return [{name: value for name, value in each.items() if name != "bytes"} for each in scored]


class MessageAnswer(EventAnswer):
    """A message of Anthropic's Messages API."""

    writer: lect_apis.MessageEvents
    ping = b'event: ping\ndata: {"type":"ping"}\n\n'

    def begun(self) -> lect_apis.MessageEvents:
        body, size = self.asked.body, self.prompt_tokens
        return lect_apis.MessageEvents(self.stream, self.model, request=body, input_tokens=size)

    @property
    def made(self) -> dict[str, Any]:
        return self.writer.message


KINDS: Mapping[str, type[Answer]] = {"chat": ChatAnswer, "responses": ResponseAnswer, "messages": MessageAnswer}


def error(api: Any, status: int, message: str, code: str | None = None) -> bytes:
    """Return the body of an error."""
    return dumps(body_of(api, status, message, code))
