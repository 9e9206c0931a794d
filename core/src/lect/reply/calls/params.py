"""Calls with a mark for each parameter. Their values are plain text; the tools' schemas say what it stands for."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from lect.reply.calls import jsontext
from lect.reply.calls.coerce import as_json
from lect.reply.calls.objects import ObjectWriter
from lect.reply.calls.schema import ALL, STRING
from lect.reply.calls.tags import read_tags
from lect.reply.calls.values import Value, read_value
from lect.reply.engine import lookahead
from lect.reply.engine.lookahead import MORE
from lect.reply.engine.reader import CUT, DONE, LEFT
from lect.reply.grammar import Params

if TYPE_CHECKING:
    from collections.abc import Generator

    from lect.reply.engine.compiled import CompiledCall, Found
    from lect.reply.engine.reader import Reader

PARAM, END, IMPLIED, BODY = "param", "end", "implied", "body"


def params_call(reader: Reader, found: Found) -> Generator[None, None, str]:
    """Read the parameters of a call, up to and with its close."""
    call = found.call
    assert call is not None
    spec = call.syntax.arguments
    assert isinstance(spec, Params)
    name = call.name(found.fields)
    reader.begin_call(name, found.fields.get("id"))
    writer = ObjectWriter(reader)
    if "empty" in found.fields:
        writer.end()
        return DONE
    while True:
        what, fields = yield from _next(reader, call, spec)
        if what == IMPLIED and not writer.keys and not call.closes_section(reader.buffer, reader.at):
            return LEFT
        if what in (END, IMPLIED):
            writer.end()
            return DONE
        if what == BODY and not writer.keys:
            outcome = yield from jsontext.value(reader, reader.pending.append, live=True)
            what, _ = (yield from _next(reader, call, spec)) if outcome == DONE else (outcome, {})
            return DONE if what in (END, IMPLIED) else reader.broken("stray_text") if what in (PARAM, BODY) else what
        if what != PARAM:
            return what
        outcome = yield from _parameter(reader, call, spec, writer, name, fields)
        if outcome != DONE:
            return outcome


def _unwrap(writer: ObjectWriter, text: str) -> bool:
    """Write an object in which a model has wrapped all its arguments; return whether it is one."""
    json_text, fits = as_json(text, frozenset({"object"}))
    if not fits:
        return False
    try:
        members = {
            key: json.dumps(value, ensure_ascii=False, allow_nan=False) for key, value in json.loads(json_text).items()
        }
    except ValueError:
        return False
    for key, value in members.items():
        writer.key(key)
        writer.reader.pending.append(value)
    return True


def _next(reader: Reader, call: CompiledCall, spec: Params) -> Generator[None, None, tuple[str, dict[str, str]]]:
    """Read on to what comes next in a call: a parameter, with what its head says, or the end."""
    while True:
        # Whether the reply has ended is asked last: a mark that it breaks off is still a mark, and no stray text.
        buffer = reader.buffer
        at = call.space(buffer, reader.at, ended=False)
        end = lookahead.literal(buffer, at, spec.open, ended=False) if at >= 0 else at
        if end >= 0:
            end, fields = call.param.look(buffer, end, ended=False)
            if end >= 0:
                reader.at = end
                return PARAM, fields
        close = lookahead.either(buffer, at, call.closes, ended=False) if at >= 0 else at
        if close >= 0:
            reader.at = close
            return END, {}
        implied = lookahead.either(buffer, at, call.implied, ended=False) if at >= 0 else at
        if implied >= 0:
            return IMPLIED, {}
        if spec.body and at >= 0 and buffer.startswith("{", at):
            reader.at = at
            return BODY, {}
        if MORE not in (end, close, implied):
            return reader.broken("stray_text"), {}
        if reader.ended:
            return CUT, {}
        yield


def _parameter(
    reader: Reader, call: CompiledCall, spec: Params, writer: ObjectWriter, tool: str, fields: dict[str, str]
) -> Generator[None, None, str]:
    """Read the value of one parameter."""
    key = fields.get("key", "")
    if spec.value:
        opens = yield from _value_opens(reader, call, spec)
        if opens != DONE:
            # A key without a value says nothing.
            return DONE if opens == NO_VALUE else opens
    types = _types(reader, tool, key, fields)
    if spec.nested:
        nested = yield from read_tags(
            reader, call, spec, key, reader.schemas.parameters(tool).get(key), reader.schemas.known.get(tool, {})
        )
        if nested is not None:
            outcome, text = nested
            if outcome == DONE and writer.key(key):
                reader.pending.append(text)
            return outcome
    wraps = (
        key in spec.unwrap
        and tool in reader.schemas.known
        and key not in reader.schemas.parameters(tool)
        and not writer.keys
    )
    value = Value(reader, spec, types, hold=wraps or key in writer.keys, start=lambda: writer.key(key))
    outcome = yield from read_value(reader, call, spec, key, value)
    if outcome != DONE:
        return outcome
    if value.streamed:
        value.close()
        return DONE
    text = value.text()
    if wraps and _unwrap(writer, text):
        return DONE
    json_text, fits = as_json(text, types, untyped=spec.untyped)
    if writer.key(key):
        reader.pending.append(json_text)
        if not fits:
            reader.report(
                "bad_value", reader.origin, f"the parameter {key!r} is {text!r:.80}, which the schema does not allow"
            )
    return DONE


NO_VALUE = "no value"


def _value_opens(reader: Reader, call: CompiledCall, spec: Params) -> Generator[None, None, str]:
    while True:
        buffer = reader.buffer
        at = call.space(buffer, reader.at, ended=False)
        end = lookahead.literal(buffer, at, spec.value, ended=False) if at >= 0 else at
        if end >= 0:
            reader.at = end
            return DONE
        other = (
            lookahead.either(buffer, at, [(spec.open,), *call.closes, *call.implied], ended=False) if at >= 0 else at
        )
        if other >= 0:
            return NO_VALUE
        if MORE not in (end, other):
            return reader.broken("stray_text")
        if reader.ended:
            return CUT
        yield


def _types(reader: Reader, tool: str, key: str, fields: dict[str, str]) -> frozenset[str]:
    """Return the types of a parameter: by the schema; where there is none, by what its mark says."""
    types = reader.schemas.types(tool, key)
    if types:
        return types
    if "type" in fields:
        return frozenset({fields["type"]}) & ALL
    return STRING if fields.get("string") == "true" else frozenset()
