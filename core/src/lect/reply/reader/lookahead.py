"""Look ahead in a buffer without reading on. Every look is short, so looking again costs little.

Where only more text can tell, and the reply has not ended, a look raises `TooLittleTextError`; see `Reader.sure`.
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property, lru_cache
from typing import Any

from lect.reply.grammar import Head, Mark
from lect.reply.reader.near import BARS, GAPS, LEFT, NO, ODD, RIGHT, TooLittleTextError, may_be_misspelt, near, need_end

Finder = Callable[..., re.Match[str] | None]
"""Finds what matters in a chunk, with a group where only the next chunk can tell."""
REACH = 256
"""How much white space may separate two marks that belong together."""
GAP = rf"[ \t\r\n]{{0,{REACH}}}"
FENCE = r"```\w{0,16}"
"""What opens a fence in Markdown, and may say what is in it."""
LONGEST_HEAD = 512
LONGEST_REST = 64
NOTHING_OPENS = re.compile(r"[^<\n]*").match
NEVER_IN_A_HEAD = "<{("
WORD = re.compile(r"\s*[\w.:/-]+\s*").fullmatch
ESCAPES = (("&lt;", "<"), ("&gt;", ">"), ("&quot;", '"'), ("&apos;", "'"), ("&amp;", "&"))
MARKUP = re.compile("[<>|｜`]").search
"""What neither the name of a function nor that of a parameter contains."""
MISTAKE = "mistake"
"""Among the fields of a head: what a model would not have written, had it kept to its format."""
NOTHING = r"(?!)"  # A pattern that matches nowhere.
SPACES = re.compile(r"[ \t\r\n]*").match


def literal(buffer: str, at: int, mark: str, ended: bool) -> int:
    """Return where `mark` ends, if it is at `at`, maybe spelt almost right."""
    if buffer.startswith(mark, at):
        return at + len(mark)
    # Most marks that are not there differ in their first character or their first letter.
    first = buffer[at : at + 1]
    if first not in ODD and first and first != mark[0]:
        return NO
    second, wanted = buffer[at + 1 : at + 2], mark[1:2]
    if second != wanted and (second.isalnum() or second == "/") and first not in BARS:
        return NO
    if len(buffer) - at < len(mark) and mark.startswith(buffer[at:]):
        return need_end(ended)
    barred = second and second in BARS and wanted not in BARS and first not in BARS
    return NO if barred or mark[0] not in ODD else near(buffer, at, mark, ended)


def space(buffer: str, at: int) -> int:
    """Return where the white space at `at` ends, at most REACH characters further on."""
    found = None if buffer[at : at + 1] > " " else SPACES(buffer, at, at + REACH)
    return found.end() if found else at


def nothing_follows(buffer: str, at: int, ended: bool) -> bool:
    """Return whether the reply ends at `at`, white space aside."""
    return ended and space(buffer, at) == len(buffer)


def sequence(buffer: str, at: int, marks: Sequence[str], ended: bool) -> int:
    """Return where the last of several marks in a row ends; white space may separate them."""
    for index, mark in enumerate(marks):
        at = literal(buffer, space(buffer, at) if index else at, mark, ended)
        if at < 0:
            break
    return at


def either(buffer: str, at: int, alternatives: Iterable[Sequence[str]], ended: bool) -> int:
    """Return where the first alternative that is there ends; white space may precede it."""
    at = space(buffer, at)
    for marks in alternatives:
        end = literal(buffer, at, marks[0], ended) if len(marks) == 1 else sequence(buffer, at, marks, ended)
        if end != NO:
            return end
    return NO


def rest_of_line(buffer: str, at: int, mark: str, ended: bool) -> int:
    """Return where `mark` ends if it is on the same line, before any `<`."""
    found = NOTHING_OPENS(buffer, at, at + LONGEST_REST)
    assert found is not None, "the pattern also matches an empty text"
    there = buffer.find(mark, at, found.end() + len(mark))
    if there >= 0:
        return there + len(mark)
    return need_end(ended or len(buffer) >= min(found.end() + len(mark), at + LONGEST_REST))


def is_cut_off(look: Callable[..., object], *where: Any, **more: Any) -> bool:
    """Return whether a look at the end of a reply finds the beginning of something."""
    try:
        look(*where, ended=False, **more)
    except TooLittleTextError:
        return True
    return False


def as_row(mark: Mark) -> tuple[str, ...]:
    """Return a mark as a row of marks."""
    return (mark,) if isinstance(mark, str) else mark


class HeadLookahead:
    """Reads what is between an opening and what follows it."""

    def __init__(self, head: Head, unended: str = ""):
        self.unended = unended  # What ends it if its own end is missing.
        self.ends = head.end
        self.odd = RIGHT[1:] if ">" in head.end else ""  # What may be written for its end by mistake.
        self.keep = head.keep
        self.within = [(mark,) for mark in head.within]
        self.fields = re.compile(head.fields)
        marks = (*head.end, *head.within)
        self.stop = re.compile("[\n" + re.escape(NEVER_IN_A_HEAD + self.odd + "".join(mark[0] for mark in marks)) + "]")

    def look(self, buffer: str, at: int, ended: bool) -> tuple[int, dict[str, str]]:
        """Return where the head at `at` ends, or NO, and its fields."""
        limit = at + LONGEST_HEAD
        begin = at
        while True:
            stop = self.stop.search(buffer, at, limit)
            if stop is None:
                return need_end(ended or len(buffer) >= limit), {}
            at = stop.start()
            for mark in self.ends if buffer[at] not in self.odd else buffer[at]:
                end = literal(buffer, at, mark, ended)
                if end != NO:
                    found = self.fields.fullmatch(buffer, begin, at)
                    mistake = "a quote is missing" * (buffer.count('"', begin, at) % 2)
                    if mark not in self.ends or not buffer.startswith(mark, at):
                        mistake = f"{buffer[at:end]!r} for {mark if mark in self.ends else self.ends[0]!r}"
                    return (at if self.keep else end, _fields(found, mistake)) if found else (NO, {})
            inner = either(buffer, at, self.within, ended)
            if inner != NO:
                at = inner
                continue
            if buffer[at] in NEVER_IN_A_HEAD:
                plain = buffer[at] in self.unended and WORD(buffer[begin:at])
                found = self.fields.fullmatch(buffer, begin, at) if plain else None
                return (at, _fields(found, "the mark after the name is missing")) if found else (NO, {})
            if buffer[at] == "\n" and not buffer[begin:at].isspace() and at > begin:
                # Only the end of a head can follow its line.
                behind = space(buffer, at)
                if all(literal(buffer, behind, mark, ended) == NO for mark in self.ends):
                    found = self.fields.fullmatch(buffer, begin, at) if self.unended == "\n" else None
                    return (at, _fields(found)) if found else (NO, {})
            at += 1


def _fields(found: re.Match[str], mistake: str = "") -> dict[str, str]:
    """Return what a head says, without the escapes of XML, and what is wrong with it."""
    fields = {key: value for key, value in found.groupdict().items() if value is not None}
    for escape, character in ESCAPES if "&" in found[0] else ():
        fields = {key: value.replace(escape, character) for key, value in fields.items()}
    return {**fields, MISTAKE: mistake} if mistake else fields


def _beginnings(marks: Iterable[str], depth: int = 3) -> str:
    """Return a pattern for what some marks begin with, or, with a group, for as much of it as the text ends with."""
    by_first: dict[str, list[str]] = {}
    for mark in marks:
        by_first.setdefault(mark[0], []).append(mark[1:])
    found = []
    for first, rests in sorted(by_first.items()):
        more = _beginnings(rests, depth - 1) if depth > 1 and all(rests) else ""
        found.append(re.escape(first) + (rf"(?:{more}|(\Z))" if more else ""))
    return "|".join(found)


class MarkScanner:
    """The marks that mean something in one state; `held` may belong to the mark after it, `near` may be misspelt."""

    def __init__(self, acts: Iterable[tuple[str, object]], held: str = "", near: Iterable[str] = ()):
        self.acts: dict[str, list[Any]] = {}
        for mark, act in acts:
            self.acts.setdefault(mark, []).append(act)
        marks = sorted(self.acts, key=len, reverse=True)
        self.near = sorted(set(filter(may_be_misspelt, near)), key=len, reverse=True)
        first = {mark[0] for mark in marks} | set(held)
        # A bar is enough for a bracket with a bar.
        barred = any(mark[1] in BARS for mark in self.near)
        odd = {*(LEFT if "<" in first and self.near else ""), *(BARS if barred else "")}
        self._first = re.escape("".join(sorted(first | odd)))
        # Brackets and bars are frequent in code and tables; only some letters after them are worth a look.
        behind = "".join(sorted({next(filter(str.isalpha, mark)) for mark in self.near}))
        worth = rf"(?:[{BARS}][/{BARS}]{{0,3}}|[{LEFT}\[\]][{LEFT}{RIGHT}\[\]/{BARS}{GAPS}]{{0,8}})(?:[{behind}]|(\Z))"
        worth = worth if behind else NOTHING
        self.worth = re.compile(worth).match
        begins = "|".join(filter(None, (_beginnings(marks), worth)))
        held = re.escape(held)
        self._begins = rf"{begins}|[{held}](?:[{held}]|{begins}|(\Z))" if held else begins
        self.search = self._finder()
        """Finds where it is worth looking for a mark, with a group where only more text can tell."""
        self.full = re.compile("|".join(map(re.escape, marks)) or NOTHING).match
        self.ordered = sorted(marks)
        self.longest = len(marks[0]) if marks else 0
        self.spaced = any(mark[0].isspace() for mark in marks)  # Whether a mark begins with white space.

    def _finder(self, also: str = "") -> Finder:
        begins = f"[{also}]|{self._begins}" if also else self._begins
        # The set comes first, because a search for one is fast.
        pattern = f"[{also}{self._first}](?<=(?={begins}).)" if also or self._first else NOTHING
        return re.compile(pattern, re.DOTALL).search

    @cached_property
    def in_json(self) -> Finder:
        """What finds that, or what cannot be passed on unchanged inside a JSON string."""
        return self._finder(r'"\\\x00-\x1f')

    def look(self, buffer: str, at: int, ended: bool) -> str:
        """Return the longest mark at `at`; empty if there is none."""
        if not ended and len(buffer) - at < self.longest:
            rest = buffer[at:]
            # In sorted order, the marks that begin with `rest` and go on come directly after it.
            behind = bisect_right(self.ordered, rest)
            if behind < len(self.ordered) and self.ordered[behind].startswith(rest):
                raise TooLittleTextError
        found = self.full(buffer, at)
        worth = None if found else self.worth(buffer, at)
        if worth is None:
            return found[0] if found else ""
        if worth.end() == len(buffer) and not ended:
            raise TooLittleTextError
        return next((mark for mark in self.near if near(buffer, at, mark, ended) != NO), "")


@lru_cache(maxsize=256)
def scanner_of(*marks: str) -> MarkScanner:
    """Return a scanner for marks that all mean the same. Making one takes longer than reading a short call."""
    return MarkScanner([(mark, None) for mark in marks])
