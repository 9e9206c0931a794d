"""Replies, whole or streamed: one path for both."""

from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NoReturn

from lect.errors import MessageError, PluginError, expect_one_of, saferepr
from lect.reply.engine.compiled import compile_grammar
from lect.reply.engine.headed import HeadedMessages
from lect.reply.engine.marked import MarkedText
from lect.reply.engine.opening import TAIL, opening, stripped_call
from lect.reply.events import KEEP, UNKNOWN_TOOLS, Event, UnknownTools
from lect.reply.grammar import Grammar
from lect.reply.reader.reader import Reader
from lect.reply.reader.schema import Schemas
from lect.reply.reply import Reply

_new = tuple.__new__
LONGEST_STOPS = 4_096
"""The maximum length of all stop strings together: a server passes on those of its users."""


class ReplyStream:
    """A reply that is still arriving.

    Feed it chunks as they arrive, split anywhere; `feed` returns the events that are certain by then. `close` returns
    the whole reply, the same as if the text had arrived at once. `Template.stream` explains the other arguments.

    Args:
        grammar: How the reply is written.
        edges: White space with which the template begins and ends every answer; it is not content.
        markers: The template's control markers: in the prompt, what follows the last one is the model's own text.
        tokens: Those of them that are tokens. They are not content.
        ends: The strings at which every reply of the format ends.
        stop: Further ones.
        decoder: What turns ids into text.

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
        ends: tuple[str, ...] = (),
        stop: Iterable[str] = (),
        edges: tuple[str, str] = ("", ""),
        markers: tuple[str, ...] = (),
        tokens: tuple[str, ...] = (),
        call_id: Callable[[int], str] | None = None,
        refine: Callable[[Reply], Reply] | None = None,
        decoder: Any = None,
        unknown_tools: UnknownTools = KEEP,
    ):
        given: object = grammar
        if not isinstance(given, Grammar):
            msg = f"the grammar is {saferepr(given)}; expected a Grammar\n  try: grammar=SOME_FORMAT.grammar"
            raise PluginError(msg)
        compiled = compile_grammar(grammar, _wanted(extract), (*ends, *_stop_strings(stop)), edges[1], tokens)
        if prompt is not None:
            _check_text(prompt, "the prompt")
        self._decoder = decoder
        self._shown: Callable[[Any], Any] = decoder.shown if decoder else lambda read: read
        # Where each token that is fed begins in the raw text, and where the next one does.
        self._starts, self._decoded = array("Q"), 0
        expect_one_of(UNKNOWN_TOOLS, "unknown_tools", unknown_tools, MessageError)
        reasons = None if starts_in_reasoning is None else bool(starts_in_reasoning)
        inside, opened = opening(compiled, None if prompt is None else prompt[-TAIL:], markers, reasons)
        self.grammar, self._compiled = grammar, compiled
        spelled: object = call_id
        if spelled is not None and not callable(spelled):
            msg = f"call_id is {saferepr(call_id)}; expected a function\n  try: call_id='call_{{}}'.format"
            raise MessageError(msg)
        spell = (lambda index, _: call_id(index)) if call_id else grammar.new_ids()
        schemas = Schemas(tools)
        self._refine = refine
        self._reply: Reply | None = None
        for self._opened in (opened, "") if opened else ("",):
            self._reader = reader = Reader(schemas, compiled.ends, spell)
            reader.unknown_tools = unknown_tools
            reading = HeadedMessages(reader, compiled) if grammar.channels else MarkedText(reader, compiled, edges[0])
            self._steps = reading.read(inside)
            if self._opened:
                reader.base = -len(self._opened)
                reader.feed(self._opened)
            next(self._steps, None)
            if self._opened and _continues_call(reader):
                break

    def __reduce__(self) -> NoReturn:
        raise MessageError(
            "a reply that is still arriving cannot be pickled or copied\n"
            "  try: a separate stream where the chunks arrive, or pickle what close() returns"
        )

    def feed(self, chunk: str) -> list[Event]:
        """Add a chunk, and return the new events.

        Raises:
            MessageError: If the chunk is not a `str`, or the stream is closed.
        """
        reader = self._reader
        find_special = reader.find_special
        if find_special is not None and type(chunk) is str and chunk:
            text = reader.begun + chunk if reader.begun else chunk
            found = find_special(text)
            if found is None or found.lastindex:
                reader.begun = ""
                if found is not None:
                    text, reader.begun = text[: found.start()], text[found.start() :]
                    if not text:
                        return []
                reader.passed.append(text)
                start = reader.end
                reader.end = end = start + len(text)
                if end > reader.settle_at:
                    reader.settle()
                return [_new(Event, (reader.kind, text, reader.index, None, None, None, start, end))]
        if type(chunk) is not str:
            _check_text(chunk)
        if reader.ended:
            raise MessageError("the stream is closed and takes no more text\n  try: a new stream for the next reply")
        if not chunk:
            return []
        reader.feed(chunk)
        return self._go_on()

    def feed_ids(self, ids: Iterable[int]) -> list[Event]:
        """Add sampled tokens, and return the new events; half a character is held back, and a spelled-out mark is text.

        Raises:
            MessageError: If the stream was opened without a tokenizer, or is closed.
        """
        if self._decoder is None:
            raise MessageError("ids are fed, but the stream has no tokenizer\n  try: lect.stream(..., tokenizer=...)")
        return list(self._shown(self._feed_pieces(self._decoder.pieces(ids))))

    def _feed_pieces(self, pieces: Iterable[tuple[str, int, bool]]) -> list[Event]:
        texts: list[str] = []
        for text, tokens, is_control in pieces:
            self._starts.extend([self._decoded] * tokens)
            self._decoded += len(text)
            texts.append(self._decoder.hidden(text, is_control))
        return self.feed("".join(texts))

    def tokens(self, start: int, end: int) -> range:
        """Return which of the tokens that were fed begin in a part of the raw text, such as that of an event."""
        return range(bisect_left(self._starts, start), bisect_left(self._starts, end))

    def finish(self, reason: str | None = None) -> list[Event]:
        """End the reply, and return the last events; `reason` is the server's finish reason, such as `length`."""
        reader = self._reader
        if reader.ended:
            return []
        if reason is not None:
            _check_text(reason, "the finish reason")
        # No control token can be spelled any more.
        events = self._feed_pieces([self._decoder.rest(), ("", 0, True)]) if self._decoder else []
        reader.feed("")
        reader.ended, reader.reason = True, reason
        events += self._go_on()
        self._reply = self._make_reply(reason)
        return list(self._shown(events + reader.take_events()))

    def close(self, finish: str | None = None) -> Reply:
        """Return the whole reply; `finish` ends it, unless `finish()` was called before."""
        self.finish(finish)
        assert self._reply is not None, "it is made when the stream ends"
        return self._reply

    @property
    def in_reasoning(self) -> bool:
        """Whether the model is inside reasoning, as far as the text that has been read tells."""
        return self._reader.in_reasoning

    def _go_on(self) -> list[Event]:
        reader = self._reader
        reader.find_special = None
        next(self._steps, None)
        return reader.take_events()

    def _make_reply(self, reason: str | None) -> Reply:
        reader = self._reader
        content = "".join(reader.content)
        complete = tuple(call for call in reader.calls if call.complete)
        stripped = stripped_call(self._compiled, content, reader.schemas.known, called=bool(reader.calls))
        if stripped:
            text = "this looks like a call without its marks; were special tokens dropped when the reply was decoded?"
            reader.report("markers_missing", max("".join(reader.chunks).find(stripped) - len(self._opened), 0), text)
        if reason in (None, "stop"):
            if reader.unfinished:
                reason = reason or "length"
            elif complete:
                reason = "tool_calls"
            elif reader.stop is not None:
                reason = "stop"
        reasoning, problems = "".join(reader.reasoning) or None, tuple(reader.problems)
        raw = "".join(reader.chunks).removeprefix(self._opened)
        broken = tuple(call for call in reader.calls if not call.complete)
        reply = Reply(content, reasoning, complete, reader.stop, reason, problems, raw, broken, reader.pieces())
        reply = self._shown(reply)
        return self._refine(reply) if self._refine else reply


