"""Compiled sections of calls: how their calls begin and end, and how to look ahead for them."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

from lect.reply.grammar import CallSyntax, Code, Marks, NamedJson, Params, Section
from lect.reply.reader import lookahead
from lect.reply.reader.headers import Headers
from lect.reply.reader.lookahead import MISTAKE, NOTHING, HeadLookahead, MarkScanner
from lect.reply.reader.near import NO, TooLittleTextError, fold, half
from lect.reply.reader.reader import Outcome, Reader

Begins = Callable[["CompiledCall", str, int, dict[str, str], bool], int]
Reads = Callable[[Reader, "CallMatch"], Outcome]

BRACKETS = "[{(<"
ESCAPED_LINE_END = "\\n"
"""White space between parameters, as some servers pass it on."""


class CompiledCall:
    """How one kind of call begins and ends."""

    def __init__(self, call: CallSyntax, section: Section, begins: Begins, read: Reads):
        self.syntax = call
        self.begins = begins  # Tells whether its arguments can begin at a position.
        self.read = read
        self.takes_anything = isinstance(call.arguments, Code)
        rows = [lookahead.as_row(mark) for mark in call.open]
        # Models write it twice.
        self.opens = [*rows, *((row[0], *row) for row in rows)] or [()]
        self._closes = with_parts(call.close)
        self._closes_by_name = any("{name}" in mark for row in self._closes for mark in row)
        head, spec = call.head, call.arguments
        unended = "{" if isinstance(spec, NamedJson) and call.open and head and not head.keep else ""
        if head and isinstance(spec, Params) and spec.value and head.keep:
            # Models forget what opens the first key, or write what opens a call instead.
            head, unended = head.but(end=(*head.end, *spec.head.end, *(row[0] for row in self.opens if row))), "\n"
        self.head = HeadLookahead(head, unended) if head else None
        self.renames = re.compile(call.rename or NOTHING).fullmatch
        self.counts = re.compile(call.counter or NOTHING).fullmatch
        # Parameters are read with their close; words may follow a call or not.
        self.needs_close = not isinstance(spec, Params) and any(row[0][0] in "<[" for row in self._closes)
        self.headers: dict[str, Headers] = {}  # Closes that count only if a header follows them.
        # What may end a call besides its own close: the close of its section, or whatever opens another call.
        opens = [*map(lookahead.as_row, section.open), *self.opens]
        self.implied = [*with_parts(section.close), *(row for row in opens if "".join(row).strip(BRACKETS))]
        self.may_be_wrapped = bool(section.close or call.close)
        """Whether something shows where a fence or a list around the call ends."""
        # Words announce nothing if a call counts only if its tool is known: they may be ordinary text.
        self.announced = not call.known and not all(surrounds(part) for row in opens for part in row)
        if isinstance(call.arguments, Params):
            self.params = CompiledParams(call.arguments, self)

    def closes_of(self, fields: dict[str, str]) -> list[tuple[str, ...]]:
        if not self._closes_by_name:
            return self._closes
        name = fields.get("name", "")
        return [tuple(mark.replace("{name}", name) for mark in row) for row in self._closes]

    def look(self, buffer: str, at: int, ended: bool) -> tuple[int, int, dict[str, str]]:
        """Return where the call at `at` starts, or NO; where its arguments start; and what its head says."""
        if not self.takes_anything:
            at = lookahead.space(buffer, at)
            if at == len(buffer) and not ended:
                raise TooLittleTextError
        for marks in self.opens:
            after = lookahead.sequence(buffer, at, marks, ended) if marks else at
            fields: dict[str, str] = {}
            opening = buffer[at:after]
            if after >= 0 and self.head is not None:
                after, fields = self.head.look(buffer, after, ended)
            if after >= 0:
                # An opening that nothing suitable follows is just text.
                after = self.begins(self, buffer, after, fields, ended)
            if after != NO:
                fields[MISTAKE] = mistake(opening, self.syntax.open) or fields.get(MISTAKE, "")
                return at, after, fields
        return NO, 0, {}


class CompiledParams:
    """How the parameters of a call begin and end."""

    def __init__(self, spec: Params, call: CompiledCall):
        self._spec, self._call = spec, call
        self._head = HeadLookahead(spec.head)
        self._lives: dict[str, tuple[MarkScanner, str]] = {}
        self.call_opens = {marks[0] for marks in call.opens if marks}
        self.key_ends = [(mark,) for mark in spec.head.end]

    def look(self, buffer: str, at: int, ended: bool) -> tuple[int, dict[str, str]]:
        """Return where the opening of the parameter at `at` ends, or NO, and what its head says."""
        end = lookahead.literal(buffer, at, self._spec.open, ended)
        return self._head.look(buffer, end, ended) if end >= 0 else (end, {})

    def look_for_key(self, buffer: str, at: int, ended: bool) -> tuple[int, dict[str, str]]:
        """Return where a key ends that nothing opens, or what opens a call, or NO, and the key: its close shows it."""
        opens = [end for mark in self.call_opens if (end := lookahead.literal(buffer, at, mark, ended)) != NO]
        end, fields = self._head.look(buffer, (opens or [at])[0], ended) if self._spec.value else (NO, {})
        return (end, fields) if fields.get("key") else (NO, {})

    def goes_on(self, buffer: str, at: int, ended: bool, closes: list[tuple[str, ...]]) -> int:
        """Return whether a parameter or what ends the call comes next: a position, or NO."""
        at = lookahead.space(buffer, at)
        opens, _ = self.look(buffer, at, ended)
        return opens if opens >= 0 else lookahead.either(buffer, at, [*closes, *self._call.implied], ended)

    def live_in_value(self, close: str, closes: list[tuple[str, ...]]) -> tuple[MarkScanner, str]:
        """Return the marks that mean something in a parameter's value, and what its close, often wrong, begins with."""
        known = self._lives.get(close)
        if known is None:
            stem = half(close) or (close[:-1] if len(close) > 3 and not close[-1].isalnum() else close)
            # A close of another name is a close.
            stem = self._spec.close.partition("{key}")[0] if "{key}" in self._spec.close else stem
            marks = (stem, self._spec.open, *(row[0] for row in closes), *self.call_opens)
            known = MarkScanner([(mark, None) for mark in marks], self._spec.trim, marks), stem
            if len(self._lives) < 64:
                self._lives[close] = known
        return known

    def space(self, buffer: str, at: int, ended: bool) -> int:
        """Return where the white space at `at` ends."""
        end = lookahead.space(buffer, at)
        while buffer.startswith(ESCAPED_LINE_END, end) and end - at < lookahead.REACH:
            end = lookahead.space(buffer, end + len(ESCAPED_LINE_END))
        if not ended and buffer[end:] == ESCAPED_LINE_END[0]:
            raise TooLittleTextError
        return end


