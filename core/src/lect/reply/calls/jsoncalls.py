"""Calls written in JSON, entirely or after their name."""

import re

from lect.reply.calls.coerce import as_json
from lect.reply.calls.texts import text_argument
from lect.reply.calls.values import TEXT, ValueReader, decoded
from lect.reply.grammar import SPACE, JsonMap, NamedJson
from lect.reply.reader import lookahead
from lect.reply.reader.lookahead import FENCE, GAP, MISTAKE
from lect.reply.reader.near import NO, TooLittleTextError, need_end
from lect.reply.reader.reader import CUT, DONE, Decision, Outcome, Reader, Text
from lect.reply.reader.schema import OBJECT, read_json
from lect.reply.reader.syntax import CallMatch, CompiledCall

NAME_KEYS = ("name", "tool_name")
ARGUMENT_KEYS = ("arguments", "parameters", "args")
ID_KEYS = ("id", "tool_call_id")
FUNCTION = "function"
"""The key of an object that holds the name and the arguments."""
OTHER_KEYS = ("type", "index")
"""Other keys that may be there and mean nothing."""
KEYS = (*NAME_KEYS, *ARGUMENT_KEYS, *ID_KEYS, FUNCTION, "type")
"""The first keys of an object that can be a call without an announcement."""
FIRST_KEY = re.compile(
    rf"\{{{GAP}(?:\"(?P<json>[^\"\\]{{0,64}})\"|'(?P<python>[^'\\]{{0,64}})'|[“‘](?P<typographic>[^”’]{{0,64}})[”’]"
    rf"|(?P<bare>[A-Za-z_]\w{{0,64}})){GAP}[:=]{GAP}"
)
FIRST_KEY_SO_FAR = re.compile(
    rf"(?:\{{{GAP}(?:\"[^\"\\]{{0,64}}\"?|'[^'\\]{{0,64}}'?|[“‘][^”’]{{0,64}}[”’]?|[A-Za-z_]\w{{0,64}})?"
    rf"{GAP}[:=]?{GAP})?\Z"
)
NAME = re.compile(r'"([^"\\]{0,200})"')
PLAIN_TEXT = re.compile(TEXT).match
NAME_SO_FAR = re.compile(r'"[^"\\]{0,200}\Z')
FENCED = re.compile(rf"{FENCE}{GAP}").match
FENCE_SO_FAR = re.compile(rf"(?:`{{1,2}}|{FENCE}{GAP})\Z").match
BEGINS = re.compile(rf"(?:{FENCE}{GAP})?(?:[{{\[]|[\"'](?:\\*[\"'])?{GAP}\{{)").match
BEGINS_SO_FAR = re.compile(rf"(?:`{{1,2}}|(?:{FENCE}{GAP})?(?:[\"'](?:\\*[\"']?)?{GAP})?)\Z").match
"""How arguments begin, whatever is around them, and what may become that."""
WRAPPING = re.compile(rf"(?:{FENCE}{GAP})?(?:\[{GAP})?")
UNFENCE = "```"
WRAPPED = "a fence or a list around the call"
QUOTES = "\"'“‘"


def json_begins(call: CompiledCall, buffer: str, at: int, fields: dict[str, str], ended: bool) -> int:
    """Return where an object that can be a call begins, or NO; `fields` gets the name if it decides."""
    if call.announced and call.may_be_wrapped:
        # A fence, or the bracket of a list, may come before it.
        wrapping = WRAPPING.match(buffer, lookahead.space(buffer, at))
        assert wrapping is not None, "the pattern also matches an empty text"
        at = wrapping.end()
        # Only more text tells whether this becomes a fence.
        lookahead.literal(buffer, at, UNFENCE, ended)
        if wrapping[0]:
            fields[MISTAKE] = WRAPPED
    at = lookahead.space(buffer, at)
    found = FIRST_KEY.match(buffer, at)
    if found is None or found.end() == len(buffer):
        return need_end(ended or not FIRST_KEY_SO_FAR.match(buffer, at))
    key, first = found[found.lastgroup or 0], buffer[found.end()]
    if isinstance(call.syntax.arguments, JsonMap):
        return at if first in ("{[`" if key in NAME_KEYS else "{[`" + QUOTES) else NO
    if key in NAME_KEYS and first not in QUOTES:
        return NO
    if call.announced:
        return at
    # One that nothing announces must look like a call from its first key on.
    if found["json"] is None or key not in KEYS:
        return NO
    if key in NAME_KEYS:
        name = NAME.match(buffer, found.end())
        if name is None:
            return need_end(ended or not NAME_SO_FAR.match(buffer, found.end()))
        fields["name"] = name[1]
    return at