def _wanted(extract: object) -> frozenset[str]:
    """Return what to take out."""
    if isinstance(extract, (tuple, list, set, frozenset)) and all(what in ("reasoning", "tools") for what in extract):
        return frozenset(extract)
    raise MessageError(f"extract is {saferepr(extract)}\n  try: extract=('reasoning', 'tools'), or one of them")


def _stop_strings(stop: Any) -> tuple[str, ...]:
    """Return the strings at which a reply ends; a single string would count as its characters."""
    try:
        stops = ("",) if isinstance(stop, str) else tuple(stop)
        length = len("".join(stops))
    except TypeError:  # It is no list, or not of texts.
        stops, length = ("",), 0
    if "" in stops:
        raise MessageError(f"stop is {saferepr(stop)}; expected a list of texts\n  try: stop=['...']")
    if length > LONGEST_STOPS:
        raise MessageError(f"stop has {length} characters in total; at most {LONGEST_STOPS} are allowed")
    return stops


def _continues_call(reader: Reader) -> bool:
    """Return whether the end of the prompt has a call open, and nothing before it; the raw text begins after it."""
    if reader.calls or (reader.call is None and (reader.events or reader.pending)):
        return False
    reader.events = [event._replace(start=0, end=0) if event.problem is None else event for event in reader.events]
    reader.borders = [(0, kind) for _, kind in reader.borders[-1:]]
    reader.end, reader.find_special = 0, None
    return True


def _check_text(given: object, what: str = "a chunk") -> None:
    if not isinstance(given, str):
        hint = "\n  try: decode it first, with errors='replace'" if isinstance(given, bytes) else ""
        raise MessageError(f"{what} is {saferepr(given)} ({type(given).__name__}); expected text{hint}")
