"""Read replies that are text with marks in it: reasoning, content, and sections of calls between."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lect.reply.engine import lookahead
from lect.reply.engine.compiled import CLOSE, END, OPEN, SECTION, STRAY, UNTIL, WRAP
from lect.reply.engine.lookahead import MORE
from lect.reply.engine.reading import Reading
from lect.reply.engine.sections import read_section
from lect.reply.events import CONTENT, MARK, REASONING, TextKind
from lect.reply.grammar import SPACE

if TYPE_CHECKING:
    from collections.abc import Generator
    from typing import Any

    from lect.reply.engine.compiled import CompiledGrammar, CompiledSection, Found
    from lect.reply.engine.lookahead import Live
    from lect.reply.engine.reader import Reader, Steps


LEFT_OVER = {
    "stray_open": "opens no call that can be read",
    "stray_close": "closes what nothing has opened",
    "incomplete_call": "opens a call, and the reply ends before that has a name",
}


class MarkedText(Reading):
    """The reading of one reply.

    Between marks, white space may belong to them; such a stretch is a gap. Its white space waits until it is known what
    follows.
    """

    def __init__(self, reader: Reader, compiled: CompiledGrammar, lead: str = ""):
        super().__init__(reader, compiled)
        self.lead = lead
        """White space with which the template lets every answer begin."""
        self.gap = SPACE
        """The characters of the gap in which we are; empty in the midst of text."""
        self.trim = ""
        """Which of them are dropped if text follows."""
        self.wrapped = False
        self.thought = False
        """Whether reasoning has been read, or its close been missed."""

    def read(self, inside: str) -> Steps:
        """Read it all; `inside` is what it begins inside of."""
        reader = self.reader
        if self.compiled.grammar.prefix:
            reader.turn(CONTENT)
            reader.pending.append(self.compiled.grammar.prefix)
        if inside == REASONING and self.compiled.grammar.reasoning is not None:
            yield from self.read_reasoning()
        while not self.over:
            if self.gap:
                yield from self.read_gap()
            else:
                yield from self.read_text()
        yield from self.read_on_for_nothing()

    def read_gap(self) -> Steps:
        """Read white space between marks, and decide whose it is."""
        reader = self.reader
        start = reader.position
        run = yield from self.read_space(self.compiled.gap, self.gap)
        if reader.exhausted():
            self.over = True
            if reader.fresh and not start:
                # There is nothing but white space in this reply.
                kept = run.removeprefix(self.lead)
                reader.border(MARK, start)
                self.say_last(kept, len(run) - len(kept))
            elif run:
                reader.border(MARK, start)
            return
        mark = yield from self.look(self.compiled.gap)
        if mark and (yield from self.act(self.compiled.gap, mark, run, start)):
            return
        if reader.fresh:
            found = yield from self.find_any(self.compiled.bare)
            if found is not None:
                yield from self.take_section(found, start)
                return
        self.say_space(run, start)
        if mark:
            reader.pass_on(reader.at + 1, CONTENT)

    def read_text(self) -> Steps:
        """Read content up to a mark that means something."""
        reader, live, before = self.reader, self.compiled.text, self.compiled.before
        while True:
            buffer, at = reader.buffer, reader.at
            found = live.search(buffer, at)
            if found is None:
                reader.pass_on(len(buffer), CONTENT)
                if reader.ended:
                    self.over = True
                    return
                reader.fall_quiet(live.search, CONTENT)
                yield
                continue
            reader.pass_on(found.start(), CONTENT)
            start = reader.position
            run = yield from self.read_space(live, before)
            if reader.exhausted():
                self.say_last(run, start)
                continue
            mark = yield from self.look(live)
            if mark and (yield from self.act(live, mark, run, start)):
                return
            reader.say(CONTENT, run, start)
            if not run:
                reader.pass_on(reader.at + 1, CONTENT)

    def read_reasoning(self) -> Steps:
        """Read reasoning up to its end; what ends it is read too, unless it means something else besides."""
        reader, compiled, live = self.reader, self.compiled, self.compiled.reasoning
        reasoning = compiled.grammar.reasoning
        assert reasoning is not None
        kind: TextKind = REASONING if compiled.takes_reasoning else CONTENT
        self.thought = True
        begin = reader.position
        if compiled.takes_reasoning:
            yield from self.skip_lead()
        while True:
            buffer, at = reader.buffer, reader.at
            found = live.search(buffer, at)
            if found is None:
                reader.pass_on(len(buffer), kind)
                if reader.ended:
                    self.over = reader.unfinished = True
                    reader.break_off(kind, begin)
                    return
                reader.fall_quiet(live.search, kind)
                yield
                continue
            reader.pass_on(found.start(), kind)
            start = reader.position
            run = yield from self.read_space(live, compiled.held)
            mark = "" if reader.exhausted() else (yield from self.look(live))
            if mark and (yield from self.ends_reasoning(mark, run, start, kind)):
                if mark in compiled.ends:
                    reader.break_off(kind, begin)
                return
            reader.say(kind, run, start)
            if not run:
                reader.pass_on(reader.at + 1, kind)

    def read_space(self, live: Live, characters: str) -> Generator[None, None, str]:
        """Read on over white space, up to a mark that begins with white space itself, and return it."""
        reader = self.reader
        if not live.spaced:
            return (yield from reader.run(characters)) if characters else ""
        found: list[str] = []
        while True:
            while reader.exhausted() and not reader.ended:
                yield
            if reader.exhausted() or reader.buffer[reader.at] not in characters or (yield from self.look(live)):
                return "".join(found)
            found.append(reader.buffer[reader.at])
            reader.at += 1

    def skip_lead(self) -> Steps:
        """Read over what opens reasoning once more, and over the white space that belongs to it."""
        reader = self.reader
        reasoning = self.compiled.grammar.reasoning
        assert reasoning is not None
        while True:
            start = reader.position
            run = (yield from reader.run(reasoning.lead)) if reasoning.lead else ""
            if run:
                reader.border(MARK, start)
            while reader.exhausted() and not reader.ended:
                yield
            mark = "" if reader.exhausted() else (yield from self.look(self.compiled.text))
            if mark not in reasoning.open:
                return
            reader.skip(reader.at + len(mark))

    def ends_reasoning(self, mark: str, run: str, start: int, kind: TextKind) -> Generator[None, None, bool]:
        """Return whether reasoning ends at a mark, before which a run of white space has been read."""
        reader, compiled = self.reader, self.compiled
        reasoning = compiled.grammar.reasoning
        assert reasoning is not None
        codes = {code for code, _ in self.acts(compiled.reasoning, mark)}
        if CLOSE in codes:
            kept = run.rstrip(reasoning.trail) if compiled.takes_reasoning else run
            reader.say(kind, kept, start)
            reader.border(MARK, start + len(kept))
            if compiled.takes_reasoning:
                reader.skip(reader.at + len(mark))
                self.gap, self.trim = SPACE, reasoning.after
            else:
                reader.pass_on(reader.at + len(mark), CONTENT)
                self.gap = ""
            return True
        kept = run
        if UNTIL in codes:
            sections = [act for code, act in self.acts(compiled.text, mark) if code == SECTION]
            if compiled.takes_tools and sections:
                found = yield from self.find_any(sections)
                if found is None and not reader.ended:
                    return False
                kept = self.without_before(run, found) if found else run
        reader.say(kind, kept, start)
        reader.border(MARK, start + len(kept))
        self.gap, self.trim = SPACE, ""
        return True

    # What marks mean

    def act(self, live: Live, mark: str, run: str, start: int) -> Generator[None, None, bool]:
        """Do what a mark in the text means, and return whether it means anything here.

        Before it, a run of white space has been read at `start`.
        """
        compiled = self.compiled
        acts = self.acts(live, mark)
        sections = [what for code, what in acts if code == SECTION]
        if sections and not compiled.takes_tools:
            self.say_space(run, start)
            yield from self.read_verbatim()
            return True
        if sections:
            found = yield from self.find_any(sections)
            if found is not None and self.believes(found):
                if not self.gap:
                    kept = self.without_before(run, found)
                    self.reader.say(CONTENT, kept, start)
                    start += len(kept)
                yield from self.take_section(found, start)
                return True
        for code, what in acts:
            if code not in (SECTION, STRAY) and self.applies(code, what):
                yield from self.do(code, mark, run, start, what)
                return True
        problem = self.problem_with(mark, acts, sections)
        if problem:
            self.leave(mark, run, start, problem)
        return bool(problem)

    def problem_with(self, mark: str, acts: list[Any], sections: list[CompiledSection]) -> str:
        """Return the code of what is wrong with a mark that means nothing here; empty where it is but text."""
        compiled = self.compiled
        if self.breaks_off(sections):
            self.reader.unfinished = True
            return "incomplete_call"
        if compiled.takes_reasoning and not self.thought and any(code == CLOSE for code, _ in acts):
            # The prompt has probably opened reasoning, and nobody has said so.
            self.thought = True
            return "stray_close"
        return compiled.stray.get(mark) or ("stray_open" if self.seems_meant(mark, sections) else "")

    def breaks_off(self, sections: list[CompiledSection]) -> bool:
        """Return whether the reply ends where one of these sections, or a call in it, is about to begin."""
        buffer, at, ended = self.reader.buffer, self.reader.at, self.reader.ended
        announced = any(call.announced for section in sections for call in section.calls)
        return ended and announced and any(section.look(buffer, at, ended=False) == MORE for section in sections)

    def seems_meant(self, mark: str, sections: list[CompiledSection]) -> bool:
        """Return whether a call was meant behind a mark that opens none of these sections.

        What stands there looks like the beginning of JSON.
        """
        if not any(map(str.isalpha, mark)) or all(
            section.syntax.start and not self.reader.fresh for section in sections
        ):
            return False
        buffer, at = self.reader.buffer, self.reader.at + len(mark)
        return buffer.startswith(("{", "["), lookahead.space(buffer, at))

    def believes(self, found: Found) -> bool:
        """Return whether a call is one.

        Behind text, brackets alone do not tell: it takes a tool that is known, or where none is, a line of its own.
        """
        reader = self.reader
        if found.announced or reader.fresh or "name" not in found.fields:
            return True
        if reader.schemas.known:
            return found.fields["name"] in reader.schemas.known
        return reader.since(reader.position - 1) == "\n"

    def do(self, code: str, mark: str, run: str, start: int, what: Any) -> Steps:
        """Do what a mark means that opens no section."""
        reader, compiled = self.reader, self.compiled
        if code == END and not self.gap:
            self.say_last(run, start)
        elif not self.gap or (code == OPEN and not compiled.takes_reasoning):
            reader.say(CONTENT, run, start)
        elif run:
            reader.border(MARK, start)
        here = reader.position
        reader.skip(reader.at + len(mark))
        if code == END:
            reader.halt(what or mark)
            self.over = True
        elif code == OPEN:
            yield from self.open_reasoning(here, mark)
        elif code == CLOSE:
            reader.report("stray_close", here, f"{mark!r} closes what nothing has opened")
            if reader.fresh and compiled.grammar.reasoning is not None:
                self.gap, self.trim = SPACE, compiled.grammar.reasoning.after
        else:
            self.wrapped = code == WRAP

    def applies(self, code: str, what: Any) -> bool:
        """Return whether a mark means something where we are: some do only at the start of a reply."""
        reasoning = self.compiled.grammar.reasoning
        if code in (OPEN, CLOSE):
            assert reasoning is not None
            return (reasoning.special or self.reader.fresh) and (self.compiled.takes_reasoning or code == OPEN)
        if code == END:
            return what is None or not self.reader.fresh
        if code == WRAP:
            return what.special or self.reader.fresh
        return what.special or self.wrapped

    def open_reasoning(self, here: int, mark: str) -> Steps:
        """Read reasoning that a mark has opened; where it is not to be taken out, the mark is content."""
        reader = self.reader
        if not self.compiled.takes_reasoning:
            reader.say(CONTENT, mark, here)
        yield from self.read_reasoning()

    def take_section(self, found: Found, start: int) -> Steps:
        """Read a section that begins at `start`, and the gap behind it."""
        reader = self.reader
        section = found.section.syntax
        stands = yield from read_section(reader, found, start)
        self.gap, self.trim = (section.gap, section.after) if stands else ("", "")

    def without_before(self, run: str, found: Found) -> str:
        """Return white space without what belongs to a section behind it.

        To a call without its section, nothing does.
        """
        section = found.section
        if found.start > self.reader.at or not section.opens:
            for text in section.syntax.before:
                if run.endswith(text):
                    return run.removesuffix(text)
        return run

    def say_last(self, run: str, start: int) -> None:
        """Say white space at the end of the reply, without what the template lets every answer end with."""
        kept = run.removesuffix(self.compiled.tail)
        self.reader.say(CONTENT, kept, start)
        self.reader.border(MARK, start + len(kept))

    def say_space(self, run: str, start: int) -> None:
        """Say white space before text, without what belongs to the mark before it, or to the template."""
        kept = run
        if self.gap:
            kept = run.lstrip(self.trim) if start else run.removeprefix(self.lead)
        self.reader.border(MARK, start)
        self.reader.say(CONTENT, kept, start + len(run) - len(kept))
        self.gap = ""

    def leave(self, mark: str, run: str, start: int, code: str) -> None:
        """Leave a mark in the content that belongs to no call, and name it."""
        reader = self.reader
        self.say_space(run, start)
        here = reader.position
        reader.pass_on(reader.at + len(mark), CONTENT)
        reader.report(code, here, f"{mark!r} {LEFT_OVER[code]}")

    def read_verbatim(self) -> Steps:
        """Read all the rest as content, up to the end of the reply: the calls in it are for somebody else to read."""
        reader, live = self.reader, self.compiled.reasoning
        self.over = True
        while mark := (yield from self.next_mark(live, CONTENT)):
            if any(code == END for code, _ in self.acts(live, mark)):
                reader.skip(reader.at + len(mark))
                reader.halt(mark)
                return
            reader.pass_on(reader.at + 1, CONTENT)

    @staticmethod
    def acts(live: Live, mark: str) -> list[Any]:
        """Return what a mark may mean."""
        return live.acts.get(mark, [])
