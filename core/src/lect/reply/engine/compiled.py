"""Compiled grammars: which marks are live in which state, and what reads which call."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, TypeVar

from lect.reply import grammar as parts
from lect.reply.blocks import JSON_OBJECT, NO_REASONING
from lect.reply.calls import jsoncalls
from lect.reply.calls.literals import literals_begin, literals_call
from lect.reply.calls.params import params_begin, params_call
from lect.reply.calls.texts import code_call
from lect.reply.check import check
from lect.reply.reader import lookahead
from lect.reply.reader.headers import headers_for
from lect.reply.reader.lookahead import MarkScanner
from lect.reply.reader.near import Leftovers, half
from lect.reply.reader.syntax import CompiledCall, CompiledSection

OPEN, CLOSE, UNTIL, WRAP, UNWRAP = "open", "close", "until", "wrap", "unwrap"
SECTION, SHUT, STRAY, END = "section", "shut", "stray", "end"
START, OPENING, STOP, OVER = "start", "opening", "stop", "over"
TOKEN = re.compile(r"<[|｜][^|｜<>]*[|｜]>")
Texts = tuple[str, ...]
Marked = TypeVar("Marked", parts.Reasoning, parts.Wrapper)
TOKEN_LIKE = re.compile(r"[<\[\]◁]\S*[>\[\]▷]").fullmatch

KINDS: dict[type[parts.GrammarPart], tuple[Any, Any]] = {
    parts.Json: (jsoncalls.json_begins, jsoncalls.json_call),
    parts.JsonMap: (jsoncalls.json_begins, jsoncalls.json_call),
    parts.NamedJson: (jsoncalls.named_begins, jsoncalls.named_json_call),
    parts.Params: (params_begin, params_call),
    parts.Literals: (literals_begin, literals_call),
    parts.Code: (lambda call, buffer, at, fields, ended: at, code_call),
}
"""For each kind of arguments: what tells whether they can begin at a position, and what reads them."""


def compiled_section(section: parts.Section, bounds: tuple[str, ...] = ()) -> CompiledSection:
    """Return a compiled section, each of its calls with what reads it; `bounds` end a broken call."""
    calls = [CompiledCall(call, section, *KINDS[type(call.arguments)]) for call in section.calls]
    # Wherever marks announce a call, a model may fall back on JSON.
    if not any(isinstance(call.arguments, parts.Json | parts.Code) for call in section.calls):
        alike = [call.syntax.but(arguments=parts.Json(), head=None, rename="") for call in calls if call.announced]
        in_json = [JSON_OBJECT] * bool(alike) if section.open else dict.fromkeys(alike)
        calls += [CompiledCall(call.but(foreign=True), section, *KINDS[parts.Json]) for call in in_json]
    return CompiledSection(section, calls, bounds)


class CompiledGrammar:
    """Everything needed to read replies by a grammar; `compile_grammar` builds it once for each use."""

    def __init__(self, grammar: parts.Grammar, extract: frozenset[str], stop: Texts, tail: str, tokens: Texts):
        check(grammar)
        self.grammar, self.tail = grammar, tail
        self.takes_reasoning = "reasoning" in extract
        self.takes_tools = "tools" in extract
        self.reasoning_syntax = reasoning = with_halves(grammar.reasoning or NO_REASONING)
        self.sections = [compiled_section(section, reasoning.close) for section in grammar.sections]
        self.bare = [section for section in self.sections if section.syntax.start and not section.syntax.open]
        self.before = "".join(sorted({*"".join(text for each in grammar.sections for text in each.before), *tail}))
        self.ends = tuple(dict.fromkeys(stop))
        self.opens = {mark for section in self.sections for mark in section.first_marks}
        self.own = {"", *map(str.strip, marks_of(grammar))}
        arguments = [call.syntax.arguments for section in self.sections for call in section.calls]
        named = {*self.opens, *(each.open for each in arguments if isinstance(each, parts.Params))}
        self.naming = [each for each in sorted(named) if each[0] in "<[" and each.strip("<[")]  # Names follow these.
        # What is not extracted stays as it was written; but no thought contains a token that stands for itself.
        stray = control_tokens(grammar, tokens) if extract else {}
        self.stray = {mark: code for mark, code in stray.items() if self.takes_tools or TOKEN.fullmatch(mark)}
        ends: list[tuple[str, object]] = [(mark, (END, None)) for mark in self.ends if mark]
        strays: list[tuple[str, object]] = [(mark, (STRAY, None)) for mark in sorted(self.stray)]
        closes = [(mark, (CLOSE, None)) for mark in reasoning.close]
        in_text = [*ends, *((mark, (OPEN, None)) for mark in reasoning.open), *closes]
        in_text += strays if self.takes_tools else []
        in_reasoning = [*ends, *strays, *closes, *((mark, (UNTIL, None)) for mark in reasoning.until)]
        for wrapper in map(with_halves, grammar.wrappers):
            in_text += [(mark, (WRAP, wrapper)) for mark in wrapper.open]
            in_text += [(mark, (UNWRAP, wrapper)) for mark in wrapper.close]
        for section in self.sections:
            marks = [(mark, (SECTION, section)) for mark in sorted(section.first_marks)]
            in_text += [*marks, *((row[0], (SHUT, None)) for row in section.closes if TOKEN_LIKE(row[0]))]
            if section.announced:
                in_reasoning += marks
        if grammar.channels is not None:
            self._prepare_messages(grammar.channels)
        near = [mark for section in self.sections if section.announced for mark in section.first_marks]
        thoughts = {*marks_of((reasoning, grammar.channels))}
        known = {*thoughts, *marks_of((grammar.wrappers, grammar.sections))}
        control = {*self.stray, *(mark for mark in tokens if "{}" not in mark)}
        # What follows a token in a mark, as in `]<]minimax[>[</invoke>`, is no everyday text without it either.
        control |= {mark.removeprefix(token) for mark in known for token in control if mark.startswith(token)}
        self.leftovers = Leftovers((known | control) - (set() if self.takes_reasoning else thoughts), known - control)
        self.text = MarkScanner(in_text, self.before, near)
        # After a call, the white space that some ends begin with has already been read.
        spaced = [(mark.lstrip(), (END, mark)) for mark in self.ends if mark[:1].isspace() and mark.strip()]
        self.gap = MarkScanner([*in_text, *spaced], near=near)
        self.held = "".join(sorted({*(reasoning.trail if self.takes_reasoning else ""), *self.before}))
        self.reasoning = MarkScanner(in_reasoning, self.held, near)

    def _prepare_messages(self, channels: parts.Channels) -> None:
        self.headers = headers_for(channels)
        self.call_marks = tuple(mark for mark, kind in channels.bodies if kind == "call")
        restarts = channels.start if channels.restart else ()
        begins = (*restarts, *(mark for mark in channels.opening if TOKEN.fullmatch(mark)))
        if channels.call is not None:
            close = (*channels.end, *channels.stop, *begins)
            self.message = compiled_section(parts.Section((channels.call,), close=close))
            self.message.calls[0].headers = dict.fromkeys(begins, self.headers)
        sections = [(mark, SECTION) for section in self.sections for mark in sorted(section.first_marks)]
        ends = [(mark, STOP if mark in channels.stop else OVER) for mark in self.ends]
        ends += [(mark, CLOSE) for mark in (*channels.end, *channels.stop) if mark not in self.ends]
        starts = [(mark, START) for mark in channels.start]
        openings = [(mark, OPENING) for mark in channels.opening if mark.startswith("<")]
        restarting = [(mark, START) for mark in (*restarts, *(mark for mark, kind in channels.bodies if kind))]
        self.outside = self._with_stray([*ends, *starts, *openings])
        self.body = self._with_stray([*ends, *restarting])
        self.call_body = self._with_stray([*ends, *restarting, *sections])

    def _with_stray(self, acts: list[tuple[str, str]]) -> MarkScanner:
        known = {mark for mark, _ in acts}
        stray = sorted(self.stray) if self.takes_tools else ()
        return MarkScanner([*acts, *((mark, STRAY) for mark in stray if mark not in known)])


def control_tokens(grammar: parts.Grammar, stated: Texts) -> dict[str, str]:
    """Return the marks that are never text, each with the problem code to report where it means nothing."""
    # They are the special marks of the grammar, the marks of messages that a header can end, the tokens that longer
    # marks consist of, and the tokens of the template, except those that the grammar knows as marks that may be text.
    marked = [part for part in (grammar.reasoning, *grammar.wrappers, *grammar.sections) if part is not None]
    ordinary = {mark for part in marked if not part.special for mark in marks_of(part)}
    marks = {mark for part in marked if part.special for mark in marks_of(part)}
    if grammar.channels is not None and (grammar.channels.restart or any(kind for _, kind in grammar.channels.bodies)):
        marks |= set(marks_of(grammar.channels))
    tokens = {*grammar.tokens, *(mark for mark in marks if TOKEN_LIKE(mark) and "{" not in mark)}
    tokens |= {token for mark in marks for token in (half(mark), *TOKEN.findall(mark)) if token}
    tokens |= {mark for mark in stated if TOKEN_LIKE(mark) and "{}" not in mark}
    codes = dict.fromkeys(tokens - ordinary, "stray_mark")
    for section in grammar.sections:
        if section.special:
            for code, facts in (("stray_open", "open"), ("stray_close", "close")):
                rows = [row for part in (section, *section.calls) for row in getattr(part, facts)]
                found = {mark for row in rows for mark in lookahead.as_row(row)}
                codes |= {mark: code for mark in found if any(map(str.isalpha, mark)) and not mark.isalpha()}
    return codes


def with_halves(part: Marked) -> Marked:
    """Return a part with the halves of its special marks of several tokens, which models forget to end."""
    if not part.special:
        return part
    opens = (*part.open, *filter(None, map(half, part.open)))
    return part.but(open=opens, close=(*part.close, *filter(None, map(half, part.close))))


def marks_of(facts: Any) -> Iterator[str]:
    """Yield the marks in a part of a grammar."""
    if isinstance(facts, parts.GrammarPart):
        for name, kind in type(facts).kinds.items():
            if (kind != "str" and name != "written") or name in ("open", "close", "value"):
                yield from marks_of(getattr(facts, name))
    elif isinstance(facts, tuple):
        for each in facts:
            yield from marks_of(each)
    elif isinstance(facts, str):
        yield facts


compile_grammar = lru_cache(maxsize=128)(CompiledGrammar)


def live_marks(grammar: parts.Grammar, stop: Texts, tokens: Texts) -> tuple[set[str], set[str], set[str]]:
    """Return the marks at which reading acts in content, those at which it acts in reasoning, and all of the grammar's.

    `stop` ends a reply, and `tokens` are the tokens of the template that are never text.
    """
    compiled = compile_grammar(grammar, frozenset(("reasoning", "tools")), stop, "", tokens)
    text, reasoning = {*compiled.text.acts}, {*compiled.reasoning.acts}
    if grammar.channels is not None:
        text = reasoning = {*compiled.body.acts, *compiled.call_body.acts}
    return text, reasoning, {*marks_of(grammar)}
