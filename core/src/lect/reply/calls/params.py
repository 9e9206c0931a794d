"""Calls with a mark for each parameter. Their values are plain text; the tools' schemas give the types."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from functools import partial
from typing import Any

from lect.json_schema import ALL, NEVER, Types, both
from lect.reply.calls.coerce import ObjectWriter, as_argument, as_json
from lect.reply.calls.jsoncalls import read_arguments
from lect.reply.calls.tags import read_tags
from lect.reply.calls.texts import Value, read_until
from lect.reply.grammar import Params
from lect.reply.reader import lookahead
from lect.reply.reader.lookahead import MARKUP, MISTAKE, Finder, scanner_of
from lect.reply.reader.near import NO, TooLittleTextError
from lect.reply.reader.reader import CUT, DONE, LEFT, Decision, Outcome, Reader
from lect.reply.reader.schema import OBJECT, STRING, Schemas, read_json
from lect.reply.reader.syntax import CallMatch, CompiledCall, mistake

PARAM, CLOSED, IMPLIED, BODY = "param", "closed", "implied", "body"
OPENED, UNOPENED = "opened", "unopened"
Found = tuple[str, int, dict[str, str]]
"""What is there, where it ends, and what its head says."""
WRAPPERS = ("arguments", "input", "parameters", "properties")
"""Parameters in which a model wraps all its arguments by mistake, if the tool has none of that name."""
FEWEST_LEFT = 4  # How much of a mark must be left at the beginning of a value to be recognised.
FAR = 1024  # How far back a text may show what opens a parameter.
CDATA, CDATA_END = "<![CDATA[", "]]>"


def params_begin(call: CompiledCall, buffer: str, at: int, fields: dict[str, str], ended: bool) -> int:
    """Return `at` if parameters, or the end of the call, may begin there, or NO."""
    spec = call.syntax.arguments
    assert isinstance(spec, Params)
    if "empty" in fields or lookahead.nothing_follows(buffer, at, ended):
        return at
    params, closes = call.params, call.closes_of(fields)
    rest = buffer[lookahead.space(buffer, at) :] if ended else ""
    follow = (spec.open, *(row[0] for row in closes))
    if rest and any(len(rest) < len(mark) and mark.startswith(rest) for mark in follow):
        # The reply breaks off inside a mark that may follow.
        return at
    there = params.space(buffer, at, ended)
    if spec.value and lookahead.either(buffer, there, params.key_ends, ended) != NO:
        fields["joined"] = "yes"
        return at
    if params.goes_on(buffer, there, ended, [*closes, ("{",)]) != NO:
        return at
    return NO if params.look_for_key(buffer, there, ended)[0] == NO else at


def params_call(reader: Reader, found: CallMatch) -> Outcome:
    """Read the parameters of a call, up to and including its close."""
    name, key = found.name, ""
    if "joined" in found.fields:
        # What opens the first key is missing, so that the name and the key are one word.
        pairs = _split(name, reader.schemas)
        if len(pairs) != 1:
            return reader.broken("incomplete_call")
        name, key = pairs[0]
        reader.forgive("what opens the first key is missing")
    reader.begin_call(name, found.fields.get("id"))
    reading = _Parameters(reader, found, name)
    if "empty" in found.fields:
        reading.writer.end()
        return DONE
    if key:
        reader.at = lookahead.either(reader.buffer, reader.at, found.call.params.key_ends, ended=True)
        outcome = yield from reading.parameter({"key": key})
        if outcome != DONE:
            return outcome
    return (yield from reading.read())


def _split(word: str, schemas: Schemas) -> list[tuple[str, str]]:
    """Return the pairs of a tool and one of its parameters that a word can stand for."""
    pairs = [(name, key) for name in schemas.known for key in schemas.parameters(name)]
    only = [(word, key) for key in schemas.parameters(word)]
    return [pair for pair in pairs if "".join(pair) == word] or (only if len(only) == 1 else [])


class _Parameters:
    """The reading of one call's parameters."""

    def __init__(self, reader: Reader, found: CallMatch, name: str):
        spec = found.call.syntax.arguments
        assert isinstance(spec, Params)
        self.reader, self.spec, self.name = reader, spec, name
        self.section, self.call, self.closes = found.section, found.call, found.closes
        self.close_marks = [row[0] for row in self.closes]
        self.writer = ObjectWriter(reader)
        self.schema = reader.schemas.of(name)
        self.known = self.schema.names()
        self.unclosed = False  # Whether the close of the last value is missing.
        self.mentioned = False  # Whether the last value contains its close, or what looks like it.
        self.doubtful = False  # Whether the last value may contain a part of its close.
        self.misspelt = False  # Whether the last value contains what only looks like its close.
        self.spoilt = False  # Whether the last value contains its close, and what may be a misspelt mark after that.
        # Where the last mark of a parameter and its value begin in the raw text.
        self.mark = self.begin = reader.position

    def read(self) -> Outcome:
        reader, writer = self.reader, self.writer
        while True:
            self.mark = reader.position
            what, fields = yield from self.next()
            if what == IMPLIED and not writer.keys and not self.section_closes():
                return LEFT
            if what == IMPLIED:
                reader.forgive(f"{''.join(self.closes[0])!r} is missing")
            if what in (CLOSED, IMPLIED):
                writer.end()
                return DONE
            if what == BODY and not writer.keys:
                reader.forgive("JSON instead of parameters")
                outcome = yield from read_arguments(reader, reader.pending)
                what, _ = (yield from self.next()) if outcome == DONE else (outcome, {})
                if what in (PARAM, BODY):
                    return reader.broken("stray_text")
                return DONE if what in (CLOSED, IMPLIED) else what
            if what != PARAM:
                if not (writer.keys and (yield from self.is_whole())):
                    return what
                reader.forgive(f"{self.closes[0][0]!r} is missing")
                writer.end()
                return DONE
            outcome = yield from self.parameter(fields)
            if outcome != DONE:
                return outcome

    def next(self, look: Callable[[int], Found] | None = None) -> Generator[None, None, tuple[str, dict[str, str]]]:
        """Read on to what comes next: by default a parameter, with what its head says, or the end of the call."""
        reader = self.reader
        while True:
            # Check last whether the reply has ended: a mark that is cut off is still a mark, not stray text.
            try:
                at = self.call.params.space(reader.buffer, reader.at, ended=False)
                what, reader.at, fields = (look or self.look)(at)
                return what, fields
            except TooLittleTextError:
                if reader.ended:
                    return CUT, {}
                yield

    def look(self, at: int) -> Found:
        """Return the parameter, or the end, that is at `at`."""
        reader, call, spec = self.reader, self.call, self.spec
        buffer = reader.buffer
        close = lookahead.either(buffer, at, self.closes, ended=False)
        if close >= 0:
            reader.forgive(mistake(buffer[at:close], call.syntax.close))
            return CLOSED, close, {}
        implied = lookahead.either(buffer, at, call.implied, ended=False) != NO
        end, fields = (NO, {}) if implied else call.params.look(buffer, at, ended=False)
        if end >= 0:
            if not buffer.startswith(spec.open, at):
                reader.forgive(f"{buffer[at:end]!r:.80} for {spec.open!r}")
            reader.forgive(fields.get(MISTAKE, ""))
            return PARAM, end, fields
        if not implied and buffer.startswith("{", at):
            return BODY, at, {}
        end, fields = call.params.look_for_key(buffer, at, ended=implied and reader.ended)
        if end >= 0 and self.takes(fields["key"]):
            reader.forgive(f"{spec.open!r} is missing")
            return PARAM, end, fields
        return IMPLIED if implied else reader.broken("stray_text"), reader.at, {}

    def look_for_value(self, at: int) -> Found:
        """Return what opens a value at `at`, or what is there instead."""
        reader, spec = self.reader, self.spec
        end = lookahead.literal(reader.buffer, at, spec.value, ended=False)
        if end >= 0:
            reader.forgive(mistake(reader.buffer[at:end], (spec.value,)))
            return OPENED, end, {}
        others = [(spec.open,), *self.closes, *self.call.implied]
        if lookahead.either(reader.buffer, at, others, ended=False) != NO:
            return DONE, reader.at, {}
        reader.forgive(f"{spec.value!r} is missing")
        return UNOPENED, at, {}

    def is_whole(self) -> Decision:
        """Return whether the reply ends here with all arguments: the model has stopped, or can add no other."""
        reader = self.reader
        if (yield from reader.at_stop()):
            return True
        if not lookahead.nothing_follows(reader.buffer, reader.at, reader.ended) or reader.reason == "length":
            return False
        return reader.reason is not None or (bool(self.known) and self.known.keys() <= self.writer.keys)

    def section_closes(self) -> bool:
        return lookahead.either(self.reader.buffer, self.reader.at, self.section.closes, ended=True) >= 0

    def parameter(self, fields: dict[str, str]) -> Outcome:
        reader, spec, writer = self.reader, self.spec, self.writer
        key = fields.get("key", "")
        if MARKUP(key) and not self.has(key):
            return reader.broken("stray_text")
        self.unclosed = self.mentioned = self.doubtful = self.misspelt = self.spoilt = False
        opens, _ = (yield from self.next(self.look_for_value)) if spec.value else (OPENED, {})
        if opens == DONE:
            reader.forgive(f"the key {key!r} without a value")
        if opens not in (OPENED, UNOPENED):
            return opens
        unopened = opens == UNOPENED
        if spec.nested:
            nested = yield from read_tags(reader, self.call, spec, key, self.schema.child(key))
            if nested is not None:
                outcome, json_text = nested
                if outcome == DONE and writer.key(key):
                    reader.pending.append(json_text)
                return outcome
        branches = self.types(key, fields)
        wraps = key in WRAPPERS and self.name in reader.schemas.known and not self.has(key) and not writer.keys
        kept = wraps or unopened or key in writer.keys
        held = Value(reader, spec.trim, frozenset().union(*branches), hold=kept, start=lambda: writer.key(key))
        self.begin = reader.position
        assert reader.call is not None, "it has begun"
        mark = reader.since(self.mark)
        # A value may begin with the key and what closes the mark.
        shortest = 0 if spec.value or key not in mark else len(mark) - mark.rindex(key) + 1
        reader.call.marks[key] = mark, max(shortest, FEWEST_LEFT)
        outcome = yield from self.read_value(key, held)
        if outcome != DONE or self.doubtful or self.spoilt:
            return outcome if outcome != DONE else reader.broken("stray_text")
        if self.misspelt or (spec.value and spec.value in reader.since(self.begin)):
            reader.forgive(f"marks of a parameter in the value of {key!r}")
        text = held.end(self.unclosed)
        if text is None:
            return DONE
        if unopened and (spec.value[-5:] in text or text.startswith((spec.value[0], spec.value[-1]))):
            return reader.broken("stray_text")
        if wraps:
            wrapped, fits = as_json(text, OBJECT)
            if fits and writer.members(wrapped):
                return DONE
        json_text, wrong = as_argument(text, branches, partial(self.types, key, fields))
        if writer.key(key):
            reader.pending.append(json_text)
            if json_text[0] in "{[" and not read_json(text)[1]:
                reader.forgive(f"the value of {key!r}, which is not JSON")
            if wrong:
                reader.report("bad_value", reader.origin, f"the parameter {key!r} is {wrong}")
        return DONE

    def has(self, key: str) -> bool:
        """Return whether the schema says something of a parameter."""
        return key in self.known or self.schema.child(key).is_known

    def takes(self, key: str) -> bool:
        """Return whether the tool may have a parameter: it has it, or nobody knows which it has."""
        return not self.known or self.has(key)

    def types(self, key: str, fields: dict[str, str], readings: Sequence[Any] = ()) -> frozenset[Types]:
        """Return the types of a parameter in each branch of the schema, if it is one of some readings.

        Its mark decides among types and branches, and where the schema says nothing; failing that, the format does.
        """
        marked = STRING if fields.get("string") == "true" else frozenset({fields.get("type", "")}) & ALL
        found = self.schema.child(key).types(readings)
        if not marked:
            return found or (frozenset({STRING}) if self.spec.untyped == "string" else frozenset())
        narrowed = frozenset(both(marked, each) for each in found) - {NEVER}
        return narrowed or (found if len(found) == 1 else frozenset({marked}))

    def read_value(self, key: str, held: Value) -> Outcome:
        """Read a value up to and including its close, or up to what shows that the close is missing."""
        reader, params = self.reader, self.call.params
        close = self.spec.close.replace("{key}", key)
        if self.spec.cdata:
            end = yield from reader.sure(lookahead.either, [(CDATA,)])
            if end >= 0:
                reader.at = end
                held.hold = True

                def cdata_ends(mark: str) -> int:
                    return lookahead.either(reader.buffer, reader.at + len(mark), [(close,)], reader.ended)

                return (yield from read_until(reader, scanner_of(CDATA_END), cdata_ends, held.kept.append))
        # A close counts only if the call can go on after it: a text may mention the mark, or show a whole call.
        shown = 0
        live, stem = params.live_in_value(close, self.closes)

        def closes(mark: str) -> int:
            nonlocal shown
            if mark in params.call_opens and mark != self.spec.open:
                # What looks like another call is part of the text, up to its close.
                shown += 1
                return NO
            if shown and mark not in (stem, self.spec.open):
                shown -= 1
                return NO
            return NO if shown else self.value_ends(key, close, stem, mark)

        def special() -> Finder | None:
            return live.in_json if held.streamed and not held.tail else None

        return (yield from read_until(reader, live, closes, held.add, special))

    def value_ends(self, key: str, close: str, stem: str, mark: str) -> int:
        """Return where a value ends: after the close here, or before a mark that can only follow it; or NO."""
        reader, call = self.reader, self.call
        buffer, at, ended = reader.buffer, reader.at, reader.ended
        if mark == stem:
            end = lookahead.literal(buffer, at, close, ended)
            if end == NO:
                end = self.sloppy_close(key, close[-1], lookahead.literal(buffer, at, stem, ended))
            after = call.params.space(buffer, end, ended) if end >= 0 else end
            if after >= 0 and not (ended and after == len(buffer)):
                behind, after = after, call.params.goes_on(buffer, after, ended, [*self.closes, *reader.stop_rows])
                if after == NO:
                    # Nothing may open the next key.
                    word, fields = call.params.look_for_key(buffer, behind, ended)
                    after = word if fields and self.has(fields["key"]) else NO
            if after >= 0:
                reader.forgive(mistake(buffer[at:end], (close,)))
                self.doubtful = not buffer.startswith(close, at) and self.is_mangled(close)
                return end
            self.mentioned = True
            self.misspelt |= not buffer.startswith(close, at)
            if end >= 0 and buffer.startswith(self.spec.open[0], lookahead.space(buffer, end)):
                # What follows may be a mark that is not spelt right, unless the text shows parameters.
                shown = reader.since(max(self.begin, reader.position - FAR))
                self.spoilt |= shown.count((self.spec.value or self.spec.open).rstrip(" =>")) <= shown.count(close)
            return NO
        if mark == self.spec.open:
            after, fields = call.params.look(buffer, at, ended)
            if after >= 0 and self.spec.value:
                after = lookahead.either(buffer, after, [(self.spec.value,)], ended)
            if after >= 0 and not self.takes(fields.get("key", "")):
                return NO
            self.doubtful = fields.get("key") in (key, *self.writer.keys)
            after = at if after >= 0 else after
        else:
            after = self.call_ends(buffer, at, ended)
        if after >= 0:
            reader.forgive(f"{close!r} is missing")
            self.unclosed = True
            self.doubtful |= self.is_mangled(close)
        return after

    def is_mangled(self, close: str) -> bool:
        """Return whether nobody knows what belongs to the value up to here, and what to its close, which is wrong."""
        text = self.reader.since(max(self.begin, self.reader.position - len(close) - 16)).strip()
        return self.mentioned or not text or close[:4] in text or text.endswith(close[-1])

    def sloppy_close(self, key: str, last: str, at: int) -> int:
        """Return where a close that is not spelt right ends, given where its stem ends, or NO."""
        buffer, ended = self.reader.buffer, self.reader.ended
        end = lookahead.rest_of_line(buffer, at, last, ended)
        if end == NO:
            return at
        surplus = "".join(filter(str.isalnum, buffer[at:end]))
        if "{key}" in self.spec.close:
            return end if surplus == buffer[at : end - 1] and not self.section_closes() else NO
        # The rest may repeat the key, or words of the mark that closes the call.
        return end if len(surplus) < 2 or any(surplus in text for text in (key, *self.close_marks)) else NO

    def call_ends(self, buffer: str, at: int, ended: bool) -> int:
        """Return `at` if the close of the whole call is there, or NO."""
        reader = self.reader
        after = lookahead.either(buffer, at, self.closes, ended)
        if after < 0:
            return after
        if not ended and buffer[after : after + 2] in ("", "\r"):
            raise TooLittleTextError
        # On its own line it counts, whatever follows.
        if buffer.startswith(("\n", "\r\n"), after) and reader.since(reader.position - 1) == "\n":
            return at
        if not lookahead.nothing_follows(buffer, after, ended):
            after = lookahead.either(buffer, after, [*self.call.implied, *reader.stop_rows], ended)
        return at if after >= 0 else after
