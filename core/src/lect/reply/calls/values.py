"""The text of one parameter's value.

Passed on as it comes where it must be text, kept until it is complete where it may be something else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lect.reply.calls.plaintext import quoted
from lect.reply.calls.schema import STRING
from lect.reply.engine import lookahead
from lect.reply.engine.lookahead import MORE, NO
from lect.reply.engine.reader import CUT, DONE

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from lect.reply.engine.compiled import CompiledCall
    from lect.reply.engine.reader import Reader
    from lect.reply.grammar import Params

BEGINS_JSON = '{["-0123456789tfn'
CDATA, CDATA_END = "<![CDATA[", "]]>"


class Value:
    """A value that is being read."""

    def __init__(self, reader: Reader, spec: Params, types: frozenset[str], *, hold: bool, start: Callable[[], bool]):
        self.reader = reader
        self.spec = spec
        self.start = start
        self.streamed = False
        self.kept: list[str] = []
        self.trimmed = not spec.trim
        self.tail = ""
        # None: the first character tells whether it can be anything but text.
        self.hold: bool | None = hold or (types != STRING and bool(types)) or None
        if not self.hold and (types == STRING or spec.untyped == "string"):
            self.hold = False

    def add(self, text: str) -> None:
        """Add what was read."""
        if not self.trimmed and text:
            self.trimmed = True
            text = text.removeprefix(self.spec.trim)
        if self.hold:
            self.kept.append(text)
            return
        if not self.streamed:
            if self.hold is None:
                first = text.lstrip()[:1]
                if not first:
                    self.kept.append(text)
                    return
                self.hold = first in BEGINS_JSON
                if self.hold:
                    self.kept.append(text)
                    return
            if not text:
                return
            self.streamed = True
            self.start()
            self.reader.pending.append('"')
            text = "".join(self.kept) + text
        text = self.tail + text
        self.tail = ""
        if self.spec.trim and text.endswith(self.spec.trim):
            self.tail = self.spec.trim
            text = text[: -len(self.tail)]
        if text:
            self.reader.pending.append(quoted(text)[1:-1])

    def close(self) -> None:
        """End a value that was passed on as it came."""
        self.reader.pending.append('"')

    def text(self) -> str:
        """Return a value that was kept."""
        return "".join(self.kept).removesuffix(self.spec.trim)


def read_value(reader: Reader, call: CompiledCall, spec: Params, key: str, value: Value) -> Generator[None, None, str]:
    """Read a value up to and with its close, or up to what shows that the close is missing.

    A close counts only where the call can go on behind it: a text may well speak of the mark that closes it.
    """
    live = call.live_in_value(key)
    close = spec.close.replace("{key}", key)
    if spec.cdata:
        outcome = yield from _read_cdata(reader, close, value)
        if outcome:
            return outcome
    while True:
        buffer, at = reader.buffer, reader.at
        found = live.search(buffer, at)
        end = found.start() if found else len(buffer)
        if end > at:
            value.add(buffer[at:end])
            reader.at = at = end
        if end == len(buffer):
            if reader.ended:
                return CUT
            if value.streamed and not value.tail:
                reader.quiet = call.matters_in_value
            yield
            continue
        mark = live.look(buffer, at, reader.ended)
        after = MORE if mark is None else NO if not mark else _closes(reader, call, spec, close, mark)
        if after == MORE:
            yield
        elif after == NO:
            value.add(buffer[at])
            reader.at = at + 1
        else:
            reader.at = after
            return DONE


def _read_cdata(reader: Reader, close: str, value: Value) -> Generator[None, None, str]:
    """Read a value that stands in `<![CDATA[...]]>`, where marks are text, with its close.

    Say how that ended, or nothing where it is none.
    """
    while (end := lookahead.either(reader.buffer, reader.at, [(CDATA,)], reader.ended)) == MORE:
        yield
    if end == NO:
        return ""
    reader.at = end
    value.hold = True
    while True:
        buffer, at = reader.buffer, reader.at
        end = buffer.find(CDATA_END, at)
        after = lookahead.either(buffer, end + len(CDATA_END), [(close,)], reader.ended) if end >= 0 else MORE
        if after >= 0:
            value.kept.append(buffer[at:end])
            reader.at = after
            return DONE
        if after == NO:
            value.kept.append(buffer[at : end + 1])
            reader.at = end + 1
        elif reader.ended:
            return CUT
        else:
            if end < 0 and len(buffer) - at > len(CDATA_END):
                reader.at = len(buffer) - len(CDATA_END) + 1
                value.kept.append(buffer[at : reader.at])
            yield


def _closes(reader: Reader, call: CompiledCall, spec: Params, close: str, mark: str) -> int:
    """Return where a value ends at whose mark we stand: behind its close, or before a mark that can only follow it.

    NO or MORE.
    """
    buffer, at, ended = reader.buffer, reader.at, reader.ended
    if mark == close:
        end = at + len(close)
        after = call.space(buffer, end, ended)
        if after >= 0:
            if ended and after == len(buffer):
                return end
            after = lookahead.either(buffer, after, [*call.follow, *reader.stop_rows], ended)
        return end if after >= 0 else after
    if mark == spec.open:
        after, _ = call.param.look(buffer, at + len(mark), ended)
        if after >= 0 and spec.value:
            after = lookahead.either(buffer, after, [(spec.value,)], ended)
        return at if after >= 0 else after
    # The close of the whole call: on a line of its own it is believed, whatever follows.
    after = lookahead.either(buffer, at, call.closes, ended)
    if after >= 0 and not ended and buffer[after : after + 2] in ("", "\r"):
        return MORE
    if after >= 0 and buffer.startswith(("\n", "\r\n"), after) and reader.since(reader.position - 1) == "\n":
        return at
    if after >= 0:
        after = lookahead.space(buffer, after)
        after = (
            at
            if ended and after == len(buffer)
            else lookahead.either(buffer, after, [*call.implied, *reader.stop_rows], ended)
        )
    return at if after >= 0 else after
