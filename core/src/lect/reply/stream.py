"""Replies, whole or streamed: one path for both."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NoReturn

from lect.errors import MessageError, PluginError, saferepr
from lect.reply.engine.compiled import compile_grammar
from lect.reply.engine.headed import HeadedMessages
from lect.reply.engine.marked import MarkedText
from lect.reply.engine.opening import looks_stripped, starts_in
from lect.reply.events import REASONING, Event
from lect.reply.grammar import Grammar
from lect.reply.reader.reader import MANY, Reader
from lect.reply.reader.schema import Schemas
from lect.reply.reply import Reply

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

_new = tuple.__new__
LONGEST_STOPS = 4_096
"""The maximum length of all stop strings together: a server passes on those of its users."""


class ReplyStream:
    """A reply that is still arriving.

    Feed it chunks as they arrive, split anywhere; `feed` returns the events that are certain by then. `close` returns
    the whole reply, the same as if the text had arrived at once. `lect.stream` and `Template.stream` return one.

    Args:
        grammar: How the reply is written.
        tools: The tools that the model may call: OpenAI schemas.
        prompt: The text of the prompt that the reply answers. Its end tells whether the reply begins inside reasoning.
        starts_in_reasoning: Whether the reply begins inside reasoning; by default, the end of the prompt decides.
        extract: What to take out of the content: `reasoning`, `tools`.
        stop: The strings at which the reply ends.
        edges: White space with which the template begins and ends every answer; it is not content.
        markers: The template's control markers. They are not content; in the prompt, what follows the last one is the
            model's own text.
        call_id: A function that returns an id for a call without one, given its number in the reply.
        refine: A function that turns the parsed reply into the final one.

    Raises:
        MessageError: If an argument has the wrong type, or the stop strings are too long.
        PluginError: If the grammar is invalid.
    """

    def __init__(
        self,
        grammar: Grammar,
        *,
        tools: Sequence[Mapping[str, Any]] | None = None,
        prompt: str | None = None,
        starts_in_reasoning: bool | None = None,
        extract: Iterable[str] = ("reasoning", "tools"),
        stop: Iterable[str] = (),
        edges: tuple[str, str] = ("", ""),
        markers: Iterable[str] = (),
        call_id: Callable[[int], str] | None = None,
        refine: Callable[[Reply], Reply] | None = None,
    ):
        _check_grammar(grammar)
        markers = tuple(markers)
        compiled = compile_grammar(grammar, _wanted(extract), stop_strings(stop), edges[1], markers)
        if prompt is not None:
            _check_text(prompt, "the prompt")
        inside = REASONING if starts_in_reasoning else ""
        if starts_in_reasoning is None:
            inside = starts_in(grammar, prompt, compiled.ends, markers)
        self.grammar = grammar
        spell = (lambda index, _: call_id(index)) if call_id else lambda index, name: grammar.id_of(name, index)
        self._reader = reader = Reader(Schemas(tools), compiled.ends, spell)
        reading = HeadedMessages(reader, compiled) if grammar.channels else MarkedText(reader, compiled, edges[0])
        self._steps = reading.read(inside)
        self._refine = refine
        self._reply: Reply | None = None
        next(self._steps, None)

    def __reduce__(self) -> NoReturn:
        msg = (
            "a reply that is still arriving cannot be pickled or copied\n"
            "  try: a separate stream where the chunks arrive, or pickle what close() returns"
        )
        raise MessageError(msg)

    def feed(self, chunk: str) -> list[Event]:
        """Add a chunk, and return the new events.

        Raises:
            MessageError: If the chunk is not a `str`, or the stream is closed.
        """
        reader = self._reader
        matters = reader.matters
        if matters is not None and type(chunk) is str and chunk and matters(chunk) is None:
            passed = reader.passed
            passed.append(chunk)
            if len(passed) == MANY:
                reader.settle()
            return [_new(Event, (reader.kind, chunk, reader.index, None, None, None))]
        if type(chunk) is not str:
            _check_text(chunk)
        if reader.ended:
            msg = "the stream is closed and takes no more text\n  try: a new stream for the next reply"
            raise MessageError(msg)
        if not chunk:
            return []
        reader.feed(chunk)
        return self._go_on()

    def finish(self, reason: str | None = None) -> list[Event]:
        """End the reply, and return the last events; `reason` is the server's finish reason, such as `length`."""
        reader = self._reader
        if reader.ended:
            return []
        if reason is not None:
            _check_text(reason, "the finish reason")
        reader.settle()
        reader.ended, reader.reason = True, reason
        events = self._go_on()
        self._reply = self._make_reply(reason)
        return events + reader.take_events()

    def close(self, finish: str | None = None) -> Reply:
        """Return the whole reply; `finish` ends it, unless `finish()` was called before."""
        self.finish(finish)
        assert self._reply is not None, "it is made when the stream ends"
        return self._reply

    def _go_on(self) -> list[Event]:
        reader = self._reader
        reader.matters = None
        next(self._steps, None)
        return reader.take_events()

    def _make_reply(self, reason: str | None) -> Reply:
        reader = self._reader
        content = "".join(reader.content)
        complete = tuple(call for call in reader.calls if call.complete)
        if not reader.calls and looks_stripped(self.grammar, content):
            text = "this looks like a call without its marks; were special tokens dropped when the reply was decoded?"
            reader.report("markers_missing", 0, text)
        if reason in (None, "stop"):
            if reader.unfinished:
                reason = reason or "length"
            elif complete:
                reason = "tool_calls"
            elif reader.stop is not None:
                reason = "stop"
        reply = Reply(
            content,
            "".join(reader.reasoning) or None,
            complete,
            reader.stop,
            reason,
            tuple(reader.problems),
            "".join(reader.chunks),
            tuple(call for call in reader.calls if not call.complete),
            reader.pieces(),
        )
        return self._refine(reply) if self._refine else reply


def _wanted(extract: object) -> frozenset[str]:
    """Return what to take out."""
    if isinstance(extract, tuple | list | set | frozenset) and all(what in ("reasoning", "tools") for what in extract):
        return frozenset(extract)
    msg = (
        f"extract is {saferepr(extract)}; expected some of 'reasoning', 'tools'\n  try: extract=('reasoning', 'tools')"
    )
    raise MessageError(msg)


def stop_strings(stop: object) -> tuple[str, ...]:
    """Return the strings at which a reply ends; a single string would count as its characters."""
    if not isinstance(stop, str) and isinstance(stop, Iterable):
        stops = tuple(stop)
        if all(isinstance(each, str) and each for each in stops):
            length = sum(map(len, stops))
            if length > LONGEST_STOPS:
                msg = f"stop has {length} characters in total; at most {LONGEST_STOPS} are allowed"
                raise MessageError(msg)
            return stops
    msg = f"stop is {saferepr(stop)}; expected a list of texts\n  try: stop=['...']"
    raise MessageError(msg)


def _check_grammar(given: object) -> None:
    if not isinstance(given, Grammar):
        msg = f"the grammar is {saferepr(given)}; expected a Grammar\n  try: grammar=SOME_FORMAT.grammar"
        raise PluginError(msg)


def _check_text(given: object, what: str = "a chunk") -> None:
    if not isinstance(given, str):
        hint = "\n  try: decode it first, with errors='replace'" if isinstance(given, bytes) else ""
        msg = f"{what} is {saferepr(given)} ({type(given).__name__}); expected text{hint}"
        raise MessageError(msg)
