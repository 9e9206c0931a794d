"""Calls written as in Python, `name(key=literal, ...)`, or in a notation like it."""

from __future__ import annotations

import json
import re
from collections.abc import Container
from functools import lru_cache

from lect.reply.calls.coerce import ObjectWriter, as_json
from lect.reply.calls.scalars import UNESCAPED, Dialect, Ends, text_goes_on
from lect.reply.calls.texts import quoted, read_until
from lect.reply.calls.values import ValueReader
from lect.reply.grammar import SPACE, Literals
from lect.reply.reader import lookahead
from lect.reply.reader.lookahead import GAP, MARKUP, scanner_of
from lect.reply.reader.near import NO, TooLittleTextError
from lect.reply.reader.reader import CUT, DONE, Outcome, Reader
from lect.reply.reader.schema import STRING
from lect.reply.reader.syntax import CallMatch, CompiledCall

NAMES = {"=": r"""[^\s:=(){}\[\],"'“”‘’]{1,200}""", ":": r"""[^:={}\[\],"'“”‘’\n]{0,200}"""}
"""For each sign after a key: a pattern for the key, which may be in quotes."""
LONGEST_SIMPLE = 256
SIMPLE = re.compile(rf"""{GAP}(?:'[^'\\]{{0,200}}'|"[^"\\]{{0,200}}"|[^\s,()'"\[\]{{}}]{{1,200}}){GAP}""")
"""A value without brackets or escapes."""
BEGINS_LITERAL = re.compile(r"[rRbBuUfF]{0,2}[\"']|[-+]?\.?\d|[\[{(]|(?:True|False|None)\b")


class LiteralsSyntax:
    """The compiled notation of a call."""

    def __init__(self, spec: Literals):
        name = NAMES[spec.assign]
        self.assign = spec.assign
        self.key = re.compile(rf"""(?P<quote>["'“‘]?)(?P<key>{name})(?:(?P=quote)|[”’]){GAP}(?P<sign>[:=])(?!=)""")
        self.key_so_far = re.compile(rf"""["'“‘]?(?:{name})?["'”’]?{GAP}[:=]?\Z""")
        self.close = spec.close.strip() or spec.close
        python = spec.assign == "=" and not spec.quotes and not spec.bare
        ends = spec.close[0] + (" \t\r\n,()[]{}:='\"" if python else ",[]{}<")
        self.dialect = Dialect(python, spec.quotes, spec.bare, re.compile(f"[^{re.escape(ends)}]*").match)
        self.not_bare = [(mark,) for mark in (*spec.quotes, '"', "'", "“", "‘", ",", self.close)]
        self.ends_bare = scanner_of(",", self.close)

    def look_for_key(self, buffer: str, at: int, ended: bool) -> re.Match[str] | None:
        """Return the key at `at`, if there is one."""
        key = self.key.match(buffer, at)
        # A second equals sign would make it a comparison.
        if not ended and (key.end() == len(buffer) if key else self.key_so_far.match(buffer, at)):
            raise TooLittleTextError
        return key

    def is_name(self, key: str, parameters: Container[str]) -> bool:
        """Return whether a parameter can have this name: Python could have it, or the tool has it."""
        return self.assign != "=" or key in parameters or key.replace("-", "_").replace(".", "_").isidentifier()


literals_syntax = lru_cache(maxsize=64)(LiteralsSyntax)


def literals_begin(call: CompiledCall, buffer: str, at: int, fields: dict[str, str], ended: bool) -> int:
    """Return `at` if arguments may begin there, or NO; `fields` notes if the first has no key."""
    if lookahead.nothing_follows(buffer, at, ended):
        return at
    syntax = literals_syntax(call.syntax.arguments)
    begin = lookahead.space(buffer, at)
    if lookahead.literal(buffer, begin, syntax.close, ended) != NO:
        return at
    key = syntax.look_for_key(buffer, begin, ended)
    if key is not None:
        plain = not key["quote"] and key["sign"] == syntax.assign and syntax.is_name(key["key"], ())
        if not call.announced and not plain:
            fields["positional"] = "yes"
        return at
    if call.announced and buffer.startswith("{", begin):
        return at
    if syntax.dialect.python and BEGINS_LITERAL.match(buffer, begin):
        fields["positional"] = "yes"
        return at
    return NO