@lru_cache(maxsize=1024)
def _written(marks: Marks) -> Callable[[str], re.Match[str] | None]:
    """Return what matches one of several marks as a model writes it where it writes it right."""
    rows = (map(re.escape, map(str.strip, lookahead.as_row(mark))) for mark in marks or ("",))
    return re.compile("|".join(map(lookahead.GAP.join, rows)).replace(r"\{name\}", ".+")).fullmatch


def mistake(text: str, marks: Marks) -> str:
    """Return what is wrong with a text where one of these marks belongs, white space aside; empty if nothing is."""
    text = text.strip()
    if text in marks or not (text or marks) or _written(marks)(text):
        return ""
    wanted = ["".join(lookahead.as_row(mark)).strip() for mark in marks] or [""]
    mark = next((mark for mark in wanted if fold(mark) == fold(text)), wanted[0])
    if text in mark:
        return f"{mark.replace(text, '', 1)!r} is missing"
    return f"{text!r:.80} for {mark!r}" if mark else f"{text!r:.80} where nothing belongs"


def surrounds(mark: str) -> bool:
    """Return whether a mark announces no call because it may surround anything: a bracket, or a fence."""
    return not mark.strip("[](){}<>") or mark.startswith("```")


def with_parts(marks: Marks) -> list[tuple[str, ...]]:
    """Return marks as rows, and what is left of those of several marks where a model forgets some."""
    rows = [lookahead.as_row(mark) for mark in marks]
    return [*rows, *((mark,) for row in rows if len(row) > 1 for mark in row)]


