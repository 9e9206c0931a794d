"""Read sections of calls, however the calls are written."""

from __future__ import annotations

import re
from collections.abc import Generator

from lect.reply.calls.jsoncalls import WRAPPED
from lect.reply.calls.texts import read_until
from lect.reply.events import CALL, CONTENT, MARK
from lect.reply.grammar import Marks, Params
from lect.reply.reader import lookahead
from lect.reply.reader.lookahead import MARKUP, MISTAKE
from lect.reply.reader.near import NO, TooLittleTextError, need_end
from lect.reply.reader.reader import BROKEN, CUT, DONE, LEFT, Decision, Outcome, Reader
from lect.reply.reader.syntax import BRACKETS, CallMatch, CompiledSection, mistake

LOOSE = "}]),;`"
LEFT_OVER = re.compile(rf"\s*[{re.escape(LOOSE)}][{re.escape(LOOSE)}\s]*").match
"""Brackets and the like that close nothing."""
CLOSING = "]})`"
WHY = {
    "unbalanced_json": "the JSON of the call is malformed",
    "bad_literal": "the call contains something that is not a value",
    "too_deep": "the arguments of the call are nested too deeply",
    "stray_text": "the call contains text that belongs to no parameter",
    "incomplete_call": "the call has no name",
}


def is_plausible(reader: Reader, found: CallMatch) -> bool:
    """Return whether what looks like a call counts as one.

    After text, brackets alone are not enough: the tool must be known or, if no tools are, the call must start a line.
    """
    known = reader.schemas.known
    # No function has a name with a part of a mark in it.
    if "name" in found.fields and (not found.fields["name"] or MARKUP(found.name)):
        return False
    if found.call.syntax.known or "positional" in found.fields:
        return found.name in known
    if found.announced or reader.fresh or "name" not in found.fields:
        return True
    return found.name in known if known else reader.since(reader.position - 1) == "\n"


def read_section(reader: Reader, found: CallMatch, start: int) -> Decision:
    """Read the calls of a section that begins at `start` in the raw text; return False if it was only content."""
    section = found.section
    if found.empty:
        reader.border(MARK, start)
        reader.skip(found.arguments)
        return True
    opened = found.start > reader.at or not section.opens
    if opened:
        reader.report_unclosed()
        reader.unclosed = section.syntax.close
    begin, before = start, section.syntax.open
    while True:
        outcome = yield from read_call(reader, found, start, mistake(reader.buffer[reader.at : found.start], before))
        if outcome in (CUT, BROKEN):
            reader.unclosed = ()
            return outcome == CUT
        call, closes = found.call, found.closes
        # Parameters have been read with their close.
        right = () if isinstance(call.syntax.arguments, Params) and outcome == DONE else call.syntax.close
        closed = not closes or (yield from reader.sure(_skip_close, reader, closes, right))
        if not closed and outcome == DONE and call.needs_close:
            reader.report_missing(right)
        if reader.position == start and not reader.exhausted():
            # In an odd grammar a call may be empty; reading must still advance.
            reader.skip(reader.at + 1)
        following = yield from reader.sure(_next, reader, found, opened)
        if following is None:
            if opened and section.syntax.special and section.opens:
                yield from _skip_echo(reader, section, begin)
            return True
        found, before = following, (section.syntax.between,)
        start = reader.base + found.start


def read_call(reader: Reader, found: CallMatch, start: int, wrong: str = "") -> Outcome:
    """Read one call; `wrong` is what is wrong before it, from `start` on.

    Return DONE after it; LEFT if it is incomplete and the section goes on; CUT at the reply's end; BROKEN for content.
    """
    reader.border(MARK, start)
    reader.skip(found.start)
    reader.border(CALL)
    reader.origin = reader.position
    foreign = "a notation that is not the format's own" if found.call.syntax.foreign else ""
    reader.forgiven = [each for each in (wrong, found.fields.get(MISTAKE), foreign) if each]
    reader.at = found.arguments
    outcome = yield from found.call.read(reader, found)
    if outcome == DONE:
        reader.end_call(complete=True)
        return DONE
    if outcome == LEFT:
        reader.end_call(complete=False)
        reader.report("incomplete_call", reader.origin, "another call begins before this one has any arguments")
        return LEFT
    stops = yield from reader.at_stop()
    ends = outcome == CUT and not stops
    broken = outcome == BROKEN and not stops
    if ends:
        reader.at = len(reader.buffer)
        reader.unfinished = found.announced or reader.call is not None
    if reader.call is None and not found.announced:
        # It is content after all.
        while reader.borders and reader.borders[-1][0] >= start:
            reader.borders.pop()
        reader.emit(CONTENT, reader.since(start), start)
        if ends:
            reader.note_final_stop()
        return BROKEN
    if broken:
        yield from _skip_broken(reader, found)
    why, text = reader.why if broken else "incomplete_call", "the reply ends inside a call"
    if reader.call is None:
        why, text = "incomplete_call", "the reply ends before the call has a name"
    else:
        reader.end_call(complete=False)
    reader.report(why, reader.origin, WHY[why] if broken else text)
    if ends:
        reader.note_final_stop()
    return LEFT if broken else CUT