class _ObjectCall(ValueReader):
    """Reads a call that is one JSON object: name, arguments and id in any order, or a name with the arguments."""

    def __init__(self, reader: Reader, found: CallMatch):
        super().__init__(reader, [])
        self.is_map = isinstance(found.call.syntax.arguments, JsonMap)
        # An object that nothing announces is a call only if it has arguments: answers in JSON contain names too.
        self.bare = not found.announced
        self.name: str | None = None
        self.id: str | None = None
        self.early = Text()
        self.arguments: int | None = None  # Where the arguments begin in the raw text.
        self.has_arguments = False
        self.strays: list[str] = []  # The members that do not belong in a call.

    def begin_call(self) -> None:
        """Begin the call if everything it needs is known. An id that comes later is ignored."""
        if self.reader.call is None and self.name and (not self.bare or self.arguments is not None):
            self.reader.begin_call(self.name, self.id, self.arguments)
            self.reader.pending.extend(self.early)
            self.early.clear()

    def read_member(self, key: str) -> Outcome:
        """Read the value of a member, which begins here, if it means something."""
        reader = self.reader
        character = reader.buffer[reader.at]
        if self.is_map:
            if not key or self.name is not None:
                return reader.broken()
            self.name = key
        elif key == FUNCTION and character == "{":
            self.level += 1
            return ""
        names = key in NAME_KEYS
        if self.is_answer(key, character):
            return reader.broken()
        if self.is_map or (key in ARGUMENT_KEYS and self.arguments is None):
            self.arguments = reader.position
            if reader.call is not None:
                reader.call.arguments = reader.position
            self.begin_call()
            live = reader.call is not None
            reader.growing += [] if live else [self.early]
            outcome = yield from read_arguments(reader, reader.pending if live else self.early)
            self.has_arguments = outcome == DONE
            return outcome
        if (names and self.name is not None) or key in ARGUMENT_KEYS:
            reader.report("duplicate_key", reader.origin, f"the call has {key!r} twice; the first one counts")
        elif (names or key in ID_KEYS) and character in QUOTES:
            plain = PLAIN_TEXT(reader.buffer, reader.at)
            if plain is None:
                outcome = yield from (yield from self.scalar(is_key=False))
            else:
                self.pieces.append(plain[0])
                reader.at, outcome = plain.end(), DONE
            if outcome == DONE:
                text = decoded("".join(self.pieces))
                self.name, self.id = (text, self.id) if names else (self.name, text)
                self.begin_call()
            return outcome
        elif not names and key not in (*ID_KEYS, *OTHER_KEYS):
            self.strays.append(key)
        return ""

    def is_answer(self, key: str, character: str) -> bool:
        """Return whether a member shows that this is no call: nothing announces one, and it names no tool."""
        known = self.reader.schemas.known
        if not self.bare or not known or self.name in known or self.reader.call is not None:
            return False
        if key in ARGUMENT_KEYS:
            return self.name is not None and character != "{"
        return key not in (*KEYS, *OTHER_KEYS) or character in "{["


def json_call(reader: Reader, found: CallMatch) -> Outcome:
    """Read a call that is one object: `{"name": ..., "arguments": {...}}`, or `{"name": {...}}`."""
    call = _ObjectCall(reader, found)
    outcome = yield from call.read(call.read_member)
    for key in call.strays if reader.call is not None or not call.bare else ():
        reader.report("stray_member", reader.origin, f"the call has a member {key!r}, which does not belong in one")
    if outcome != DONE:
        whole = reader.call is not None and call.has_arguments and not call.strays
        if not whole or not (yield from _ends(reader, found)):
            return outcome
        reader.forgive("the last bracket is missing")
    if not call.name or ((call.bare or call.is_map) and not call.has_arguments):
        return reader.broken("incomplete_call")
    call.begin_call()
    if call.strays and not call.has_arguments:
        # What does not belong in a call may be its arguments.
        return reader.broken("stray_text")
    if not call.has_arguments:
        reader.pending.append("{}")
    return DONE


