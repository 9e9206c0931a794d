"""Calls with a mark for each parameter. Their values are plain text; the tools' schemas give the types."""

from __future__ import annotations

from collections.abc import Callable, Generator

from lect.reply.calls.coerce import ObjectWriter, as_json, valid
from lect.reply.calls.jsoncalls import read_arguments
from lect.reply.calls.tags import read_tags
from lect.reply.calls.texts import quoted, read_until
from lect.reply.grammar import Params
from lect.reply.reader import lookahead
from lect.reply.reader.lookahead import MORE, NO, MarkScanner
from lect.reply.reader.reader import CUT, DONE, LEFT, Reader
from lect.reply.reader.schema import ALL, STRING
from lect.reply.reader.syntax import CallMatch, CompiledCall

PARAM, CLOSED, IMPLIED, BODY, NO_VALUE = "param", "closed", "implied", "body", "no value"
BEGINS_JSON = '{["-0123456789tfn'
WRAPPERS = ("arguments", "input", "parameters", "properties")
"""Parameters in which a model wraps all its arguments by mistake, if the tool has none of that name."""
CDATA, CDATA_END = "<![CDATA[", "]]>"


def params_begin(call: CompiledCall, buffer: str, at: int, fields: dict[str, str], ended: bool) -> int:
    """Return `at` if parameters, or the end of the call, may begin there, or NO or MORE."""
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
    if there >= 0:
        there = params.goes_on(buffer, there, ended, [*closes, ("{",)])
    return at if there >= 0 else there


def params_call(reader: Reader, found: CallMatch) -> Generator[None, None, str]:
    """Read the parameters of a call, up to and including its close."""
    reader.begin_call(found.name, found.fields.get("id"))
    reading = _Parameters(reader, found)
    if "empty" in found.fields:
        reading.writer.end()
        return DONE
    return (yield from reading.read())


