"""A grammar made ready to read by: what is live in which state, and how to see ahead whether a call begins."""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from lect.reply.check import check
from lect.reply.engine import lookahead
from lect.reply.engine.headers import Headers, headers_for
from lect.reply.engine.lookahead import MORE, NO, HeadLookahead, Live
from lect.reply.grammar import CallSyntax, Channels, Code, Grammar, Json, JsonMap, Literals, NamedJson, Params, Section

OPEN, CLOSE, UNTIL, WRAP, UNWRAP, SECTION, STRAY, END = (
    "open",
    "close",
    "until",
    "wrap",
    "unwrap",
    "section",
    "stray",
    "end",
)
START, OPENING, STOP, OVER = "start", "opening", "stop", "over"
PYTHON_KEY = re.compile(r"[A-Za-z_]\w{0,200}[ \t\r\n]{0,256}=(?!=)")
PYTHON_KEY_SO_FAR = re.compile(r"(?:[A-Za-z_]\w{0,200}[ \t\r\n]{0,256}=?)?\Z")
BARE_KEY = re.compile(r"[^:{}\[\],\"'\n]{0,200}:")
BARE_KEY_SO_FAR = re.compile(r"[^:{}\[\],\"'\n]{0,200}\Z")


class CompiledCall:
    """How one kind of call begins and ends."""

    def __init__(self, call: CallSyntax, section: Section):
        self.syntax = call
        self.opens = [lookahead.in_a_row(mark) for mark in call.open] or [()]
        self.closes = [lookahead.in_a_row(mark) for mark in call.close]
        self.head = HeadLookahead(call.head) if call.head else None
        self.rename = re.compile(call.rename) if call.rename else None
        arguments = call.arguments
        self.first_key: re.Pattern[str] | None = None
        self.headers: dict[str, Headers] = {}
        """Closes that are such only where a header stands behind them."""
        # What may end a call besides its own close: the close of its section, or whatever opens another call.
        self.implied = [lookahead.in_a_row(mark) for mark in (*section.close, *section.open)] + [
            marks for marks in self.opens if marks
        ]
        self.ends = [*self.closes, *self.implied]
        self.section_closes = [lookahead.in_a_row(mark) for mark in section.close]
        self.extra_space = ""
        if isinstance(arguments, Params):
            self._prepare(arguments)
        openings = [part for mark in (*section.open, *call.open) for part in lookahead.in_a_row(mark)]
        # Brackets, and a fence round code, may stand round anything.
        self.announced = any(part.strip("[{(") and not part.startswith("```") for part in openings)
        if isinstance(arguments, Json) and not self.announced:
            # It must look like a call from its first key on.
            known = "|".join(map(re.escape, (*arguments.name, *arguments.arguments, *arguments.id, "type", "function")))
            self.first_key = re.compile(rf'\{{[ \t\r\n]*"(?:{known})"')

    def _prepare(self, spec: Params) -> None:
        self.extra_space = spec.space
        self.param = HeadLookahead(spec.head)
        self.follow = [(spec.open,), *self.ends]
        self._lives: dict[str, Live] = {}
        live = self.live_in_value("")
        first = {mark[0] for mark in live.acts}
        self.matters_in_value = re.compile(
            "[" + re.escape("".join(sorted(first)) + spec.trim) + r'"\\\x00-\x1f]'
        ).search

    def live_in_value(self, key: str) -> Live:
        """Return the marks that mean something in the value of a parameter."""
        spec = self.syntax.arguments
        assert isinstance(spec, Params)
        close = spec.close.replace("{key}", key)
        live = self._lives.get(close)
        if live is None:
            live = Live([(mark, None) for mark in (close, spec.open, *(marks[0] for marks in self.closes))])
            if len(self._lives) < 64:
                self._lives[close] = live
        return live

    def space(self, buffer: str, at: int, ended: bool) -> int:
        """Return where the white space at `at` ends, whatever the grammar counts as such; or MORE."""
        end = lookahead.space(buffer, at)
        extra = self.extra_space
        while extra and buffer.startswith(extra, end) and end - at < lookahead.REACH:
            end = lookahead.space(buffer, end + len(extra))
        if extra and lookahead.literal(buffer, end, extra, ended) == MORE and end < len(buffer):
            return MORE
        return end

    def closes_section(self, buffer: str, at: int) -> bool:
        """Return whether the close of the section stands at `at`."""
        return lookahead.either(buffer, at, self.section_closes, ended=True) >= 0

    def renames(self, fields: dict[str, str]) -> bool:
        """Return whether the head names a function of the caller's, where others have names of another kind."""
        return self.rename is not None and self.rename.fullmatch(fields.get("name", "")) is not None

    def name(self, fields: dict[str, str]) -> str:
        """Return the name of the function from what the head says."""
        name = fields.get("name", "")
        if self.rename is not None and (found := self.rename.fullmatch(name)):
            name = next(part for part in found.groups() if part is not None)
        return name

    def look(self, buffer: str, at: int, ended: bool) -> tuple[int, int, dict[str, str]]:
        """Return where the call that begins at `at` starts, or NO or MORE.

        Where its arguments do; and what its head says.
        """
        if not isinstance(self.syntax.arguments, Code):
            at = lookahead.space(buffer, at)
            if at == len(buffer) and not ended:
                return MORE, 0, {}
        for marks in self.opens:
            after = lookahead.sequence(buffer, at, marks, ended) if marks else at
            fields: dict[str, str] = {}
            if after >= 0 and self.head is not None:
                after, fields = self.head.look(buffer, after, ended)
            if after >= 0:
                after = self._guard(buffer, after, fields, ended)
            if after == MORE:
                return MORE, 0, {}
            if after != NO:
                return at, after, fields
        return NO, 0, {}

    def _guard(self, buffer: str, at: int, fields: dict[str, str], ended: bool) -> int:
        """Return `at` if arguments may begin there: an opening that nothing suitable follows is just text."""
        arguments = self.syntax.arguments
        there = at
        if isinstance(arguments, Json | JsonMap):
            if self.first_key is not None and not ended:
                there = _first_key(buffer, at, self.first_key)
            else:
                there = lookahead.sequence(buffer, at, ("{", '"'), ended)
                if there >= 0 and self.first_key is not None and not self.first_key.match(buffer, at):
                    there = NO
        elif isinstance(arguments, NamedJson):
            if not arguments.text and not _breaks_off(buffer, at, ended):
                there = lookahead.either(buffer, at, [("{",), ("[",), *self.closes], ended)
        elif isinstance(arguments, Params):
            if "empty" not in fields and not _breaks_off(buffer, at, ended, self.follow):
                there = self.space(buffer, at, ended)
                if there >= 0:
                    there = lookahead.either(
                        buffer, there, [*self.follow, ("{",)] if arguments.body else self.follow, ended
                    )
        elif isinstance(arguments, Literals) and not _breaks_off(buffer, at, ended):
            there = _first_argument(buffer, at, arguments, ended)
        return at if there >= 0 else there


