"""Read replies that are messages with headers: harmony, and formats like it."""

from __future__ import annotations

from collections.abc import Generator

from lect.reply.calls.texts import read_until
from lect.reply.engine.compiled import OPENING, OVER, START, STOP, STRAY, TOKEN_LIKE, CompiledGrammar
from lect.reply.engine.reading import Reading
from lect.reply.engine.sections import read_call, read_section, skip_unnamed
from lect.reply.events import CALL, CONTENT, MARK, REASONING, TextKind
from lect.reply.grammar import SPACE
from lect.reply.reader.headers import Header
from lect.reply.reader.lookahead import MarkScanner, is_cut_off, literal
from lect.reply.reader.near import NO
from lect.reply.reader.reader import CUT, Outcome, Reader, Steps
from lect.reply.reader.syntax import CallMatch


class HeadedMessages(Reading):
    """The reading of one reply."""

    def __init__(self, reader: Reader, compiled: CompiledGrammar):
        super().__init__(reader, compiled)
        self.headers, self.channels = compiled.headers, compiled.headers.channels
        self.emitted: set[str] = set()
        self.outside, self.body = compiled.outside, compiled.body

    def read(self, inside: str) -> Steps:
        """Read the whole reply; `inside` is what it begins inside of."""
        reader = self.reader
        header = None if inside == CONTENT else (yield from self.find_header())
        if header is not None and self.is_plausible(header):
            yield from self.read_message(header, reader.position)
        elif inside:
            yield from self.read_body(REASONING if inside == REASONING and self.compiled.takes_reasoning else CONTENT)
        while not self.over:
            yield from self.read_outside()
        yield from self.skip_rest()

    def is_plausible(self, header: Header) -> bool:
        """Return whether what looks like a header counts as one: a mere word on a line must name a known tool."""
        known = self.reader.schemas.known
        return bool(self.channels.opening) or header.kind != CALL or not known or header.name in known

    def read_outside(self) -> Steps:
        """Read text that belongs to no message, up to the next header."""
        reader = self.reader
        begin = reader.position
        while True:
            mark = yield from self.next_mark(self.outside, CONTENT)
            if not mark:
                self.over = True
                return
            kinds = self.outside.acts[mark]
            start = reader.position
            if START not in kinds and OPENING not in kinds:
                self.end_at(mark)
                if self.over:
                    return
                begin = reader.position
                continue
            behind = len(mark) if START in kinds else 0
            header = yield from self.find_header(behind)
            if header is not None:
                if reader.since(begin).strip():
                    reader.report("stray_header", begin, "there is text between the messages")
                yield from self.read_message(header, start, behind)
                return
            if reader.ended and is_cut_off(self.headers.look, reader.buffer, reader.at + behind):
                reader.unfinished = self.over = True
                reader.skip(len(reader.buffer))
                reader.report("stray_header", start, "the reply ends inside a header")
                return
            self.stray(mark, "stray_header", keep=not TOKEN_LIKE(mark))

    def read_message(self, header: Header, start: int, skipped: int = 0) -> Steps:
        reader, compiled = self.reader, self.compiled
        kind = header.kind
        if (kind == REASONING and not compiled.takes_reasoning and self.channels.keep) or (
            kind == CALL and not compiled.takes_tools
        ):
            # What is not extracted stays as it was written.
            reader.emit_to(header.body, CONTENT)
            yield from self.read_rest(CONTENT, keep_end=True)
            return
        text_at = reader.position + skipped
        reader.skip(header.body)
        if header.problem:
            reader.report(header.problem[0], start, header.problem[1])
        if kind == CALL:
            yield from self.read_call_body(header, start, text_at)
        else:
            yield from self.read_body(REASONING if kind == REASONING and compiled.takes_reasoning else CONTENT)

    def read_body(self, kind: TextKind) -> Steps:
        reader = self.reader
        if kind in self.emitted and self.channels.joint:
            reader.insert(kind, self.channels.joint)
        self.emitted.add(kind)
        yield from self.read_rest(kind)

    def read_rest(self, kind: TextKind, *, keep_end: bool = False) -> Steps:
        reader = self.reader
        start = reader.position
        reader.in_reasoning = kind == REASONING
        mark = yield from self.next_mark(self.body, kind)
        if not mark:
            self.over = True
            reader.unfinished = kind == REASONING
            reader.break_off(kind, start)
            return
        reader.in_reasoning = False
        if START not in self.body.acts[mark]:
            if keep_end and OVER not in self.body.acts[mark]:
                reader.emit_to(reader.at + len(mark), CONTENT)
            else:
                self.end_at(mark)

    def read_call_body(self, header: Header, start: int, text_at: int) -> Steps:
        reader = self.reader
        if self.channels.call is None:
            yield from self.read_sections()
        else:
            found = yield from self.find_call(header)
            if found is None:
                yield from self.read_no_call(header, start, text_at)
                return
            outcome = yield from read_call(reader, found, reader.position)
            if outcome == CUT and reader.exhausted():
                self.over = True
                return
        run_at = reader.position
        run = yield from reader.run(SPACE)
        if not reader.exhausted() and not (yield from reader.sure(self.body.look)):
            reader.emit(CONTENT, run, run_at)
        elif run:
            reader.border(MARK, run_at)
        yield from self.read_rest(CONTENT)

    def read_no_call(self, header: Header, start: int, text_at: int) -> Steps:
        """Read text that only a mark announces as a call: it is content, unless the model begins the call again."""
        reader = self.reader
        body_at = reader.position
        yield from read_until(reader, self.outside, lambda mark: reader.at)
        if reader.buffer.startswith(self.compiled.call_marks, reader.at):
            reader.border(CALL, body_at)
            reader.report("incomplete_call", start, "the call begins again before it has a name")
            return
        reader.report("stray_open", start, "a call was announced, but none follows", body_at)
        reader.emit(CONTENT, header.text, text_at)
        reader.border(MARK, text_at + len(header.text))
        reader.emit(CONTENT, reader.since(body_at), body_at)

    def read_sections(self) -> Steps:
        """Read the sections of calls in a body, and the text between them."""
        reader = self.reader
        while True:
            start = reader.position
            run = yield from reader.run(SPACE)
            found = None if reader.exhausted() else (yield from self.find_any(self.compiled.sections))
            if found is not None:
                yield from read_section(reader, found, start)
                continue
            if run:
                reader.border(MARK, start)
            mark = "" if reader.exhausted() else (yield from reader.sure(self.body.look))
            if mark or reader.exhausted():
                return
            if self.breaks_off(self.compiled.sections):
                skip_unnamed(reader)
                return
            reader.emit(CONTENT, run, start)
            reader.emit_to(reader.at + 1, CONTENT)
            yield from self.next_mark(self.compiled.call_body, CONTENT)

    def end_at(self, mark: str) -> None:
        """Skip a mark that ends a message, or the reply."""
        reader, acts = self.reader, self.outside.acts[mark]
        reader.skip(reader.at + len(mark))
        if STOP in acts or OVER in acts:
            reader.halt(mark)
        self.over = OVER in acts

    def find_header(self, behind: int = 0) -> Generator[None, None, Header | None]:
        """Return the header that begins after a mark of that length, or here if nothing starts it."""
        reader, opening = self.reader, () if behind else self.channels.opening
        if not behind and reader.fresh and not reader.position:
            # The prompt may have the start of the header; a body that says its kind is enough to know one.
            opening = () if any(kind for _, kind in self.channels.bodies) else opening
        elif not (behind or opening):
            return None

        def look(buffer: str, at: int, ended: bool) -> Header | None:
            if opening and all(literal(buffer, at, mark, ended) == NO for mark in opening):
                return None
            return self.headers.look(buffer, at + behind, ended, reader.schemas.known)

        return (yield from reader.sure(look))

    def find_call(self, header: Header) -> Generator[None, None, CallMatch | None]:
        """Return the call that begins here; if the header names it, anything may follow."""
        reader, section = self.reader, self.compiled.message
        call = section.calls[0]
        start, arguments, _ = yield from reader.sure(call.look)
        if start == NO:
            start = arguments = reader.at
            if not header.name:
                return None
        return CallMatch(section, call, start, arguments, {"name": header.name}, announced=True)

    def next_mark(self, live: MarkScanner, kind: TextKind) -> Outcome:
        """Emit text up to the next mark that means something, and return it; empty at the end of the reply."""
        while True:
            mark, _, _ = yield from self.scan(live, kind)
            if not mark or live.acts[mark] != [STRAY]:
                return mark
            self.stray(mark, self.compiled.stray[mark])
