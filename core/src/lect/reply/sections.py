"""Read sections of calls, whatever the calls are written like."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from lect.reply import probe
from lect.reply.events import CALL, MARK
from lect.reply.grammar import Code, Json, JsonMap, Literals, NamedJson, Params
from lect.reply.jsoncalls import json_call, json_map_call, named_json_call
from lect.reply.literals import literals_call
from lect.reply.params import params_call
from lect.reply.plaintext import code_call
from lect.reply.plan import Found
from lect.reply.probe import MORE, NO
from lect.reply.reader import CUT, DONE, LEFT

if TYPE_CHECKING:
    from collections.abc import Generator

    from lect.reply.plan import SectionPlan
    from lect.reply.reader import Reader

READERS = {
    Json: json_call,
    JsonMap: json_map_call,
    NamedJson: named_json_call,
    Params: params_call,
    Literals: literals_call,
    Code: code_call,
}
BRACKETS = re.compile(r"[}\],\s]*")
WHY = {
    "unbalanced_json": "the JSON of the call breaks at this text's end",
    "bad_literal": "the call has something in it that is no value",
    "too_deep": "the arguments of the call lie too deep in each other",
    "stray_text": "the call has text in it that belongs to no parameter",
    "incomplete_call": "the call has no name",
}


def read_section(reader: Reader, found: Found, start: int) -> Generator[None, None, bool]:
    """Read the calls of a section that begins at `start` in the raw text.

    Say whether it stands: calls that break are content.
    """
    plan = found.section
    if found.call is None:
        reader.border(MARK, start)
        reader.skip(found.arguments)
        return True
    opened = found.start > reader.at or not plan.opens
    while True:
        outcome = yield from read_call(reader, found, start)
        if outcome != DONE:
            return outcome == CUT
        assert found.call is not None
        if not isinstance(found.call.call.arguments, Params):
            yield from _skip_close(reader, found.call.closes)
        following = yield from _next(reader, plan, opened=opened)
        if following is None:
            return True
        found = following
        start = reader.base + found.start


def read_call(reader: Reader, found: Found, start: int) -> Generator[None, None, str]:
    """Read one call. If it breaks, all since `start` is content."""
    call = found.call
    assert call is not None
    reader.border(MARK, start)
    reader.skip(found.start)
    reader.border(CALL)
    reader.origin, reader.why = reader.position, ""
    reader.at = found.arguments
    outcome: str = yield from READERS[type(call.call.arguments)](reader, found)
    if outcome == DONE:
        reader.end_call(complete=True)
        return outcome
    if outcome == LEFT:
        reader.end_call(complete=False)
        reader.report("incomplete_call", reader.origin, "another call begins before this one has said anything")
        return DONE
    if (yield from reader.at_stop()):
        outcome = CUT
    elif outcome == CUT:
        reader.unfinished = found.announced or reader.call is not None
        reader.at = len(reader.buffer)
        reader.stop_at_the_end()
    if outcome == CUT and reader.call is not None:
        reader.end_call(complete=False)
        reader.report("incomplete_call", reader.origin, "the reply ends inside a call")
        return outcome
    reader.end_call(complete=False)
    if outcome == CUT and found.announced:
        reader.report("incomplete_call", start, "the reply ends before the call has a name")
    elif outcome != CUT and reader.why:
        reader.report(reader.why, start, WHY[reader.why])
    reader.give_back(start)
    return outcome


def _skip_close(reader: Reader, closes: list[tuple[str, ...]]) -> Generator[None, None, None]:
    while closes:
        end = _close(reader, reader.at, closes)
        if end >= 0:
            reader.skip(end)
        if end != MORE:
            return
        yield


def _close(reader: Reader, at: int, closes: list[tuple[str, ...]]) -> int:
    """Return where a close ends, or NO or MORE; one in which the reply breaks off ends with it."""
    buffer = reader.buffer
    end = probe.either(buffer, at, closes, ended=False)
    if end == MORE and reader.ended:
        return len(buffer) if probe.space(buffer, at) < len(buffer) else NO
    return end


def _next(reader: Reader, plan: SectionPlan, *, opened: bool) -> Generator[None, None, Found | None]:
    """Read on to the next call of the section.

    None where there is none: then its close, if it has one, is behind us.
    """
    section = plan.section
    while True:
        buffer, ended = reader.buffer, reader.ended
        at = probe.space(buffer, reader.at)
        close = _close(reader, at, plan.closes)
        if close >= 0:
            reader.skip(close)
            return None
        call: Found | int = NO
        if opened:
            # A comma may stand between calls even where none belongs there, and behind the last one.
            call = probe.literal(buffer, at, section.between or ",", ended)
            if call >= 0:
                close = (
                    len(buffer)
                    if ended and probe.space(buffer, call) == len(buffer)
                    else _close(reader, call, plan.closes)
                )
                if close >= 0:
                    reader.skip(close)
                    return None
            elif call == NO and not section.between:
                call = at
            if call >= 0:
                call = plan.look_for_call(buffer, call, ended, further=True)
        if isinstance(call, Found):
            return call
        too_many = _brackets_before(reader, at, plan.closes) if opened else NO
        if too_many >= 0:
            start = reader.position
            reader.skip(too_many)
            reader.report("unbalanced_json", start, "there are brackets or commas too many behind the call")
            return None
        if MORE not in (close, call, too_many):
            return None
        yield


def _brackets_before(reader: Reader, at: int, closes: list[tuple[str, ...]]) -> int:
    """Return where a close ends before which brackets stand that close nothing, or NO or MORE."""
    found = BRACKETS.match(reader.buffer, at, at + probe.REACH)
    if not closes or found is None or found.end() == at:
        return NO
    if found.end() == len(reader.buffer):
        return NO if reader.ended else MORE
    return probe.either(reader.buffer, found.end(), closes, reader.ended)
