"""Calls that are written in JSON, from end to end or behind their name."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from lect.reply.calls import jsontext
from lect.reply.calls.coerce import valid
from lect.reply.calls.plaintext import text_argument
from lect.reply.engine import lookahead
from lect.reply.engine.lookahead import MORE, NO
from lect.reply.engine.reader import BROKEN, CUT, DONE
from lect.reply.grammar import Json, NamedJson

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from lect.reply.engine.compiled import Found
    from lect.reply.engine.reader import Reader


USUAL = ("type", "index")
"""What may stand beside the name and the arguments of a call and says nothing."""


class _ObjectCall:
    """What is known so far of a call that is one JSON object; its keys may come in any order."""

    def __init__(self, reader: Reader, spec: Json, *, bare: bool):
        self.reader = reader
        self.spec = spec
        # An object that nothing announces is a call only if it has arguments: answers in JSON have names in them too.
        self.bare = bare
        self.name: str | None = None
        self.id: str | None = None
        self.early: list[str] = []
        self.answered = False

    def begin(self) -> None:
        """Begin the call, if all is known that it takes."""
        reader = self.reader
        if reader.call is not None:
            if self.id is not None and reader.call.id is None:
                reader.call.id = self.id
            return
        if self.name is None or (self.bare and not self.answered and not self.early):
            return
        reader.begin_call(self.name, self.id)
        reader.pending.extend(self.early)

    def put(self) -> Callable[[str], None]:
        """Return where the text of the arguments goes."""
        return self.reader.pending.append if self.reader.call is not None else self.early.append


def json_call(reader: Reader, found: Found) -> Generator[None, None, str]:
    """Read a call that is one object: `{"name": ..., "arguments": {...}}`."""
    call = found.call
    assert call is not None
    spec = call.syntax.arguments
    assert isinstance(spec, Json)
    state = _ObjectCall(reader, spec, bare=not found.announced)
    outcome = yield from _members(reader, state)
    if outcome == BROKEN and (yield from reader.at_stop()):
        outcome = CUT
    if outcome == CUT and reader.call is not None and state.answered:
        reader.report("unbalanced_json", reader.origin, "the call ends before its object does")
        return DONE
    if outcome != DONE:
        return outcome
    if state.name is None or (state.bare and not state.answered):
        reader.why = "" if state.bare else "incomplete_call"
        return BROKEN
    state.begin()
    if not state.answered:
        reader.pending.append("{}")
    return DONE


def _members(reader: Reader, state: _ObjectCall) -> Generator[None, None, str]:
    depth = 1
    first = True
    reader.at += 1
    while True:
        if not (yield from jsontext.spaces(reader)):
            return CUT
        character = reader.buffer[reader.at]
        if character == "}":
            reader.at += 1
            depth -= 1
            if depth == 0:
                return DONE
            first = False
            continue
        if not first:
            if character != ",":
                return reader.broken()
            reader.at += 1
            if not (yield from jsontext.spaces(reader)):
                return CUT
        outcome, key = yield from _key(reader)
        if outcome != DONE:
            return outcome
        character = reader.buffer[reader.at]
        if key == "function" and character == "{" and key not in state.spec.name:
            reader.at += 1
            depth += 1
            first = True
            continue
        outcome = yield from _member(reader, state, key, character)
        if outcome != DONE:
            return outcome
        first = False


def _member(reader: Reader, state: _ObjectCall, key: str, character: str) -> Generator[None, None, str]:
    """Read the value of one key."""
    spec = state.spec
    names = key in spec.name or (key == "function" and character == '"')
    if (names and state.name is not None) or (key in spec.arguments and state.answered):
        reader.report("duplicate_key", reader.origin, f"the call has {key!r} twice; the first one counts")
    elif (names or key in spec.id) and character == '"':
        text = yield from _text(reader)
        if text is None:
            return CUT if reader.ended and reader.exhausted() else reader.broken()
        if names:
            state.name = text
        else:
            state.id = text
        state.begin()
        return DONE
    elif key in spec.arguments:
        return (yield from _arguments(reader, state, character))
    elif not state.bare and key not in (*spec.name, *spec.id, *USUAL):
        reader.report("stray_member", reader.origin, f"the call has a member {key!r}, which is no part of one")
    return (yield from jsontext.value(reader, jsontext.ignore, live=False))


def _arguments(reader: Reader, state: _ObjectCall, character: str) -> Generator[None, None, str]:
    if character in "{[":
        if state.name is not None and reader.call is None:
            reader.begin_call(state.name, state.id)
        outcome = yield from jsontext.value(reader, state.put(), live=reader.call is not None)
        state.answered = outcome == DONE
        return outcome
    pieces: list[str] = []
    outcome = yield from jsontext.value(reader, pieces.append, live=False)
    if outcome == DONE:
        state.answered = True
        state.begin()
        state.put()(_decoded_once("".join(pieces)))
    return outcome


def _decoded_once(text: str) -> str:
    """Return arguments that were given as the JSON text of JSON text, decoded; and no arguments where they are null."""
    if text == "null":
        return "{}"
    inner: str = json.loads(text) if text[0] == '"' else ""
    return inner if inner.lstrip()[:1] in ("{", "[") and valid(inner) else text


def _key(reader: Reader) -> Generator[None, None, tuple[str, str]]:
    """Read a key and the colon behind it; return how that ended, and the key."""
    key = yield from _text(reader)
    if key is None:
        return (CUT if reader.ended and reader.exhausted() else reader.broken()), ""
    if not (yield from jsontext.spaces(reader)):
        return CUT, ""
    if reader.buffer[reader.at] != ":":
        return reader.broken(), ""
    reader.at += 1
    return (DONE if (yield from jsontext.spaces(reader)) else CUT), key


def _text(reader: Reader) -> Generator[None, None, str | None]:
    """Read a string and return what it says; None where there is none."""
    if reader.buffer[reader.at] != '"':
        return None
    pieces: list[str] = []
    outcome = yield from jsontext.string(reader, pieces.append, live=False)
    return json.loads("".join(pieces)) if outcome == DONE else None


def json_map_call(reader: Reader, found: Found) -> Generator[None, None, str]:
    """Read a call that is an object of one pair: `{"name": {...}}`."""
    reader.at += 1
    yield from jsontext.spaces(reader)
    outcome, name = yield from _key(reader)
    if outcome != DONE:
        return outcome
    if reader.buffer[reader.at] != "{":
        return reader.broken()
    reader.begin_call(name)
    outcome = yield from jsontext.value(reader, reader.pending.append, live=True)
    if outcome != DONE:
        return outcome
    if not (yield from jsontext.spaces(reader)) or (yield from reader.at_stop()):
        reader.report("unbalanced_json", reader.origin, "the call ends before its object does")
        return DONE
    if reader.buffer[reader.at] != "}":
        return reader.broken()
    reader.at += 1
    return DONE


def named_json_call(reader: Reader, found: Found) -> Generator[None, None, str]:
    """Read the JSON arguments of a call whose name stands before them."""
    call = found.call
    assert call is not None
    spec = call.syntax.arguments
    assert isinstance(spec, NamedJson)
    reader.begin_call(call.name(found.fields), found.fields.get("id"))
    if not (yield from jsontext.spaces(reader)):
        return CUT
    if reader.buffer[reader.at] not in "{[":
        if spec.text and not call.renames(found.fields):
            return (yield from text_argument(reader, spec.text, call))
        while (
            end := lookahead.either(reader.buffer, reader.at, [*call.ends, *reader.stop_rows], reader.ended)
        ) == MORE:
            yield
        if end == NO:
            return reader.broken()
        reader.pending.append("{}")
        return DONE
    return (yield from jsontext.value(reader, reader.pending.append, live=True))