class _Parameters:
    """The reading of one call's parameters."""

    def __init__(self, reader: Reader, found: CallMatch):
        spec = found.call.syntax.arguments
        assert isinstance(spec, Params)
        self.reader = reader
        self.call = found.call
        self.spec = spec
        self.name = found.name
        self.closes = found.closes
        self.writer = ObjectWriter(reader)
        self.known = reader.schemas.parameters(found.name)

    def read(self) -> Generator[None, None, str]:
        """Read them all."""
        reader, writer = self.reader, self.writer
        while True:
            what, fields = yield from self.next()
            if what == IMPLIED and not writer.keys and not self.section_closes():
                return LEFT
            if what in (CLOSED, IMPLIED):
                writer.end()
                return DONE
            if what == BODY and not writer.keys:
                outcome = yield from read_arguments(reader, reader.pending)
                what, _ = (yield from self.next()) if outcome == DONE else (outcome, {})
                if what in (PARAM, BODY):
                    return reader.broken("stray_text")
                return DONE if what in (CLOSED, IMPLIED) else what
            if what != PARAM:
                return what
            outcome = yield from self.parameter(fields)
            if outcome != DONE:
                return outcome

    def next(self) -> Generator[None, None, tuple[str, dict[str, str]]]:
        """Read on to what comes next: a parameter, with what its head says, or the end."""
        reader, call = self.reader, self.call
        while True:
            # Check last whether the reply has ended: a mark that is cut off is still a mark, not stray text.
            buffer = reader.buffer
            at = call.params.space(buffer, reader.at, ended=False)
            if at >= 0:
                close = lookahead.either(buffer, at, self.closes, ended=False)
                if close >= 0:
                    reader.at = close
                    return CLOSED, {}
                implied = lookahead.either(buffer, at, call.implied, ended=False) if close == NO else MORE
                if implied >= 0:
                    return IMPLIED, {}
                end, fields = call.params.look(buffer, at, ended=False) if implied == NO else (MORE, {})
                if end >= 0:
                    reader.at = end
                    return PARAM, fields
                if buffer.startswith("{", at):
                    reader.at = at
                    return BODY, {}
                if end == NO:
                    return reader.broken("stray_text"), {}
            if reader.ended:
                return CUT, {}
            yield

    def section_closes(self) -> bool:
        """Return whether the close of the section comes next."""
        return lookahead.either(self.reader.buffer, self.reader.at, self.call.section_closes, ended=True) >= 0

    def parameter(self, fields: dict[str, str]) -> Generator[None, None, str]:
        """Read the value of one parameter."""
        reader, spec, writer = self.reader, self.spec, self.writer
        key = fields.get("key", "")
        if spec.value:
            opens = yield from self.value_opens()
            if opens != DONE:
                # A key without a value is ignored.
                return DONE if opens == NO_VALUE else opens
        if spec.nested:
            root = reader.schemas.known.get(self.name, {})
            nested = yield from read_tags(reader, self.call, spec, key, self.known.get(key), root)
            if nested is not None:
                outcome, text = nested
                if outcome == DONE and writer.key(key):
                    reader.pending.append(text)
                return outcome
        types = self.types(key, fields)
        wraps = key in WRAPPERS and self.name in reader.schemas.known and key not in self.known and not writer.keys
        held = _Value(self, types, hold=wraps or key in writer.keys, start=lambda: writer.key(key))
        outcome = yield from self.read_value(key, held)
        if outcome != DONE:
            return outcome
        if held.streamed:
            reader.pending.append('"')
            return DONE
        text = held.text()
        if wraps:
            wrapped, fits = as_json(text, frozenset({"object"}))
            if fits and writer.members(wrapped):
                return DONE
        json_text, fits = as_json(text, types, untyped=spec.untyped)
        if writer.key(key):
            reader.pending.append(json_text)
            if fits and json_text[0] in "{[" and not valid(text):
                reader.forgive(f"the value of {key!r}, which is not JSON")
            if not fits:
                problem = f"the parameter {key!r} is {text!r:.80}, which the schema does not allow"
                reader.report("bad_value", reader.origin, problem)
        return DONE

    def value_opens(self) -> Generator[None, None, str]:
        """Skip what opens a value; return DONE, NO_VALUE if there is none, or what went wrong."""
        reader, call, spec = self.reader, self.call, self.spec
        others = [(spec.open,), *self.closes, *call.implied]
        while True:
            buffer = reader.buffer
            at = call.params.space(buffer, reader.at, ended=False)
            if at >= 0:
                end = lookahead.literal(buffer, at, spec.value, ended=False)
                if end >= 0:
                    reader.at = end
                    return DONE
                other = lookahead.either(buffer, at, others, ended=False)
                if other >= 0:
                    return NO_VALUE
                if MORE not in (end, other):
                    return reader.broken("stray_text")
            if reader.ended:
                return CUT
            yield

    def types(self, key: str, fields: dict[str, str]) -> frozenset[str]:
        """Return the types of a parameter, from the schema or, failing that, from its mark."""
        types = self.reader.schemas.types(self.name, key)
        if types:
            return types
        if "type" in fields:
            return frozenset({fields["type"]}) & ALL
        return STRING if fields.get("string") == "true" else frozenset()

    # Values

    def read_value(self, key: str, held: _Value) -> Generator[None, None, str]:
        """Read a value up to and including its close, or up to what shows that the close is missing.

        A close counts only if the call can go on after it: a text may mention the mark that closes it, or show a whole
        call.
        """
        reader, params = self.reader, self.call.params
        close = self.spec.close.replace("{key}", key)
        if self.spec.cdata:
            while (end := lookahead.either(reader.buffer, reader.at, [(CDATA,)], reader.ended)) == MORE:
                yield
            if end >= 0:
                reader.at = end
                held.hold = True

                def cdata_ends(mark: str) -> int:
                    return lookahead.either(reader.buffer, reader.at + len(mark), [(close,)], reader.ended)

                return (yield from read_until(reader, CDATA_LIVE, cdata_ends, held.kept.append))
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
            return NO if shown else self.value_ends(close, stem, mark)

        def matters() -> Callable[[str], object] | None:
            return params.matters if held.streamed and not held.tail else None

        return (yield from read_until(reader, live, closes, held.add, matters))

    def value_ends(self, close: str, stem: str, mark: str) -> int:
        """Return where a value with a mark here ends: after its close, or before a mark that can only follow it.

        Otherwise NO or MORE.
        """
        reader, call = self.reader, self.call
        buffer, at, ended = reader.buffer, reader.at, reader.ended
        if mark == stem:
            end = lookahead.literal(buffer, at, close, ended)
            sloppy = end == NO
            if sloppy:
                end = lookahead.rest_of_line(buffer, at + len(stem), close[-1], ended)
            after = call.params.space(buffer, end, ended) if end >= 0 else end
            if after >= 0 and not (ended and after == len(buffer)):
                after = call.params.goes_on(buffer, after, ended, [*self.closes, *reader.stop_rows])
            if after >= 0 and sloppy:
                reader.forgive(f"{buffer[at:end]!r} for {close!r}")
            return end if after >= 0 else after
        if mark == self.spec.open:
            after, fields = call.params.look(buffer, at, ended)
            if after >= 0 and self.spec.value:
                after = lookahead.either(buffer, after, [(self.spec.value,)], ended)
            if after >= 0 and self.known and fields.get("key") not in self.known:
                return NO
            after = at if after >= 0 else after
        else:
            after = self.call_ends(buffer, at, ended)
        if after >= 0:
            reader.forgive(f"{close!r} is missing")
        return after

    def call_ends(self, buffer: str, at: int, ended: bool) -> int:
        """Return `at` if the close of the whole call is there, or NO or MORE.

        On its own line it counts, whatever follows.
        """
        reader = self.reader
        after = lookahead.either(buffer, at, self.closes, ended)
        if after < 0:
            return after
        if not ended and buffer[after : after + 2] in ("", "\r"):
            return MORE
        if buffer.startswith(("\n", "\r\n"), after) and reader.since(reader.position - 1) == "\n":
            return at
        if not lookahead.nothing_follows(buffer, after, ended):
            after = lookahead.either(buffer, after, [*self.call.implied, *reader.stop_rows], ended)
        return at if after >= 0 else after


CDATA_LIVE = MarkScanner([(CDATA_END, None)])


class _Value:
    """A value that is being read: passed on as it arrives if it must be text, kept if it may be something else."""

    def __init__(self, reading: _Parameters, types: frozenset[str], *, hold: bool, start: Callable[[], bool]):
        self.reader = reading.reader
        self.trim = reading.spec.trim
        self.start = start
        self.streamed = False
        self.kept: list[str] = []
        self.trimmed = not self.trim
        self.tail = ""
        # None: the first character tells whether it can be anything but text.
        self.hold: bool | None = hold or (types != STRING and bool(types)) or None
        if not self.hold and (types == STRING or reading.spec.untyped == "string"):
            self.hold = False

    def add(self, text: str) -> None:
        """Add what was read."""
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
        self.tail = self.trim if self.trim and text.endswith(self.trim) else ""
        text = text.removesuffix(self.tail)
        if text:
            self.reader.pending.append(quoted(text)[1:-1])

    def text(self) -> str:
        """Return a value that was kept."""
        return "".join(self.kept).removesuffix(self.trim)