def skip_unnamed(reader: Reader) -> None:
    """Skip the beginning of a call in which the reply ends."""
    start = reader.position
    reader.skip(len(reader.buffer), CALL)
    reader.unfinished = True
    reader.report("incomplete_call", start, "the reply ends before the call has a name")


def _skip_broken(reader: Reader, found: CallMatch) -> Generator[None, None, None]:
    """Read to the end of a broken call: all of that belongs to the call."""
    marked = [row for row in found.ends if "".join(row).strip(BRACKETS + CLOSING)]
    rows = [*(marked or found.ends), *found.section.bounds, *reader.stop_rows]
    live = lookahead.scanner_of(*(row[0] for row in rows))

    def closes(mark: str) -> int:
        end = lookahead.either(reader.buffer, reader.at, rows, reader.ended)
        return reader.at if end >= 0 else end

    yield from read_until(reader, live, closes)


def _skip_close(buffer: str, at: int, reader: Reader, closes: list[tuple[str, ...]], right: Marks, ended: bool) -> bool:
    """Skip a close with the brackets before it that close nothing; return whether there is one, or a part of one."""
    cut = False
    try:
        begin, end = _close(buffer, at, closes, ended=False)
    except TooLittleTextError:
        need_end(ended)
        begin, end = _close(buffer, at, closes, ended)
        if end == NO and (rest := buffer[at:].strip()):
            # The end of the reply cuts it off, or brackets are all that is there.
            end, cut = len(buffer), bool(rest.strip(LOOSE))
    # What is around a call has been noted already.
    text = buffer[begin if WRAPPED in reader.forgiven else at : end]
    wrong = mistake(text, right) if end >= 0 and not cut else ""
    start = reader.position
    reader.skip(end)
    if wrong:
        reader.report("repaired", start, f"after the call: {wrong}")
    return end >= 0


def _close(buffer: str, at: int, closes: list[tuple[str, ...]], ended: bool) -> tuple[int, int]:
    """Return where a close begins and ends, or NO."""
    loose = LEFT_OVER(buffer, at, at + lookahead.REACH)
    for begin in range(at, (loose.end() if loose else at) + 1):
        if begin > at and not any(row[0].startswith(buffer[begin : begin + 1]) for row in closes):
            continue
        end = lookahead.either(buffer, begin, closes, ended)
        if end >= 0:
            return begin, end
    return at, NO


def _next(buffer: str, at: int, reader: Reader, last: CallMatch, opened: bool, ended: bool) -> CallMatch | None:
    """Read on to the next call of the section; return None if there is none, after the close of the section."""
    compiled, section = last.section, last.section.syntax
    while True:
        if compiled.closes and _skip_close(buffer, reader.at, reader, compiled.closes, section.close, ended):
            reader.unclosed = ()
            return None
        at = lookahead.space(buffer, reader.at)
        call = None
        if opened:
            # There may be a comma between calls even where none belongs, and after the last one.
            further = lookahead.literal(buffer, at, section.between or ",", ended)
            if further >= 0 and lookahead.nothing_follows(buffer, further, ended):
                reader.skip(len(buffer))
                return None
            if further < 0 and (not section.between or "\n" in buffer[reader.at : at]):
                further = at
            if further >= 0:
                call = compiled.look_for_call(buffer, further, ended, further=True)
                # Without a mark or a separator before it, a call that the end of the reply cuts off is text.
                cut = call is None and ended and lookahead.space(buffer, further) < len(buffer)
                begun = cut and (further > at or any(each.syntax.open for each in compiled.calls))
                if begun and lookahead.is_cut_off(compiled.look_for_call, buffer, further, further=True):
                    reader.skip(at)
                    skip_unnamed(reader)
                    return None
        if call is not None and is_plausible(reader, call):
            return call
        if not buffer.startswith("}", at):
            return None
        reader.skip(at + 1)
        reader.report("repaired", reader.position - 1, "'}' after the call closes nothing")


def _skip_echo(reader: Reader, section: CompiledSection, begin: int) -> Generator[None, None, None]:
    """Skip a section that is repeated word for word, except for its opening."""
    text = reader.since(begin)
    at = lookahead.space(text, 0)
    at += len(next((row[0] for row in section.opens if text.startswith(row[0], at)), text))
    length = len(text) - at
    while length > 0 and text.startswith(rest := reader.buffer[reader.at : reader.at + length], at):
        if len(rest) == length:
            reader.skip(reader.at + length)
            reader.report("repaired", reader.position - length, "the calls are repeated without their opening")
        if len(rest) == length or reader.ended:
            return
        yield
