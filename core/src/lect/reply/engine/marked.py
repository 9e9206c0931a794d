"""Read replies that are text with marks in it: reasoning, content and sections of calls."""

from __future__ import annotations

import re
from typing import Any

from lect.reply.engine.compiled import CLOSE, END, OPEN, SECTION, SHUT, STRAY, UNTIL, UNWRAP, WRAP, CompiledGrammar
from lect.reply.engine.reading import Reading
from lect.reply.engine.sections import read_section, skip_unnamed
from lect.reply.events import CONTENT, MARK, REASONING, TextKind
from lect.reply.grammar import SPACE
from lect.reply.reader import lookahead
from lect.reply.reader.lookahead import MarkScanner
from lect.reply.reader.near import NO, need_end
from lect.reply.reader.reader import Decision, Reader, Steps
from lect.reply.reader.syntax import CallMatch, CompiledSection

LITTLE = 256
"""How many characters of text may come between the mark of a section and its first call."""
IN_A_FENCE = re.compile(r"\n```\w*\n\Z")


class MarkedText(Reading):
    """The reading of one reply.

    White space between marks, a gap, may belong to them; it is held back until it is known what follows.
    """

    def __init__(self, reader: Reader, compiled: CompiledGrammar, lead: str = ""):
        super().__init__(reader, compiled)
        self.lead = lead  # White space with which the template begins every answer.
        self.gap = SPACE  # The characters of the current gap; empty in the middle of text.
        self.trim = ""  # Those of them that are dropped if text follows.
        self.wrapped = False
        self.verbatim = False
        """Whether calls have been left in the content: then all the rest stays as it was written."""
        self.unclosed = False  # Whether reasoning has ended without its close.
        self.thought = False  # Whether reasoning has been read, or only its close.
        self.thought_at = 0  # Where its text begins.

    def read(self, inside: str) -> Steps:
        """Read the whole reply; `inside` is what it begins inside of."""
        reader = self.reader
        if self.compiled.grammar.prefix:
            reader.insert(CONTENT, self.compiled.grammar.prefix)
        if inside == REASONING and self.compiled.reasoning_syntax.close:
            yield from self.read_reasoning(opened=False)
            reader.fresh = True
        while not self.over:
            yield from self.read_gap() if self.gap else self.read_text()
        yield from self.skip_rest()

    def read_gap(self) -> Steps:
        """Read white space between marks, and decide what it belongs to."""
        reader = self.reader
        start = reader.position
        run = yield from self.read_space(self.compiled.gap, self.gap)
        if reader.exhausted():
            self.over = True
            if run:
                reader.border(MARK, start)
            if reader.fresh and not start:
                # There is nothing but white space in this reply.
                kept = run.removeprefix(self.lead)
                self.emit_last(kept, len(run) - len(kept))
            return
        mark = yield from reader.sure(self.compiled.gap.look)
        if mark and (yield from self.act(self.compiled.gap, mark, run, start)):
            return
        if reader.fresh:
            found = yield from self.find_any(self.compiled.bare)
            if found is not None:
                yield from self.take_section(found, start)
                return
        self.emit_space(run, start)
        if mark:
            reader.emit_to(reader.at + 1, CONTENT)

    def read_text(self) -> Steps:
        """Read content up to a mark that means something."""
        reader, live = self.reader, self.compiled.text
        while True:
            mark, run, start = yield from self.scan(live, CONTENT, self.compiled.before)
            if not mark:
                self.emit_last(run, start)
                self.over = True
                return
            if (yield from self.act(live, mark, run, start)):
                return
            reader.emit(CONTENT, run, start)
            reader.emit_to(reader.at + 1, CONTENT)

    def read_reasoning(self, *, opened: bool) -> Steps:
        """Read reasoning, with the mark that ends it unless that means something else too."""
        reader, compiled, live = self.reader, self.compiled, self.compiled.reasoning
        kind: TextKind = REASONING if compiled.takes_reasoning else CONTENT
        self.thought = reader.in_reasoning = True
        begin = reader.position
        if compiled.takes_reasoning:
            yield from self.skip_lead(int(opened))
        self.thought_at = reader.position
        while True:
            mark, run, start = yield from self.scan(live, kind, compiled.held)
            if mark and (yield from self.ends_reasoning(mark, run, start, kind)):
                reader.in_reasoning = False
                if mark in compiled.ends:
                    reader.break_off(kind, begin)
                return
            if reader.position == start + len(run):
                reader.emit(kind, run, start)
            if not mark:
                self.over = reader.unfinished = True
                reader.break_off(kind, begin)
                return
            if reader.position > start + len(run):
                # The mark opened a draft, which has been emitted.
                continue
            if mark in compiled.stray and self.is_exact(mark):
                self.stray(mark, compiled.stray[mark])
            else:
                reader.emit_to(reader.at + 1, kind)

    def skip_lead(self, openings: int) -> Steps:
        """Skip repeated openings of reasoning, and the white space that belongs to them."""
        reader = self.reader
        while True:
            start = reader.position
            if (yield from reader.run(self.compiled.reasoning_syntax.lead)):
                reader.border(MARK, start)
            mark = "" if reader.exhausted() else (yield from reader.sure(self.compiled.text.look))
            if mark not in self.compiled.reasoning_syntax.open:
                return
            here, openings = reader.position, openings + 1
            reader.skip(reader.at + len(mark))
            if openings == 2:
                reader.report("repaired", here, f"{mark!r} comes a second time")

    def ends_reasoning(self, mark: str, run: str, start: int, kind: TextKind) -> Decision:
        """Return whether reasoning ends at a mark; `run` is the white space before it, read at `start`."""
        reader, compiled = self.reader, self.compiled
        codes = {code for code, _ in compiled.reasoning.acts[mark]}
        if CLOSE in codes:
            kept = run.rstrip(compiled.reasoning_syntax.trail) if compiled.takes_reasoning else run
            reader.emit(kind, kept, start)
            reader.border(MARK, start + len(kept))
            if compiled.takes_reasoning:
                reader.skip(reader.at + len(mark))
                self.gap, self.trim = SPACE, compiled.reasoning_syntax.after
            else:
                reader.emit_to(reader.at + len(mark), CONTENT)
                self.gap = ""
            return True
        kept, found = run, None
        if END not in codes:
            sections = [what for code, what in compiled.text.acts.get(mark, ()) if code == SECTION]
            found = (yield from self.find_any(sections)) if sections else None
            kept = self.without_before(run, found) if found else run
            if found and UNTIL not in codes and not (yield from self.closes_reply(sections, run, start, kind)):
                return False
            if found is None and (sections or UNTIL not in codes) and not self.breaks_off(sections):
                return False
        reader.emit(kind, kept, start)
        reader.border(MARK, start + len(kept))
        reader.rewind(start + len(kept))
        self.gap, self.trim = SPACE, ""
        self.unclosed = True
        if found and UNTIL not in codes and compiled.takes_reasoning and start + len(kept) > self.thought_at:
            reader.report("repaired", reader.position, f"{compiled.reasoning_syntax.close[0]!r} is missing")
        return True

    def act(self, live: MarkScanner, mark: str, run: str, start: int) -> Decision:
        """Act on a mark, and return whether it means anything here; `run` is the white space before it, at `start`."""
        acts = live.acts[mark]
        sections = [what for code, what in acts if code == SECTION]
        found = (yield from self.find_any(sections)) if sections else None
        if found is not None and not (found.announced and self.in_a_fence()):
            if not self.gap:
                kept = self.without_before(run, found) if self.compiled.takes_tools else run
                self.reader.emit(CONTENT, kept, start)
                start += len(kept)
            yield from self.take_section(found, start)
            return True
        if not self.is_exact(mark):
            acts = []
        if self.verbatim:
            acts = [(code, what) for code, what in acts if code == END]
        for code, what in acts:
            if code not in (SECTION, STRAY) and (yield from self.applies(code, what, mark)):
                yield from self.do(code, mark, run, start, what)
                return True
        return (yield from self.leave(mark, run, start, acts, [] if found else sections))

    def leave(self, mark: str, run: str, start: int, acts: list[Any], sections: list[CompiledSection]) -> Decision:
        """Handle a mark that means nothing here, and return True, unless it is only text."""
        reader, compiled = self.reader, self.compiled
        if self.breaks_off(sections):
            self.over = True
            if not compiled.takes_tools:
                reader.unfinished = True
                reader.emit(CONTENT, run, start)
                reader.emit_to(len(reader.buffer), CONTENT)
            else:
                self.emit_space(run, start, dropped=True)
                skip_unnamed(reader)
            return True
        if not self.is_exact(mark):
            return False
        if (yield from self.opens_behind_text(mark, sections)):
            self.emit_space(run, start, dropped=True)
            here = reader.position
            reader.skip(reader.at + len(mark))
            reader.unclosed = sections[0].syntax.close
            reader.report("repaired", here, f"there is text between {mark!r} and the call")
            return True
        if mark in compiled.stray and compiled.takes_tools:
            self.emit_space(run, start, dropped=True)
            self.stray(mark, compiled.stray[mark])
            return True
        # The prompt has probably opened reasoning, but the caller did not say so.
        code = "stray_close" if compiled.takes_reasoning and not self.thought and (CLOSE, None) in acts else ""
        # So does a model that closes its calls a second time, or did not open them.
        code = "stray_close" if reader.calls and compiled.takes_tools and (SHUT, None) in acts else code
        if not code and not (yield from self.seems_meant(mark, sections)):
            return False
        self.thought |= bool(code)
        self.emit_space(run, start)
        self.stray(mark, code or "stray_open", keep=True)
        return True

    def opens_behind_text(self, mark: str, sections: list[CompiledSection]) -> Decision:
        """Return whether a mark opens one of these sections, and its first call comes after a little text."""
        own = [section for section in sections if any(call.opens != [()] for call in section.calls)]
        meant = [section for section in own if any(mark == row[0] for row in section.opens)]

        def look(buffer: str, at: int, ended: bool) -> bool:
            begin = at + len(mark)
            end = buffer.find("<", begin, begin + LITTLE)
            if end < 0:
                need_end(ended or len(buffer) - begin >= LITTLE)
            return end > begin and any(section.look_for_call(buffer, end, ended) for section in meant)

        return bool(meant) and self.compiled.takes_tools and (yield from self.reader.sure(look))

    def seems_meant(self, mark: str, sections: list[CompiledSection]) -> Decision:
        """Return whether a mark that opens none of these sections was meant to: JSON seems to follow it."""
        if not any(call.announced for section in sections for call in section.calls) or all(
            section.syntax.start and not self.reader.fresh for section in sections
        ):
            return False
        reader = self.reader
        while (at := lookahead.space(reader.buffer, reader.at + len(mark))) == len(reader.buffer) and not reader.ended:
            yield
        return reader.buffer.startswith(("{", "["), at)

    def in_a_fence(self) -> bool:
        reader = self.reader
        return not reader.fresh and IN_A_FENCE.search(reader.since(max(reader.position - 24, 0))) is not None

    def do(self, code: str, mark: str, run: str, start: int, what: Any) -> Steps:
        reader, compiled = self.reader, self.compiled
        if code == END and not self.gap:
            self.emit_last(run, start)
        elif not self.gap or (code == OPEN and not compiled.takes_reasoning):
            reader.emit(CONTENT, run, start)
        elif run:
            reader.border(MARK, start)
        here = reader.position
        reader.skip(reader.at + len(mark))
        if code == END:
            reader.halt(what or mark)
            self.over = True
        elif code == OPEN:
            fresh = reader.fresh
            if not compiled.takes_reasoning:
                reader.emit(CONTENT, mark, here)
            yield from self.read_reasoning(opened=True)
            # Reasoning changes nothing about what follows, whether it is extracted or not.
            reader.fresh = fresh
        elif code == SHUT:
            reader.unclosed = ()
            reader.report("repaired", here, f"{mark!r} comes a second time, or after text that is no call")
        elif code == CLOSE:
            reader.report("stray_close", here, f"{mark!r} closes something that was never opened")
            if reader.fresh:
                self.gap, self.trim = SPACE, compiled.reasoning_syntax.after
        else:
            self.wrapped = code == WRAP
            if code == UNWRAP and what.tail and not mark.endswith(what.tail):
                # The rest of the close, if it ends on the same line.
                reader.skip((yield from reader.sure(lookahead.rest_of_line, what.tail)))

    def applies(self, code: str, what: Any, mark: str) -> Decision:
        """Return whether a mark means something here: some do only at the start of a reply."""
        compiled, reader = self.compiled, self.reader
        if code in (OPEN, CLOSE):
            allowed = compiled.reasoning_syntax.special or reader.fresh or (code == CLOSE and self.unclosed)
            return allowed and (compiled.takes_reasoning or code == OPEN)
        if code == END:
            return what is None or not reader.fresh
        if code == SHUT:
            # Directly after the calls, it closes them a second time.
            second = bool(self.gap and reader.calls)
            return compiled.takes_tools and (second or any(mark in lookahead.as_row(each) for each in reader.unclosed))
        if what.special or (code == WRAP and reader.fresh) or (code == UNWRAP and self.wrapped):
            return True
        if code == WRAP:
            return False

        def ends_reply(buffer: str, at: int, ended: bool) -> bool:
            behind = at + len(mark)
            if lookahead.space(buffer, behind) == len(buffer):
                need_end(ended)
                return True
            return lookahead.either(buffer, behind, reader.stop_rows, ended) != NO

        # A close that nothing has opened counts only if the reply ends with it.
        return (yield from reader.sure(ends_reply))

    def take_section(self, found: CallMatch, start: int) -> Steps:
        """Read a section that begins at `start`, and the gap after it."""
        reader = self.reader
        if self.compiled.takes_tools:
            section = found.section.syntax
            is_section = yield from read_section(reader, found, start)
            self.gap, self.trim = (section.gap, section.after) if is_section else ("", "")
            return
        # What is not extracted stays as it was written.
        reader.emit(CONTENT, reader.since(start), start)
        found = found._replace(start=found.start - reader.at, arguments=found.arguments - reader.at)
        trial, _ = yield from self.try_out(lambda to: read_section(to, found, 0), CONTENT)
        reader.unfinished = trial.unfinished
        if trial.stop is not None:
            reader.halt(trial.stop)
        self.verbatim = True
        self.gap = self.trim = ""

    def without_before(self, run: str, found: CallMatch) -> str:
        """Return white space without what belongs to the section after it; none belongs to a call without one."""
        section = found.section
        before = section.syntax.before if found.start > self.reader.at or not section.opens else ()
        return run.removesuffix(next((text for text in before if run.endswith(text)), ""))

    def emit_last(self, run: str, start: int) -> None:
        """Emit white space at the end of the reply, without what the template ends every answer with."""
        kept = run.removesuffix(self.compiled.tail)
        self.reader.emit(CONTENT, kept, start)
        self.reader.border(MARK, start + len(kept))

    def emit_space(self, run: str, start: int, *, dropped: bool = False) -> None:
        """Emit white space before text, without what belongs to the mark before it, or to the template."""
        reader, kept = self.reader, run
        reader.border(MARK, start)
        if self.gap and dropped:
            # Before a mark that is dropped, a gap continues.
            return
        if self.gap:
            kept = run.lstrip(self.trim) if start else run.removeprefix(self.lead)
        reader.emit(CONTENT, kept, start + len(run) - len(kept))
        self.gap = ""