def _breaks_off(buffer: str, at: int, ended: bool, follow: Sequence[Sequence[str]] = ()) -> bool:
    """Return whether the reply ends where arguments would begin, or in a mark that may follow there."""
    rest = buffer[lookahead.space(buffer, at) :] if ended else ""
    return ended and (not rest or any(len(rest) < len(marks[0]) and marks[0].startswith(rest) for marks in follow))


def _first_key(buffer: str, at: int, key: re.Pattern[str]) -> int:
    if key.match(buffer, at):
        return at
    start = lookahead.sequence(buffer, at, ("{", '"'), False)
    if start < 0:
        return start
    return MORE if len(buffer) - start < 40 and '"' not in buffer[start:] else NO


def _first_argument(buffer: str, at: int, arguments: Literals, ended: bool) -> int:
    at = lookahead.space(buffer, at)
    end = lookahead.literal(buffer, at, arguments.close, ended)
    if end != NO:
        return end
    python = arguments.assign == "="
    key = (PYTHON_KEY if python else BARE_KEY).match(buffer, at)
    # A second equals sign would make a comparison of it.
    if key and (ended or not python or key.end() < len(buffer)):
        return at
    return MORE if not ended and (PYTHON_KEY_SO_FAR if python else BARE_KEY_SO_FAR).match(buffer, at) else NO


class CompiledSection:
    """How one kind of section begins, goes on and ends."""

    def __init__(self, section: Section):
        self.syntax = section
        self.calls = [CompiledCall(call, section) for call in section.calls]
        self.opens = [lookahead.in_a_row(mark) for mark in section.open]
        self.closes = [lookahead.in_a_row(mark) for mark in section.close]

    def first_marks(self) -> set[str]:
        """Return the marks at which it is worth looking for this section."""
        marks = {marks[0] for marks in self.opens}
        if self.syntax.alone or not (self.opens or self.syntax.start):
            marks |= {marks[0] for call in self.calls for marks in call.opens if marks}
        return marks

    def marks(self, what: str) -> set[str]:
        """Return what opens, or closes, the section and its calls, without brackets and words."""
        rows = [row for part in (self, *self.calls) for row in getattr(part, what)]
        return {mark for row in rows for mark in row if any(map(str.isalpha, mark)) and not mark.isalpha()}

    def look(self, buffer: str, at: int, ended: bool) -> "Found | int":
        """Return what begins at `at`, or NO or MORE."""
        for marks in self.opens:
            after = lookahead.sequence(buffer, at, marks, ended)
            if after == MORE:
                return MORE
            if after == NO:
                continue
            if self.syntax.special:
                end = lookahead.either(buffer, after, self.closes, ended)
                if end == MORE:
                    return MORE
                if end != NO:
                    return Found(self, None, at, end, {}, True)
            found = self.look_for_call(buffer, after, ended)
            if found != NO:
                return found
        if not self.opens or self.syntax.alone:
            return self.look_for_call(buffer, at, ended)
        return NO

    def look_for_call(self, buffer: str, at: int, ended: bool, *, further: bool = False) -> "Found | int":
        """Return the call that begins at `at`, or NO or MORE.

        `further` where it is not the first one of its section.
        """
        for call in self.calls:
            if further and isinstance(call.syntax.arguments, Code):
                continue
            start, arguments, fields = call.look(buffer, at, ended)
            if start == MORE:
                return MORE
            if start != NO:
                return Found(self, call, start, arguments, fields, further or call.announced)
        return NO