def _ends(reader: Reader, found: CallMatch) -> Decision:
    """Return whether the end of the call, or of the reply, comes next."""
    end = yield from reader.sure(lookahead.either, [*found.ends, *reader.stop_rows])
    return end >= 0 or lookahead.nothing_follows(reader.buffer, reader.at, reader.ended)


def read_arguments(reader: Reader, pieces: list[str]) -> Outcome:
    """Read arguments in JSON, which begin here."""
    # Return the generator itself: every chunk passes through all that are open.
    if reader.buffer[reader.at] == "{":
        return ValueReader(reader, pieces).read()
    return _wrapped_arguments(reader, pieces)


def _wrapped_arguments(reader: Reader, pieces: list[str]) -> Outcome:
    """Read arguments in a fence, a list or a string."""
    while not reader.ended and FENCE_SO_FAR(reader.buffer, reader.at):
        yield
    fence = FENCED(reader.buffer, reader.at)
    reader.at = fence.end() if fence else reader.at
    held: list[str] = []
    outcome = yield from ValueReader(reader, held).read()
    if outcome == DONE:
        pieces.append(_decoded(reader, "".join(held)))
    if outcome == DONE and fence:
        reader.forgive("a fence around the arguments")
        reader.at = max(reader.at, (yield from reader.sure(lookahead.either, [(UNFENCE,)])))
    return outcome


def _decoded(reader: Reader, text: str) -> str:
    """Return arguments that were given as a string or in a list, decoded; null becomes an empty object."""
    value, _ = read_json(text)
    if text == "null":
        reader.forgive("null instead of arguments")
        return "{}"
    if isinstance(value, list) and len(value) == 1 and isinstance(value[0], dict):
        reader.forgive("a list around the arguments")
        return text[1:-1].strip()
    if isinstance(value, str):
        inner, is_object = as_json(value, OBJECT)
        if is_object:
            reader.forgive("arguments in a string")
            return inner
    return text


def named_begins(call: CompiledCall, buffer: str, at: int, fields: dict[str, str], ended: bool) -> int:
    """Return where the arguments of a call whose name has been read begin, or NO."""
    spec = call.syntax.arguments
    assert isinstance(spec, NamedJson)
    if spec.text or lookahead.nothing_follows(buffer, at, ended):
        return at
    begin = lookahead.space(buffer, at)
    if BEGINS(buffer, begin):
        return at
    if not ended and BEGINS_SO_FAR(buffer, begin):
        raise TooLittleTextError
    return NO if lookahead.either(buffer, at, call.closes_of(fields), ended) == NO else at


def named_json_call(reader: Reader, found: CallMatch) -> Outcome:
    """Read the JSON arguments of a call whose name comes before them."""
    call = found.call
    spec = call.syntax.arguments
    assert isinstance(spec, NamedJson)
    name, own_id = found.name, found.fields.get("id")
    if call.counts(name) and name not in reader.schemas.known:
        return (yield from _unnamed_call(reader, name, own_id))
    reader.begin_call(name, own_id)
    yield from reader.run(SPACE)
    if reader.exhausted():
        return CUT
    # Where a head renames the caller's functions, any other takes text.
    is_text = bool(spec.text) and not call.renames(found.fields.get("name", ""))
    if is_text and call.syntax.rename and name in reader.schemas.known:
        reader.forgive(f"{name!r} without its namespace")
    while not reader.ended and BEGINS_SO_FAR(reader.buffer, reader.at):
        yield
    begins = BEGINS(reader.buffer, reader.at)
    # Text may be in quotes, and code in a fence.
    if begins is not None and (not is_text or begins[0] in "{[" or begins[0][0] + begins[0][-1] == "`{"):
        return (yield from read_arguments(reader, reader.pending))
    if is_text:
        return (yield from text_argument(reader, spec.text, found))
    if not (yield from _ends(reader, found)):
        return reader.broken()
    reader.pending.append("{}")
    return DONE


def _unnamed_call(reader: Reader, counter: str, own_id: str | None) -> Outcome:
    """Read a call that has a number instead of a name: it calls the one tool that its arguments fit."""
    start = reader.position
    pieces: list[str] = []
    outcome = yield from ValueReader(reader, pieces).read()
    name = reader.schemas.only_tool_for("".join(pieces)) if outcome == DONE else None
    if name is not None:
        reader.forgive(f"{counter} instead of a name")
    reader.begin_call(name or counter, own_id, start)
    reader.pending.extend(pieces)
    return outcome
