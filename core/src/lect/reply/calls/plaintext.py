"""Arguments that are plain text: code for an interpreter, or the input of a tool that takes one text."""

from __future__ import annotations

from json.encoder import encode_basestring
from typing import TYPE_CHECKING

from lect.reply.engine import lookahead
from lect.reply.engine.lookahead import MORE, NO, Live
from lect.reply.engine.reader import CUT, DONE
from lect.reply.grammar import Code

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

    from lect.reply.engine.compiled import CompiledCall, Found
    from lect.reply.engine.reader import Reader


def quoted(text: str) -> str:
    """Return `text` as a JSON string."""
    result: str = encode_basestring(text)
    return result


def text_argument(reader: Reader, key: str, call: CompiledCall, unfence: str = "") -> Generator[None, None, str]:
    """Read text up to what ends a call, or to the end of the reply, as the one argument `key`."""
    put = reader.pending.append
    put(f'{{{quoted(key)}: "')
    closing = [(unfence, *marks) for marks in call.ends] if unfence else list(call.ends)
    closing += [(mark,) for mark in reader.stops]
    live = Live([(marks[0], None) for marks in closing] + ([(unfence, None)] if unfence else []))
    while True:
        buffer, at = reader.buffer, reader.at
        found = live.search(buffer, at)
        end = found.start() if found else len(buffer)
        if end > at:
            put(quoted(buffer[at:end])[1:-1])
            reader.at = end
        if end == len(buffer):
            if reader.ended:
                # Text has no end of its own: only the server knows whether there should be more.
                if reader.reason == "length":
                    return CUT
                break
            yield
            continue
        after = _closes(buffer, end, closing, unfence, call, reader.ended)
        if after == MORE:
            yield
        elif after == NO:
            put(quoted(buffer[end])[1:-1])
            reader.at = end + 1
        else:
            break
    put('"}')
    return DONE


def _closes(
    buffer: str, at: int, closing: Sequence[Sequence[str]], unfence: str, call: CompiledCall, ended: bool
) -> int:
    more = False
    for marks in closing:
        end = lookahead.sequence(buffer, at, marks, ended)
        if end >= 0 and marks[-1] in call.headers:
            header = call.headers[marks[-1]].look(buffer, end, ended)
            end = header if isinstance(header, int) else end
        if end >= 0:
            return end
        more = more or end == MORE
    if more:
        return MORE
    if unfence and ended:
        end = lookahead.literal(buffer, at, unfence, ended)
        return end if end >= 0 and lookahead.space(buffer, end) == len(buffer) else NO
    return NO


def code_call(reader: Reader, found: Found) -> Generator[None, None, str]:
    """Read a call that is plain text up to the close of its section."""
    assert found.call is not None
    spec = found.call.syntax.arguments
    assert isinstance(spec, Code)
    reader.begin_call(spec.name)
    unfence = ""
    fences = [(fence,) for fence in spec.fence]
    while fences:
        after = lookahead.either(reader.buffer, reader.at, fences, reader.ended)
        if after >= 0:
            reader.at = after
            unfence = spec.unfence
        if after != MORE:
            break
        yield
    outcome = yield from text_argument(reader, spec.key, found.call, unfence)
    if outcome == DONE and unfence and reader.buffer.startswith(unfence, reader.at):
        reader.at += len(unfence)
    return outcome
