"""What a model wrote for a parameter, read as the schema wants it, and written as JSON."""

import json
import re
from collections.abc import Callable, Container
from typing import Any

from lect.json_schema import ALL, NEVER, Types, kind_of
from lect.reply.calls.scalars import PYTHON
from lect.reply.calls.texts import quoted
from lect.reply.calls.values import read_whole
from lect.reply.reader.lookahead import FENCE
from lect.reply.reader.reader import Reader
from lect.reply.reader.schema import STRING, read_json

FENCED = re.compile(rf"{FENCE}\s(.*)```", re.DOTALL).fullmatch


class ObjectWriter:
    """Writes the JSON object for arguments that are not written in JSON, one after another."""

    def __init__(self, reader: Reader):
        self.reader = reader
        self.keys: set[str] = set()

    def key(self, key: str) -> bool:
        """Write a key, unless the object has it already; return whether it was written."""
        if key in self.keys:
            problem = f"the call has the parameter {key!r} twice; the first one counts"
            self.reader.report("duplicate_key", self.reader.origin, problem)
            return False
        self.reader.pending.append(f"{', ' if self.keys else '{'}{quoted(key)}: ")
        self.keys.add(key)
        return True

    def members(self, text: str, known: Container[str] = ()) -> bool:
        """Write the members of an object that holds all the arguments; return whether it does: none is unknown."""
        members, _ = read_json(text)
        if not isinstance(members, dict) or (known and not all(key in known for key in members)):
            return False
        for key, value in members.items():
            self.key(key)
            self.reader.pending.append(json.dumps(value, ensure_ascii=False))
        return True

    def end(self) -> None:
        self.reader.pending.append("}" if self.keys else "{}")


def as_argument(
    text: str, branches: frozenset[Types], of_readings: Callable[[list[Any]], frozenset[Types]]
) -> tuple[str, str]:
    """Return the text of an argument as JSON, given its types in each branch of the schema, and what is wrong with it.

    `of_readings` returns these types if the argument is one of some values.
    Where branches read it differently it stays text.
    """
    if frozenset().union(*branches) > STRING:
        # Where a schema spells out values, those that it does not mean are none of its readings.
        branches = of_readings([text, *map(json.loads, _candidates(text.strip(), ALL))]) - {NEVER} or branches
    readings = [as_json(text, types) for types in branches] or [as_json(text, frozenset())]
    fitting = {json_text for json_text, fits in readings if fits}
    if len(fitting) == 1:
        return fitting.pop(), ""
    why = "which branches of the schema read differently" if fitting else "which the schema does not allow"
    return quoted(text), f"{text!r:.80}, {why}"


def as_json(text: str, types: Types) -> tuple[str, bool]:
    """Return the text of a parameter's value as JSON, and whether it is of a type that the schema allows.

    Without types, what can be read as JSON is JSON, and anything else is text. With types, text stays text unless it
    can be read as one of the other types.
    """
    if types == STRING:
        return quoted(text), True
    for candidate in _candidates(text.strip(), types):
        if not types or _fits(candidate, types):
            return candidate, True
    return quoted(text), not types or "string" in types


def _candidates(text: str, types: frozenset[str]) -> list[str]:
    """Return the readings of a text as JSON, the plainest first."""
    if types & {"object", "array"}:
        fenced = FENCED(text)
        inner = fenced[1] if fenced else read_json(text)[0]
        text = inner.strip() if isinstance(inner, str) else text
    found = [text] if read_json(text)[1] else []
    if not types:
        return found
    lowered = text.lower()
    if "boolean" in types and lowered in ("true", "false"):
        found.append(lowered)
    if "null" in types and text == "None":
        found.append("null")
    if types & {"object", "array"} and not found and text[:1] in ("{", "["):
        # The last reading is for JSON that was escaped once too often.
        readings = (read_whole(text), read_whole(text, PYTHON), read_json(f'"{text}"')[0])
        found += [reading for reading in readings if reading and read_json(reading)[1]]
    return found


def _fits(text: str, types: frozenset[str]) -> bool:
    kind = kind_of(value := json.loads(text))
    if kind == "integer" or (kind == "number" and value.is_integer()):
        return bool(types & {"integer", "number"})
    return kind in types and kind != "string"
