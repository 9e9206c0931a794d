"""What every way of reading a reply has in common: the scanning loop, looking ahead, trials, and the end."""

import re
from collections.abc import Callable, Generator, Iterator
from typing import Any

from lect.reply.engine.compiled import CompiledGrammar
from lect.reply.engine.sections import is_plausible, read_section
from lect.reply.events import AFTER, CONTENT, TextKind
from lect.reply.grammar import SPACE
from lect.reply.reader.lookahead import MarkScanner, either, is_cut_off
from lect.reply.reader.reader import Decision, Outcome, Reader, Steps
from lect.reply.reader.syntax import CallMatch, CompiledSection

FAR, WORDS = 96, re.compile(r"[\w.-]+").findall
"""How far behind what opens a call its name may be, and what names are like."""
MEANINGLESS = {
    "stray_open": "opens no call that can be read",
    "stray_close": "closes something that was never opened",
    "stray_mark": "means nothing here",
    "stray_header": "starts no header that can be read",
}


class Reading:
    """The reading of one reply."""

    def __init__(self, reader: Reader, compiled: CompiledGrammar):
        self.reader, self.compiled = reader, compiled
        self.over = False  # Whether the reply is over, at a mark or at its end.

    def skip_rest(self) -> Steps:
        reader = self.reader
        while not reader.ended or not reader.exhausted():
            reader.skip(len(reader.buffer), AFTER)
            yield
        reader.flush()
        reader.report_unclosed()
        # Marks, and what looks like one, may have been read as content.
        content = "".join(reader.content) if self.compiled.takes_tools else ""
        for text, mark in (*self.compiled.leftovers.find(content), *self.unread(content)) if content else ():
            raw, pieces = "".join(reader.chunks), [piece for piece in reader.pieces() if piece.kind == CONTENT]
            starts = (raw.find(text, piece.start, piece.end) for piece in pieces)
            start = next((start for start in starts if start >= 0), 0)
            if not any(problem.span[0] < start + len(text) and start < problem.span[1] for problem in reader.problems):
                why = f"is content, but looks like {mark!r}" if text != mark else MEANINGLESS["stray_mark"]
                reader.report("stray_mark", start, f"{text!r} {why}", start + len(text))

    def unread(self, content: str) -> Iterator[tuple[str, str]]:
        """Yield the marks in content behind which is a known tool or parameter: nobody could read their call."""
        schemas = self.reader.schemas
        for mark in self.compiled.naming:
            if mark in content and content[(at := content.index(mark)) - 1 : at] != "`":
                words = {*WORDS(content, at, at + FAR)}
                if any(name in words or not words.isdisjoint(schemas.parameters(name)) for name in schemas.known):
                    yield mark, mark

    def scan(self, live: MarkScanner, kind: TextKind, held: str = "") -> Generator[None, None, tuple[str, str, int]]:
        """Emit text up to a mark; return it, empty at the end, the run of `held` before it, and where that begins."""
        reader = self.reader
        while True:
            found = live.search(reader.buffer, reader.at)
            if found is None:
                reader.emit_to(len(reader.buffer), kind)
                if reader.ended:
                    return "", "", reader.position
                reader.pass_through(live.search, kind)
                yield
                continue
            reader.emit_to(found.start(), kind)
            start = reader.position
            run = (yield from self.read_space(live, held)) if held else ""
            mark = "" if reader.exhausted() else (yield from reader.sure(live.look))
            if mark or reader.exhausted():
                return mark, run, start
            reader.emit(kind, run, start)
            if not run:
                reader.emit_to(reader.at + 1, kind)

    def read_space(self, live: MarkScanner, characters: str) -> Outcome:
        """Read and return white space, up to a mark that itself begins with white space."""
        reader = self.reader
        if not live.spaced:
            return (yield from reader.run(characters)) if characters else ""
        found: list[str] = []
        while True:
            while reader.exhausted() and not reader.ended:
                yield
            if reader.exhausted() or reader.buffer[reader.at] not in characters or (yield from reader.sure(live.look)):
                return "".join(found)
            found.append(reader.buffer[reader.at])
            reader.at += 1

    def stray(self, mark: str, code: str, *, keep: bool = False) -> None:
        """Report a mark that means nothing here, and drop it, or keep it as content."""
        reader = self.reader
        start, end = reader.position, reader.at + len(mark)
        reader.emit_to(end if keep else 0, CONTENT)
        reader.skip(end)
        reader.report(code, start, f"{mark!r} {MEANINGLESS[code]}")

    def is_exact(self, mark: str) -> bool:
        return self.reader.buffer.startswith(mark, self.reader.at)

    def breaks_off(self, sections: list[CompiledSection]) -> bool:
        """Return whether the reply ends where one of these sections, or a call in it, is about to begin."""
        reader = self.reader
        begun = (each for each in sections if is_cut_off(each.look, reader.buffer, reader.at))
        return reader.ended and any(call.announced for section in begun for call in section.calls)

    def find_any(self, sections: list[CompiledSection]) -> Generator[None, None, CallMatch | None]:
        """Return the first of several sections that begins here and counts."""
        reader = self.reader
        for again in (False, True):
            for section in sections:
                if not section.syntax.start or reader.fresh:
                    found = yield from reader.sure(section.look_again if again else section.look)
                    if found is not None and is_plausible(reader, found):
                        return found
        return None

    # Reading ahead without emitting anything, where only the end of something tells what it is

    def closes_reply(self, sections: list[CompiledSection], run: str, start: int, kind: TextKind) -> Decision:
        """Return whether the reply ends with calls inside reasoning; otherwise they are drafts, and emitted as such."""
        reader = self.reader
        begin = reader.position
        trial, last = yield from self.try_out(lambda to: type(self)(to, self.compiled).read_to_the_end(sections))
        text = trial.since(0)
        closed = min((at for mark in self.compiled.reasoning_syntax.close if (at := text.find(mark)) >= 0), default=-1)
        reader.rewind(begin)
        if last and not (trial.unfinished and closed >= 0):
            return True
        reader.emit(kind, run, start)
        reader.emit_to(closed if last else trial.position, kind)
        return False

    def try_out(
        self, read: Callable[[Reader], Steps], kind: TextKind | None = None
    ) -> Generator[None, None, tuple[Reader, Any]]:
        """Read with a reader whose events are discarded; return it and the result; emit the raw text if `kind`."""
        reader = self.reader
        trial = Reader(reader.schemas, reader.stops)
        trial.fresh = reader.fresh
        steps = read(trial)
        begin, emitted = reader.position, 0
        while True:
            trial.feed(reader.buffer[reader.at :])
            trial.ended, trial.reason = reader.ended, reader.reason
            reader.at = len(reader.buffer)
            try:
                done, result = False, next(steps)
            except StopIteration as stop:
                done, result = True, stop.value
            trial.take_events()
            if kind is not None:
                reader.emit(kind, trial.since(emitted), begin + emitted)
                emitted = trial.position
            if done:
                reader.rewind(begin + trial.position)
                return trial, result
            yield

    def read_to_the_end(self, sections: list[CompiledSection]) -> Decision:
        """Read sections; return whether the reply ends after them."""
        reader = self.reader
        while True:
            found = yield from self.find_any(sections)
            if found is None or not (yield from read_section(reader, found, reader.position)):
                return self.breaks_off(sections)
            yield from reader.run(SPACE)
            close_at = reader.position
            closes = [(mark.strip(),) for mark in self.compiled.reasoning_syntax.close]
            end = yield from reader.sure(either, closes)
            if end >= 0:
                reader.at = end
                yield from reader.run(SPACE)
            if reader.exhausted() or (yield from reader.at_stop()):
                return True
            if end >= 0:
                reader.rewind(close_at)
                return False
