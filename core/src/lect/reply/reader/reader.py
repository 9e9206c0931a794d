"""The part of a reply that has not been read yet, and the result of reading the rest."""

from collections.abc import Callable, Generator
from typing import Any, TypeVar

from lect.reply.events import CALL_ARGS, CODES, CONTENT, KEEP, MARK, REASONING, Event, EventKind, TextKind, UnknownTools
from lect.reply.grammar import Marks
from lect.reply.reader import lookahead
from lect.reply.reader.lookahead import Finder
from lect.reply.reader.near import NO, TooLittleTextError
from lect.reply.reader.schema import Schemas, read_json
from lect.reply.reply import Piece, PieceKind, Problem, ToolCall

Steps = Generator[None, None, Any]
Outcome = Generator[None, None, str]
"""Reads something, and returns how that ended."""
Decision = Generator[None, None, bool]
"""Waits until enough has arrived to answer a question."""
Found = TypeVar("Found")

DONE, BROKEN, CUT, LEFT = "done", "broken", "cut", "left"
"""How reading a call can end: well, at text that does not belong there, with the reply, or because another begins."""
MANY = 1024
"""Pieces of text are joined after this many: each has an object header many times its own length."""
_new = tuple.__new__


class Text(list[str]):
    """Text that grows piece by piece; small pieces are joined now and then."""

    joined = 0


class OpenCall:
    """A call that is being read; it makes no events if it is `hidden`, because its tool is unknown."""

    def __init__(self, name: str, own_id: str, arguments: int, hidden: bool):
        self.name, self.id, self.hidden, self.parts = name, own_id, hidden, Text()
        self.arguments = arguments  # Where its arguments begin in the raw text.
        # For each parameter that a mark opens, that mark, and how much of it is too much to begin the value.
        self.marks: dict[str, tuple[str, int]] = {}


