"""Read sections of calls, however the calls are written."""

from __future__ import annotations

import re
from collections.abc import Generator

from lect.reply.calls.texts import read_until
from lect.reply.events import CALL, CONTENT, MARK
from lect.reply.reader import lookahead
from lect.reply.reader.lookahead import MARKUP
from lect.reply.reader.near import NO, TooLittleTextError, need_end
from lect.reply.reader.reader import BROKEN, CUT, DONE, LEFT, Answer, Outcome, Reader
from lect.reply.reader.syntax import BRACKETS, CallMatch, CompiledSection

LEFT_OVER = re.compile(r"[}\]),;`\s]*")
"""Brackets and the like that close nothing."""
CLOSING = "]})`"
WRAPPED = "a fence or a list around the call"
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


def read_section(reader: Reader, found: CallMatch, start: int) -> Answer:
    """Read the calls of a section that begins at `start` in the raw text; return False if it was only content."""
    section = found.section
    if found.empty:
        reader.border(MARK, start)
        reader.skip(found.arguments)
        return True
    opened = found.start > reader.at or not section.opens
    if opened:
        reader.unclosed = section.closes
    begin = start
    while True:
        outcome = yield from read_call(reader, found, start, opened=opened and start == begin)
        if outcome != DONE:
            return outcome == CUT
        yield from _skip_close(reader, found.closes)
        if reader.position == start and not reader.exhausted():
            # In an odd grammar a call may be empty; reading must still advance.
            reader.skip(reader.at + 1)
        following = yield from reader.sure(lambda *_: _next(reader, section, opened=opened))
        if following is None:
            if opened and section.syntax.special and section.opens:
                yield from _skip_echo(reader, section, begin)
            return True
        found = following
        start = reader.base + found.start


def read_call(reader: Reader, found: CallMatch, start: int, *, opened: bool = False) -> Outcome:
    """Read one call; `opened` means that its section opens at `start`.

    Return DONE if the section may go on, whatever became of the call; CUT at the end of the reply; BROKEN if it was
    not a call, but content.
    """
    openings = [(found.section.firsts, reader.at)] if opened else []
    openings.append((found.call.firsts, found.start))
    misspelt = [firsts[0] for firsts, at in openings if not reader.buffer.startswith(firsts, at)]
    reader.border(MARK, start)
    reader.skip(found.start)
    reader.border(CALL)
    reader.origin = reader.position
    reader.forgiven = [WRAPPED] if "wrapped" in found.fields else []
    if "unended" in found.fields:
        reader.forgive("the mark after the name is missing")
    reader.at = found.arguments
    for mark in misspelt:
        reader.forgive(f"{reader.since(start).strip()!r:.80} for {mark!r}")
    outcome = yield from found.call.read(reader, found)
    if outcome == DONE:
        reader.end_call(complete=True)
        return DONE
    if outcome == LEFT:
        reader.end_call(complete=False)
        reader.report("incomplete_call", reader.origin, "another call begins before this one has any arguments")
        return DONE
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
    return DONE if broken else CUT


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


def _skip_close(reader: Reader, closes: list[tuple[str, ...]]) -> Generator[None, None, None]:
    def look(buffer: str, at: int, ended: bool) -> int:
        end = _close(buffer, at, closes, ended)
        return _close_behind_brackets(reader, at, closes) if end == NO else end

    if closes:
        reader.skip((yield from reader.sure(look)))


def _close(buffer: str, at: int, closes: list[tuple[str, ...]], ended: bool) -> int:
    """Return where a close ends, or NO; one that the end of the reply cuts off ends there."""
    try:
        return lookahead.either(buffer, at, closes, ended=False)
    except TooLittleTextError:
        need_end(ended)
        return len(buffer) if lookahead.space(buffer, at) < len(buffer) else NO


def _next(reader: Reader, compiled: CompiledSection, *, opened: bool) -> CallMatch | None:
    """Read on to the next call of the section; return None if there is none, after the close of the section."""
    section = compiled.syntax
    while True:
        buffer, ended = reader.buffer, reader.ended
        at = lookahead.space(buffer, reader.at)
        close = _close(buffer, at, compiled.closes, ended)
        if close >= 0:
            reader.skip(close)
            reader.unclosed = []
            return None
        call = None
        if opened:
            # There may be a comma between calls even where none belongs, and after the last one.
            further = lookahead.literal(buffer, at, section.between or ",", ended)
            if further >= 0:
                is_last = lookahead.nothing_follows(buffer, further, ended)
                close = len(buffer) if is_last else _close(buffer, further, compiled.closes, ended)
                if close >= 0:
                    reader.skip(close)
                    return None
            elif not section.between or "\n" in buffer[reader.at : at]:
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
        left_over = _close_behind_brackets(reader, at, compiled.closes) if opened else NO
        if left_over >= 0:
            reader.skip(left_over)
            return None
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


def _close_behind_brackets(reader: Reader, at: int, closes: list[tuple[str, ...]]) -> int:
    """Return the end of a close that follows brackets which close nothing, or NO."""
    found = LEFT_OVER.match(reader.buffer, at, at + lookahead.REACH)
    if not closes or found is None or found.end() == at:
        return NO
    if found.end() == len(reader.buffer):
        return need_end(reader.ended)
    end = lookahead.either(reader.buffer, found.end(), closes, reader.ended)
    if end >= 0 and WRAPPED not in reader.forgiven:
        text = f"{found[0].strip()!r} after the call closes nothing"
        reader.report("repaired", reader.position, text, reader.base + found.end())
    return end