def literals_call(reader: Reader, found: CallMatch) -> Outcome:
    """Read the arguments of a call, up to and including its close."""
    syntax = literals_syntax(found.call.syntax.arguments)
    name = found.name
    reader.begin_call(name, found.fields.get("id"))
    writer = ObjectWriter(reader)
    without_key = iter(reader.schemas.parameters(name) if "positional" in found.fields else ())
    sign = syntax.assign
    needs_comma = False
    while True:
        yield from reader.run(SPACE)
        if reader.exhausted():
            return CUT
        end = yield from reader.sure(lookahead.literal, syntax.close)
        if end >= 0:
            writer.end()
            reader.at = end
            return DONE
        if needs_comma:
            if reader.buffer[reader.at] != ",":
                return reader.broken("bad_literal")
            reader.at += 1
            needs_comma = False
            continue
        key = yield from reader.sure(syntax.look_for_key)
        if key is not None:
            reader.at = key.end()
            named, sign = key["key"].strip(), key["sign"]
            if not syntax.is_name(named, reader.schemas.parameters(name)):
                return reader.broken("bad_literal")
            if sign != syntax.assign:
                reader.forgive(f"{sign} instead of {syntax.assign}")
        elif reader.ended and syntax.key_so_far.match(reader.buffer, reader.at):
            return CUT
        else:
            named = next(without_key, "")
            if not named and (writer.keys or reader.buffer[reader.at] != "{"):
                return reader.broken("bad_literal")
            reader.forgive("arguments without names")
        whole = key is None and not writer.keys and reader.buffer.startswith("{", reader.at)
        outcome = yield from _argument(reader, writer, found, named, sign, whole=whole)
        if outcome != DONE:
            return outcome
        needs_comma = True


def _argument(reader: Reader, writer: ObjectWriter, found: CallMatch, key: str, sign: str, *, whole: bool) -> Outcome:
    """Read the value of an argument, and write both; `whole` means that it may be an object with all the arguments."""
    syntax, name = literals_syntax(found.call.syntax.arguments), found.name
    is_new = key not in writer.keys

    def begin() -> bool:
        return key in writer.keys or writer.key(key)

    types, dialect = frozenset().union(*reader.schemas.of(name).child(key).types()), syntax.dialect
    if dialect.bare and types == STRING and is_new:
        mark = yield from reader.sure(lookahead.either, syntax.not_bare)
        reader.at = lookahead.space(reader.buffer, reader.at)
        if mark == NO and not reader.exhausted():
            begin()
            return (yield from _bare_text(reader, found, syntax, sign))
    if MARKUP(key) and key not in reader.schemas.parameters(name):
        return reader.broken("bad_literal")
    pieces: list[str] = []
    start = reader.position
    ends = _ends_here(reader, found, syntax, sign)
    value = ValueReader(
        reader, pieces, dialect, begin=begin if is_new and not whole else None, text_ends=ends, types=types
    )
    outcome = yield from value.read()
    text = "".join(pieces)
    if outcome != DONE or (whole and writer.members(text, reader.schemas.parameters(name))):
        return outcome
    # A string that seems to go on after a quote, with the same key in it, is rather two strings.
    twice = UNESCAPED in reader.forgiven and re.search(rf"\b{re.escape(key)} ?{sign} ?[\"']", reader.since(start))
    if not key or twice:
        return reader.broken("bad_literal")
    if is_new:
        begin()
        # Unquoted, every value is text, and the schema says what it stands for.
        if dialect.bare and text.startswith('"') and types and "string" not in types:
            text, _ = as_json(json.loads(text), types)
        reader.pending.append(text)
    else:
        writer.key(key)
    return DONE


