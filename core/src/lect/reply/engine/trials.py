"""Read ahead without emitting anything, where only the end of something tells what it is."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from lect.reply.engine.reading import Reading
from lect.reply.engine.sections import read_section
from lect.reply.events import TextKind
from lect.reply.grammar import SPACE
from lect.reply.reader.reader import Reader, Steps
from lect.reply.reader.syntax import CompiledSection


class Trials(Reading):
    """A reading that can try out how something is read."""

    def closes_reply(
        self, sections: list[CompiledSection], run: str, start: int, kind: TextKind
    ) -> Generator[None, None, bool]:
        """Return whether the reply ends with calls inside reasoning, so that they are not drafts.

        The section is held back until that is known; a draft is emitted as part of the reasoning.
        """
        reader = self.reader
        begin = reader.position
        trial = self.trial()
        last = yield from self.try_out(trial, type(self)(trial, self.compiled).read_to_the_end(sections))
        text = trial.since(0)
        closed = min((at for mark in self.compiled.reasoning_syntax.close if (at := text.find(mark)) >= 0), default=-1)
        reader.rewind(begin)
        if last and not (trial.unfinished and closed >= 0):
            return True
        reader.emit(kind, run, start)
        reader.emit_to(closed if last else trial.position, kind)
        return False

    def trial(self) -> Reader:
        """Return a reader for what begins here whose events are discarded."""
        trial = Reader(self.reader.schemas, self.reader.stops)
        trial.fresh = self.reader.fresh
        return trial

    def try_out(self, trial: Reader, steps: Steps, kind: TextKind | None = None) -> Generator[None, None, Any]:
        """Read with a trial reader and return the result; meanwhile, emit the raw text as `kind` if given."""
        reader = self.reader
        begin, emitted = reader.position, 0
        while True:
            trial.feed(reader.buffer[reader.at :])
            trial.ended, trial.reason = reader.ended, reader.reason
            reader.at = len(reader.buffer)
            done, result = False, None
            try:
                next(steps)
            except StopIteration as stop:
                done, result = True, stop.value
            trial.take_events()
            if kind is not None:
                reader.emit(kind, trial.since(emitted), begin + emitted)
                emitted = trial.position
            if done:
                reader.rewind(begin + trial.position)
                return result
            yield

    def read_to_the_end(self, sections: list[CompiledSection]) -> Generator[None, None, bool]:
        """Read sections; return whether the reply ends after them."""
        reader = self.reader
        while True:
            found = yield from self.find_any(sections)
            if found is None or not (yield from read_section(reader, found, reader.position)):
                return self.breaks_off(sections)
            yield from reader.run(SPACE)
            close_at = reader.position
            closes = [(mark.strip(),) for mark in self.compiled.reasoning_syntax.close]
            end = yield from reader.find(closes)
            if end >= 0:
                reader.at = end
                yield from reader.run(SPACE)
            if reader.exhausted() or (yield from reader.at_stop()):
                return True
            if end >= 0:
                reader.rewind(close_at)
                return False