class Found(NamedTuple):
    """A call that begins, seen ahead. Positions are in the buffer."""

    section: CompiledSection
    call: CompiledCall | None
    """None where a section is empty."""
    start: int
    """Where the call itself starts,"""
    arguments: int
    """and where its arguments do; the end of an empty section."""
    fields: dict[str, str]
    announced: bool
    """Whether something says that this is a call: a mark, or a call before it."""


class CompiledGrammar:
    """All that is to be known of a grammar to read by it."""

    def __init__(self, grammar: Grammar, extract: frozenset[str], stop: tuple[str, ...], tail: str):
        self.grammar = grammar
        self.tail = tail
        self.takes_reasoning = "reasoning" in extract
        self.takes_tools = "tools" in extract
        self.sections = [CompiledSection(section) for section in grammar.sections]
        self.bare = (
            [section for section in self.sections if section.syntax.start and not section.syntax.open]
            if self.takes_tools
            else []
        )
        before = "".join(text for section in grammar.sections for text in section.before) if self.takes_tools else ""
        self.before = "".join(sorted(set(before + tail)))
        self.ends = tuple(dict.fromkeys(stop))
        end_acts: list[tuple[str, object]] = [(mark, (END, None)) for mark in self.ends if mark]
        text_acts = list(end_acts)
        reasoning_acts = list(end_acts)
        reasoning = grammar.reasoning
        if reasoning is not None:
            text_acts += [(mark, (OPEN, None)) for mark in reasoning.open]
            text_acts += [(mark, (CLOSE, None)) for mark in reasoning.close]
            reasoning_acts += [(mark, (CLOSE, None)) for mark in reasoning.close]
            reasoning_acts += [(mark, (UNTIL, None)) for mark in reasoning.until]
        for wrapper in grammar.wrappers:
            text_acts += [(mark, (WRAP, wrapper)) for mark in wrapper.open]
            text_acts += [(mark, (UNWRAP, wrapper)) for mark in wrapper.close]
        for section in self.sections:
            text_acts += [(mark, (SECTION, section)) for mark in sorted(section.first_marks())]
        special = [section for section in self.sections if section.syntax.special and self.takes_tools]
        self.stray = dict.fromkeys((mark for section in special for mark in section.marks("closes")), "stray_close")
        self.stray |= dict.fromkeys((mark for section in special for mark in section.marks("opens")), "stray_open")
        text_acts += [(mark, (STRAY, None)) for mark in sorted(self.stray)]
        if grammar.channels is not None:
            self._prepare_messages(grammar.channels)
        self.text = Live(text_acts, also=self.before)
        # Behind a call, the white space is read already with which some ends begin.
        self.gap = Live(
            [*text_acts, *((mark.lstrip(), (END, mark)) for mark in self.ends if mark[:1].isspace() and mark.strip())]
        )
        trail = reasoning.trail if reasoning is not None and self.takes_reasoning else ""
        self.held = "".join(sorted(set(trail) | set(self.before)))
        self.reasoning = Live(reasoning_acts, also=self.held)

    def _prepare_messages(self, channels: Channels) -> None:
        restarts = channels.start if channels.restart else ()
        if channels.call is not None:
            self.message = CompiledSection(Section((channels.call,), close=(*channels.end, *channels.stop, *restarts)))
            self.message.calls[0].headers = dict.fromkeys(restarts, headers_for(channels))
        sections = [(mark, SECTION) for section in self.sections for mark in sorted(section.first_marks())]
        ends = [(mark, STOP if mark in channels.stop else OVER) for mark in self.ends]
        ends += [(mark, CLOSE) for mark in (*channels.end, *channels.stop) if mark not in self.ends]
        openings = [(mark, OPENING) for mark in channels.opening if not mark[0].isspace() and mark.startswith("<")]
        self.outside = Live([*ends, *((mark, START) for mark in channels.start), *openings])
        self.body = Live([*ends, *((mark, START) for mark in restarts)])
        self.call_body = Live([*ends, *((mark, START) for mark in restarts), *sections])


@lru_cache(maxsize=128)
def compile_grammar(
    grammar: Grammar, extract: frozenset[str], stop: tuple[str, ...], tail: str = ""
) -> CompiledGrammar:
    """Return the compiled grammar, made once for each use of a grammar.

    Raises:
        PluginError: If the grammar is invalid.
    """
    check(grammar)
    return CompiledGrammar(grammar, extract, stop, tail)