class CompiledSection:
    """How one kind of section begins, goes on and ends."""

    def __init__(self, section: Section, calls: list[CompiledCall], bounds: tuple[str, ...]):
        self.syntax, self.calls = section, calls
        self.bounds = [(mark.strip(),) for mark in bounds]  # What ends a broken call, whatever its own marks are.
        self.opens = rows = [lookahead.as_row(mark) for mark in section.open]
        # Models write the first mark twice, or forget the list or the fence after it.
        brief = [tuple(mark for mark in row if mark != "[") for row in rows]
        brief += [tuple(mark for mark in row if not surrounds(mark)) for row in rows]
        self.mistaken = [*((row[0], *row) for row in rows), *(row for row in brief if row and row not in rows)]
        self.closes = with_parts(section.close)
        self.announced = all(call.announced for call in calls)
        # The marks at which it is worth looking for this section.
        self.first_marks = {marks[0] for marks in self.opens}
        if self.opens or not section.start:
            self.first_marks |= {marks[0] for call in calls for marks in call.opens if marks}

    def look(self, buffer: str, at: int, ended: bool) -> CallMatch | None:
        for marks in self.opens:
            after = lookahead.sequence(buffer, at, marks, ended)
            if after == NO:
                continue
            if self.syntax.special and (end := lookahead.either(buffer, after, self.closes, ended)) != NO:
                return CallMatch(self, self.calls[0], at, end, {}, announced=True, empty=True)
            found = self.look_for_call(buffer, after, ended)
            if found is not None:
                return found
        if not self.opens or any(call.syntax.open for call in self.calls):
            return self.look_for_call(buffer, at, ended)
        return None

    def look_again(self, buffer: str, at: int, ended: bool) -> CallMatch | None:
        """Return the first call after marks that are not as they should be."""
        ends = (lookahead.sequence(buffer, at, marks, ended) for marks in self.mistaken)
        found = (self.look_for_call(buffer, end, ended) for end in ends if end >= 0)
        return next(filter(None, found), None)

    def look_for_call(self, buffer: str, at: int, ended: bool, *, further: bool = False) -> CallMatch | None:
        """Return the call that begins at `at`, if there is one; `further` means that it is not its section's first."""
        for call in self.calls:
            if further and call.takes_anything:
                continue
            start, arguments, fields = call.look(buffer, at, ended)
            if start != NO:
                return CallMatch(self, call, start, arguments, fields, announced=further or call.announced)
        return None


class CallMatch(NamedTuple):
    """The beginning of a call, found by looking ahead. Positions are in the buffer."""

    section: CompiledSection
    call: CompiledCall
    start: int  # Where the call itself starts.
    arguments: int  # Where its arguments start, or where an empty section ends.
    fields: dict[str, str]
    announced: bool  # Whether something shows that this is a call: a mark, or a call before it.
    empty: bool = False  # Whether it is a section without calls.

    @property
    def name(self) -> str:
        written = self.fields.get("name", "")
        renamed = self.call.renames(written)
        return next(part for part in renamed.groups() if part is not None) if renamed else written

    @property
    def closes(self) -> list[tuple[str, ...]]:
        return self.call.closes_of(self.fields)

    @property
    def ends(self) -> list[tuple[str, ...]]:
        return [*self.closes, *self.call.implied]