class Reader:
    """What all readers of a reply share: the buffer to read, and what has been emitted so far.

    A reading function is a generator. It reads from `buffer` at `at`; if it needs more text than there is, it yields,
    and finds more text or `ended` set when it resumes. It must decide by the text alone, never by where a chunk ends.
    """

    # Some of these are read for every chunk.
    __slots__ = (
        "at", "base", "begun", "borders", "buffer", "call", "call_id", "calls", "chunks", "content", "end", "ended",
        "events", "find_special", "forgiven", "fresh", "growing", "in_reasoning", "index", "kind", "origin", "passed",
        "pending", "problems", "reason", "reasoning", "schemas", "settle_at", "sink", "stop", "stop_rows", "stops",
        "unclosed", "unfinished", "unknown_tools", "why",
    )  # fmt: skip

    def __init__(
        self,
        schemas: Schemas | None = None,
        stops: tuple[str, ...] = (),
        call_id: Callable[[int, str], str] = "call_{}".format,
    ):
        self.schemas = schemas or Schemas(None)
        self.unknown_tools: UnknownTools = KEEP
        self.call_id = call_id
        self.stops = stops
        self.stop_rows = [(mark.lstrip(),) for mark in stops if mark.strip()]
        self.buffer, self.at, self.base, self.ended = "", 0, 0, False
        self.reason: str | None = None
        self.events: list[Event] = []
        self.chunks, self.content, self.reasoning = Text(), Text(), Text()
        # Other texts that may become long while they are read.
        self.growing: list[Text] = []
        self.calls: list[ToolCall] = []
        self.problems: list[Problem] = []
        self.call: OpenCall | None = None
        self.stop: str | None = None
        # Whether no content has been emitted and no call has begun.
        self.fresh = True
        # What closes the last section, if it has not been closed yet.
        self.unclosed: Marks = ()
        # Whether the reply breaks off: there should be more.
        self.unfinished = self.in_reasoning = False
        # Why the current call is broken, where it began, and what had to be forgiven in it.
        self.why, self.origin = "", 0
        self.forgiven: list[str] = []
        # Where in the raw text a piece of another kind begins.
        self.borders: list[tuple[int, PieceKind]] = []
        # Consecutive text becomes one event: it waits here until another kind of text begins or the chunk ends.
        self.pending: list[str] = []
        # Where the raw text ends that all this comes from: the pending text, or the last event.
        self.end = 0
        self.kind: EventKind = CONTENT
        self.sink = self.content
        self.index: int | None = None
        # A chunk in which `find_special` finds nothing is text of the current kind; such chunks wait in `passed`, up to
        # `settle_at`, a position in the raw text. What may begin a mark at the end of a chunk is kept for the next.
        self.find_special: Finder | None = None
        self.passed: list[str] = []
        self.begun = ""
        self.settle_at = 0

    def feed(self, chunk: str) -> None:
        if self.passed:
            self.settle()
        if self.begun:
            chunk, self.begun = self.begun + chunk, ""
        self.chunks.append(chunk)
        rest = self.buffer[self.at :]
        self.base += self.at
        self.buffer = rest + chunk if rest else chunk
        self.at = 0
        if len(self.chunks) > self.chunks.joined + MANY:
            for text in (self.chunks, self.content, self.reasoning, *self.growing):
                if len(text) > text.joined:
                    text[text.joined :] = ["".join(text[text.joined :])]
                    text.joined += 1

    def settle(self) -> None:
        text = "".join(self.passed)
        self.passed.clear()
        self.chunks.append(text)
        self.sink.append(text)
        self.base += len(text)
        self.settle_at = self.end + MANY

    def take_events(self) -> list[Event]:
        self.flush()
        events, self.events = self.events, []
        return events

    # Looking

    @property
    def position(self) -> int:
        """The current position in the raw text."""
        return self.base + self.at

    def exhausted(self) -> bool:
        """Return whether everything that has arrived has been read."""
        return self.at >= len(self.buffer)

    def since(self, start: int) -> str:
        """Return the raw text from `start` to the current position, at a cost that depends on its length alone."""
        if start >= self.base:
            return self.buffer[start - self.base : self.at]
        pieces: list[str] = []
        begin = self.base + len(self.buffer)
        for chunk in reversed(self.chunks):
            begin -= len(chunk)
            pieces.append(chunk)
            if begin <= start:
                break
        start = max(start, begin)
        pieces[-1] = pieces[-1][start - begin :]
        return "".join(reversed(pieces))[: self.position - start]

    def run(self, characters: str) -> Generator[None, None, str]:
        """Read any of `characters` and return them; the caller decides what they are."""
        found: list[str] = []
        while True:
            buffer, begin = self.buffer, self.at
            if begin < len(buffer) and buffer[begin] not in characters:
                return "".join(found)
            while self.at < len(buffer) and buffer[self.at] in characters:
                self.at += 1
            found.append(buffer[begin : self.at])
            if self.at < len(buffer) or self.ended:
                return "".join(found)
            yield

    def sure(self, look: Callable[..., Found], *more: Any) -> Generator[None, None, Found]:
        """Return what `look(buffer, at, *more, ended)` finds here, as soon as there is enough text to tell."""
        while True:
            try:
                return look(self.buffer, self.at, *more, self.ended)
            except TooLittleTextError:
                yield

    def at_stop(self) -> Decision:
        """Skip white space if a stop string follows it, and return whether one does."""
        end = yield from self.sure(lookahead.either, self.stop_rows)
        if end != NO:
            self.at = lookahead.space(self.buffer, self.at)
        return end != NO

    def rewind(self, start: int) -> None:
        self.buffer = self.since(start) + self.buffer[self.at :]
        self.base, self.at = start, 0

    def note_final_stop(self) -> None:
        """Note the stop string with which the reply ends, if any: a call that breaks off has read it as text."""
        for mark in self.stops:
            if self.since(max(self.position - len(mark), 0)) == mark:
                self.halt(mark)
                self.unfinished = False
                return

    # Emitting

    def switch_to(self, kind: EventKind) -> None:
        if kind != self.kind:
            self.flush()
            self.kind = kind
            self.sink = self.content if kind == CONTENT else self.reasoning
            self.index = None

    def flush(self) -> None:
        """Emit the pending text as one event."""
        if self.pending:
            text = "".join(self.pending)
            self.pending.clear()
            if text:
                self.sink.append(text)
                if self.kind == CALL_ARGS:
                    if self.call is not None and self.call.hidden:
                        return
                    start, self.end = self.end, self.base + self.at
                else:
                    start = self.end - len(text)
                self.events.append(_new(Event, (self.kind, text, self.index, None, None, None, start, self.end)))

    def border(self, kind: PieceKind, position: int | None = None) -> None:
        """Note that from here on, or from `position`, the raw text is of this kind."""
        if position is None:
            position = self.base + self.at
        borders = self.borders
        if borders and borders[-1][0] == position:
            borders.pop()
        if not borders or borders[-1][1] != kind:
            borders.append((position, kind))

    def pass_through(self, find_special: Finder, kind: EventKind) -> None:
        """Pass chunks through in which `find_special` finds nothing, if text of this kind is being emitted."""
        # Content that changes what `fresh` says must not pass.
        if self.fresh and kind == CONTENT:
            return
        is_open = not self.call.hidden if self.call else self.borders and self.borders[-1][1] == kind
        if self.kind == kind and is_open:
            self.find_special, self.settle_at = find_special, self.end + MANY

    def emit(self, kind: TextKind, text: str, position: int) -> None:
        if text:
            # Most text continues what was emitted last.
            if kind != self.kind or position != self.end or not self.borders or self.borders[-1][1] != kind:
                self.border(kind, position)
                self.switch_to(kind)
                if position != self.end:
                    self.flush()
                    if position < 0:
                        # What the prompt has said is not said again.
                        text, position = text[-position:], 0
            self.end = position + len(text)
            self.pending.append(text)
            if kind == CONTENT:
                self.fresh = False

    def insert(self, kind: TextKind, text: str) -> None:
        """Emit text that the model did not write."""
        self.switch_to(kind)
        self.flush()
        self.sink.append(text)
        self.end = self.position
        self.events.append(Event(kind, text, start=self.end, end=self.end))

    def emit_to(self, end: int, kind: TextKind) -> None:
        if end > self.at:
            self.emit(kind, self.buffer[self.at : end], self.base + self.at)
            self.at = end

    def skip(self, end: int, kind: PieceKind = MARK) -> None:
        if end > self.at:
            self.border(kind)
            self.at = end

    def report(self, code: str, start: int, text: str, end: int | None = None) -> None:
        assert code in CODES, code
        self.flush()
        found = Problem(code, (max(start, 0), max(self.position if end is None else end, 0)), text)
        self.problems.append(found)
        self.events.append(Event("problem", code, problem=found))

    def report_missing(self, close: Marks) -> None:
        """Report that a close is missing here, unless the reply became too long."""
        if not (self.ended and self.exhausted() and (self.unfinished or self.reason == "length")):
            mark = "".join(lookahead.as_row(close[0]))
            self.report("repaired", self.position, f"after the call: {mark!r} is missing")

    def report_unclosed(self) -> None:
        """Report that nothing has closed the last section of calls."""
        if self.unclosed and self.calls and self.calls[-1].complete:
            self.report_missing(self.unclosed)
        self.unclosed = ()

    def break_off(self, kind: str, start: int) -> None:
        """Report reasoning from `start` that is never closed."""
        if kind == REASONING:
            self.report("incomplete_reasoning", start, "the reply ends inside reasoning")

    def halt(self, mark: str) -> None:
        """Note the mark at which the model stops; it ends here, unless it has been read as something else."""
        self.flush()
        self.stop, end = mark, self.base + self.at
        start = end if self.call else max(self.end, end - len(mark))
        self.end = end
        self.events.append(_new(Event, ("stop", mark, None, None, None, None, start, end)))

    # Calls

    def begin_call(self, name: str, own_id: str | None = None, arguments: int | None = None) -> None:
        """Begin a call; from now on, pending text is its arguments, which began at `arguments` if not here."""
        self.flush()
        index = len(self.calls)
        begin = self.position if arguments is None else arguments
        unknown = bool(self.schemas.known) and name not in self.schemas.known
        hidden = unknown and self.unknown_tools != KEEP
        self.call = call = OpenCall(name, own_id or self.call_id(index, name), begin, hidden)
        self.growing.append(call.parts)
        self.kind, self.sink, self.index, self.fresh = CALL_ARGS, call.parts, index, False
        if not hidden:
            self.end = max(self.position, 0)
            begun = _new(Event, ("call_start", name, index, call.id, None, None, max(self.origin, 0), self.end))
            self.events.append(begun)
            if unknown:
                self.report("unknown_tool", self.origin, f"there is no tool {name!r}")

    def end_call(self, *, complete: bool) -> None:
        call = self.call
        assert call is not None, "it has begun"
        self.flush()
        self.call = None
        self.growing.clear()
        text = "".join(call.parts)
        call.parts.clear()
        if complete:
            arguments, complete = read_json(text)
            if complete and not isinstance(arguments, dict):
                self.report("bad_arguments", self.origin, f"the arguments are {text!r:.80}, which is not an object")
            for key, (mark, shortest) in call.marks.items() if complete else ():
                value, ends = arguments.get(key), (mark[-length:] for length in range(shortest, len(mark)))
                if isinstance(value, str) and mark[-1] in value[: len(mark)] and any(map(value.startswith, ends)):
                    complete = False
                    self.report("stray_text", self.origin, f"the value of {key!r} begins with the end of a mark")
        if not complete:
            arguments = self.since(call.arguments)
        elif self.forgiven:
            self.report("repaired", self.origin, f"read as it was meant: {', '.join(self.forgiven)}")
        self.kind, self.sink, self.index = CONTENT, self.content, None
        span = (max(self.origin, 0), self.position)
        if call.hidden:
            if self.unknown_tools == "text":
                self.emit(CONTENT, self.since(span[0]), span[0])
            self.report("unknown_tool", self.origin, f"there is no tool {call.name!r}")
            return
        made = ToolCall(call.name, arguments, text, call.id, len(self.calls), complete, span)
        self.calls.append(made)
        start, self.end = self.end, self.position
        self.events.append(_new(Event, ("call_end", call.name, made.index, made.id, made, None, start, self.end)))

    def forgive(self, what: str) -> None:
        """Note a mistake in a call whose meaning is still certain; empty if there is none."""
        if what and what not in self.forgiven:
            self.forgiven.append(what)

    def broken(self, why: str = "unbalanced_json") -> str:
        """Note why the call is broken here, and return BROKEN."""
        self.why = why
        return BROKEN

    def pieces(self) -> tuple[Piece, ...]:
        found, end = [], self.position
        for start, kind in reversed(self.borders):
            start = max(start, 0)  # It may be in the prompt.
            if end > start:
                found.append(_new(Piece, (kind, start, end)))
            end = start
        return tuple(reversed(found))
