"""Read sections of calls, whatever the calls are written like."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from lect.reply.calls.jsoncalls import json_call, json_map_call, named_json_call
from lect.reply.calls.literals import literals_call
from lect.reply.calls.params import params_call
from lect.reply.calls.plaintext import code_call
from lect.reply.engine import lookahead
from lect.reply.engine.compiled import Found
from lect.reply.engine.lookahead import MORE, NO
from lect.reply.engine.reader import CUT, DONE, LEFT
from lect.reply.events import CALL, MARK
from lect.reply.grammar import Code, Json, JsonMap, Literals, NamedJson, Params, Part

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from lect.reply.engine.compiled import CompiledSection
    from lect.reply.engine.reader import Reader

READERS: dict[type[Part], Callable[[Reader, Found], Generator[None, None, str]]] = {
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

    Return whether it stands: calls that break are content.
    """
    section = found.section
    if found.call is None:
        reader.border(MARK, start)
        reader.skip(found.arguments)
        return True
    opened = found.start > reader.at or not section.opens
    while True:
        outcome = yield from read_call(reader, found, start)
        if outcome != DONE:
            return outcome == CUT
        assert found.call is not None
        if not isinstance(found.call.syntax.arguments, Params):
            yield from _skip_close(reader, found.call.closes)
        following = yield from _next(reader, section, opened=opened)
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
    outcome: str = yield from READERS[type(call.syntax.arguments)](reader, found)
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
    end = lookahead.either(buffer, at, closes, ended=False)
    if end == MORE and reader.ended:
        return len(buffer) if lookahead.space(buffer, at) < len(buffer) else NO
    return end


def _next(reader: Reader, compiled: CompiledSection, *, opened: bool) -> Generator[None, None, Found | None]:
    """Read on to the next call of the section.

    None where there is none: then its close, if it has one, is behind us.
    """
    section = compiled.syntax
    while True:
        buffer, ended = reader.buffer, reader.ended
        at = lookahead.space(buffer, reader.at)
        close = _close(reader, at, compiled.closes)
        if close >= 0:
            reader.skip(close)
            return None
        call: Found | int = NO
        if opened:
            # A comma may stand between calls even where none belongs there, and behind the last one.
            call = lookahead.literal(buffer, at, section.between or ",", ended)
            if call >= 0:
                close = (
                    len(buffer)
                    if ended and lookahead.space(buffer, call) == len(buffer)
                    else _close(reader, call, compiled.closes)
                )
                if close >= 0:
                    reader.skip(close)
                    return None
            elif call == NO and not section.between:
                call = at
            if call >= 0:
                call = compiled.look_for_call(buffer, call, ended, further=True)
        if isinstance(call, Found):
            return call
        too_many = _brackets_before(reader, at, compiled.closes) if opened else NO
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
    found = BRACKETS.match(reader.buffer, at, at + lookahead.REACH)
    if not closes or found is None or found.end() == at:
        return NO
    if found.end() == len(reader.buffer):
        return NO if reader.ended else MORE
    return lookahead.either(reader.buffer, found.end(), closes, reader.ended)
