"""Plain text inside calls: up to a mark that counts, as the value of a parameter, and as the only argument."""

from __future__ import annotations

import re
from collections.abc import Callable
from json.encoder import encode_basestring

from lect.reply.events import CALL_ARGS
from lect.reply.grammar import Code
from lect.reply.reader import lookahead
from lect.reply.reader.lookahead import Finder, MarkScanner, scanner_of
from lect.reply.reader.near import NO, TooLittleTextError
from lect.reply.reader.reader import CUT, DONE, Outcome, Reader
from lect.reply.reader.schema import STRING
from lect.reply.reader.syntax import CallMatch

quoted: Callable[[str], str] = encode_basestring
"""Returns a text as a JSON string."""
FENCED = re.compile(rf"{lookahead.GAP}{lookahead.FENCE}\n").match
FENCE_SO_FAR = re.compile(rf"{lookahead.GAP}(?:`{{0,2}}|{lookahead.FENCE})\Z").match
UNFENCE = "\n```"
BEGINS_JSON = '{["-0123456789tfn'


def read_until(
    reader: Reader,
    live: MarkScanner,
    closes: Callable[[str], int],
    put: Callable[[str], object] = lambda text: None,
    special: Callable[[], Finder | None] = lambda: None,
) -> Outcome:
    """Read text up to a mark that counts, and pass it on to `put`; return DONE there, or CUT at the end of the reply.

    `closes` returns where the text ends, given the mark here; NO if the mark is text. `special` returns a search
    that finds nothing in a chunk that is all text, if such chunks may just pass.
    """
    while True:
        buffer, at = reader.buffer, reader.at
        found = live.search(buffer, at)
        end = found.start() if found else len(buffer)
        if end > at:
            put(buffer[at:end])
            reader.at = end
        if end == len(buffer):
            if reader.ended:
                return CUT
            find_special = special()
            if find_special is not None:
                reader.pass_through(find_special, CALL_ARGS)
            yield
            continue
        try:
            mark = live.look(buffer, end, reader.ended)
            after = closes(mark) if mark else NO
        except TooLittleTextError:
            if not reader.ended:
                yield
                continue
            after = NO
        if after != NO:
            reader.at = after
            return DONE
        put(buffer[end])
        reader.at = end + 1


class Value:
    """A value that is being read: passed on as it arrives if it must be text, kept if it may be something else."""

    def __init__(self, reader: Reader, trim: str, types: frozenset[str], *, hold: bool, start: Callable[[], bool]):
        self.reader, self.start = reader, start
        # What may not belong to the value if it comes first or last.
        self.trim, self.last = trim, trim or "\n"
        self.trimmed, self.streamed, self.tail = not self.trim, False, ""
        self.kept: list[str] = []
        # None: the first character tells whether it can be anything but text.
        self.hold: bool | None = (hold or types != STRING) if hold or types else None

    def add(self, text: str) -> None:
        if not self.trimmed and text:
            self.trimmed = True
            text = text.removeprefix(self.trim)
        if self.hold is None and text.strip():
            self.hold = text.lstrip()[0] in BEGINS_JSON
        if self.hold is not False:
            self.kept.append(text)
            return
        if not text:
            return
        if not self.streamed:
            self.streamed = True
            self.start()
            self.reader.pending.append('"')
            text = "".join(self.kept) + text
        text = self.tail + text
        self.tail = self.last if text.endswith(self.last) else ""
        text = text.removesuffix(self.tail)
        if text:
            self.reader.pending.append(quoted(text)[1:-1])

    def end(self, unclosed: bool) -> str | None:
        """End the value, and return it if it was kept; before a close that is missing, the line ends."""
        if not self.streamed:
            return "".join(self.kept).removesuffix(self.last if unclosed else self.trim)
        kept = "" if self.trim or unclosed else self.tail
        self.reader.pending.append(f'{quoted(kept)[1:-1]}"')
        return None


def text_argument(reader: Reader, key: str, found: CallMatch, unfence: str = "") -> Outcome:
    """Read text up to what ends a call, or to the end of the reply, as the only argument, `key`."""
    put, start, headers = reader.pending.append, reader.position, found.call.headers
    put(f'{{{quoted(key)}: "')
    closing = [(unfence, *marks) for marks in found.ends] if unfence else list(found.ends)
    closing += [(mark,) for mark in reader.stops]
    live = scanner_of(*(marks[0] for marks in closing), *([unfence] if unfence else ()))

    def closes(mark: str) -> int:
        buffer, at, ended = reader.buffer, reader.at, reader.ended
        for marks in closing:
            end = lookahead.sequence(buffer, at, marks, ended)
            if end >= 0 and (marks[-1] not in headers or headers[marks[-1]].look(buffer, end, ended)):
                return at
        end = lookahead.literal(buffer, at, unfence, ended) if unfence and ended else NO
        return at if end >= 0 and lookahead.nothing_follows(buffer, end, ended) else NO

    outcome = yield from read_until(reader, live, closes, lambda text: put(quoted(text)[1:-1]), lambda: live.in_json)
    # Text has no end of its own: only the server knows whether there should be more.
    if outcome == CUT and reader.reason == "length":
        return CUT
    put('"}')
    if headers and any(map(reader.since(start).count, headers)):
        reader.forgive("marks of a message in the text")
    return DONE


def code_call(reader: Reader, found: CallMatch) -> Outcome:
    """Read a call that is plain text up to the close of its section."""
    spec = found.call.syntax.arguments
    assert isinstance(spec, Code)
    reader.begin_call(spec.name)
    while not reader.ended and FENCE_SO_FAR(reader.buffer, reader.at):
        yield
    fence = FENCED(reader.buffer, reader.at)
    reader.at = fence.end() if fence else reader.at
    unfence = UNFENCE if fence else ""
    outcome = yield from text_argument(reader, "code", found, unfence)
    if outcome == DONE and unfence and reader.buffer.startswith(unfence, reader.at):
        reader.at += len(unfence)
    return outcome