def _bare_text(reader: Reader, found: CallMatch, syntax: LiteralsSyntax, sign: str) -> Outcome:
    """Read text without quotes, up to the next parameter that the tool has, or the end of the call."""
    after_comma = [(key, sign) for key in reader.schemas.parameters(found.name)]
    after_close = [*found.ends, *reader.stop_rows] if found.closes or found.section.closes else [("",)]
    tail = ""

    def put(text: str) -> None:
        nonlocal tail
        text = tail + text
        kept = text.rstrip()
        tail = text[len(kept) :]
        reader.pending.append(quoted(kept)[1:-1])

    def closes(mark: str) -> int:
        after = reader.at + len(mark)
        end = lookahead.either(reader.buffer, after, after_comma if mark == "," else after_close, reader.ended)
        ends = end >= 0 or (mark != "," and lookahead.nothing_follows(reader.buffer, after, reader.ended))
        return reader.at if ends else end

    reader.pending.append('"')
    start = reader.position
    outcome = yield from read_until(reader, syntax.ends_bare, closes, put)
    if outcome != DONE:
        return outcome
    reader.pending.append('"')
    return reader.broken("bad_literal") if any(map(reader.since(start).count, syntax.dialect.quotes)) else DONE


def _ends_here(reader: Reader, found: CallMatch, syntax: LiteralsSyntax, sign: str) -> Ends:
    """Return a function that tells whether an argument's string can end before a position."""
    # The next argument must follow, or the end of the call: models forget to escape quotes, and write code in strings.
    parameters = reader.schemas.parameters(found.name)
    following = [*found.ends, *reader.stop_rows, *((mark,) for mark in (found.section.syntax.between or ",", ";"))]

    def ends(after: int) -> int:
        buffer, ended = reader.buffer, reader.ended
        at = lookahead.space(buffer, after)
        close = lookahead.literal(buffer, at, syntax.close, ended)
        if close >= 0:
            return after if _call_goes_on(buffer, close, ended) else NO
        goes_on = text_goes_on(buffer, after, ended, "")
        if goes_on >= 0:
            return goes_on
        comma = lookahead.literal(buffer, at, ",", ended)
        return after if comma >= 0 and _next_argument(buffer, lookahead.space(buffer, comma), ended) else NO

    def _call_goes_on(buffer: str, at: int, ended: bool) -> bool:
        """Return whether something that can follow a call is at `at`."""
        if lookahead.nothing_follows(buffer, at, ended) or not (found.closes or found.section.closes):
            return True
        if lookahead.either(buffer, at, following, ended) != NO:
            return True
        section = found.section
        return not section.syntax.between and section.look_for_call(buffer, at, ended, further=True) is not None

    def _next_argument(buffer: str, at: int, ended: bool) -> bool:
        """Return whether an argument, or the close, is at `at`."""
        key = syntax.look_for_key(buffer, at, ended)
        if key is not None:
            if key["sign"] != sign or not syntax.is_name(key["key"].strip(), parameters):
                return False
            if key["key"].strip() in parameters:
                return True
            # Code has keys too, but after its brackets the call does not go on.
            simple = SIMPLE.match(buffer, key.end())
            open_ended = simple is None or simple.end() == len(buffer)
            if open_ended and not ended and len(buffer) - key.end() < LONGEST_SIMPLE:
                raise TooLittleTextError
            close = lookahead.literal(buffer, simple.end(), syntax.close, ended) if simple else NO
            return close == NO or _call_goes_on(buffer, close, ended)
        if "positional" in found.fields and BEGINS_LITERAL.match(buffer, at):
            return True
        return lookahead.literal(buffer, at, syntax.close, ended) != NO

    return ends
