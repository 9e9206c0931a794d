"""The report of what was given but never reached the prompt."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from lect.errors import near_names
from lect.facts import Facts
from lect.prompt.chat import Chat
from lect.prompt.inputs import Input, plain_str
from lect.prompt.message import REASONING_NAMES, Message
from lect.prompt.writer import TrackingWriter
from lect.reports import Unused
from lect.values import Path

MESSAGE_FIELDS = frozenset({
    "role", "content", "name", "tool_calls", "reasoning_content", "thinking", "reasoning",
    # Ids, and what the openai client adds to an answer.
    "id", "tool_call_id", "type", "index", "annotations", "parsed",
    # How a message states its weight in training.
    "loss", "train", "training", "trainable", "masked", "weight",
    # What only some makers' formats read.
    "citations", "current_date", "current_location", "function_calls", "functions", "metadata", "prefix", "thought",
    "tool", "tool_plan", "tool_responses", "tools",
})  # fmt: skip
"""The fields of a message that some format knows."""
CALL_FIELDS = frozenset({"id", "type", "index", "function", "name", "arguments", "content_type"})
"""The fields of a tool call, and of the function in it."""
MEANT = {
    "content": ("text", "value", "message", "msg", "body", "input", "output", "response", "refusal"),
    "tool_calls": ("function_call", "calls"),
    "reasoning_content": ("reasoning_details", "reasoning_text", "thoughts", "think", "cot"),
    "loss": ("loss_mask", "mask"),
    "weight": ("loss_weight",),
    "role": ("from", "speaker", "author"),
    "tool_call_id": ("call_id", "tool_id", "tool_use_id"),
}
"""Fields of a message, and what people call them that is not nearly the same word."""
MEANT_IN_CALLS = {"arguments": ("parameters", "params", "args", "kwargs", "input"), "id": ("call_id", "tool_call_id")}
LEAST_LIKE = 0.75
WORD = re.compile("[A-Za-z0-9]{2,40}")
LONGEST_WORD = 400
"""Where the last word of a text is looked for, in characters from its end."""
COUNTED = frozenset({"content", "name", "tool_calls", *REASONING_NAMES})
TYPES = {bool: "True or False", str: "a text", int: "a number"}
"""What an option should be, for people."""


class UnknownField(Unused):
    """A field of a message or of a call that no format knows."""

    @property
    def meant(self) -> str | None:
        known, words = (CALL_FIELDS, MEANT_IN_CALLS) if "tool_calls" in self.path else (MESSAGE_FIELDS, MEANT)
        name = self.path[-1]
        near = [field for field, others in words.items() if name in others]
        return next(iter(near or near_names(name, known, likeness=LEAST_LIKE)), None)

    def __repr__(self) -> str:
        return f"Unused(path={self.path!r}, why={self.why!r}, meant={self.meant!r})"


class WrongType(UnknownField):
    """An option that is not of the type that the template reads."""

    meant = ""  # Set for each.


def find_unused(chat: Chat, out: TrackingWriter) -> Iterator[Unused]:
    """Yield, in order, the counted fields of `chat` that were not written.

    Content and each part, reasoning, names, the names and arguments of calls, tools, documents and options are counted,
    and fields that neither the template nor any other format knows. Roles, types, ids and trimmed white space are not.
    """
    pieces: dict[Path, list[Input]] = {}
    for piece in out:
        if isinstance(piece, Input) and piece:
            pieces.setdefault(piece.path, []).append(piece)
    reached = {path[:length] for path in (*pieces, *out.seen) for length in range(1, len(path) + 1)}
    left_out = set(out.left_out)

    def report(path: Path, *, whole: bool = True) -> Iterator[Unused]:
        """Yield `path` if it was not reached; with `whole`, a written field that contains it counts too."""
        if path in reached or (whole and any(path[:length] in pieces for length in range(1, len(path)))):
            return
        by_rule = any(path[:length] in left_out for length in range(1, len(path) + 1))
        yield Unused(path, "by-rule" if by_rule else "dropped")

    if not chat.messages:
        yield Unused(("messages",), "absent")
    for message in chat.messages:
        if len(message.raw) == 1:
            yield Unused(("messages", message.index, "content"), "absent")
        for path, whole in _counted(message):
            yield from report(path, whole=whole)
        for path in _unknown_fields(message, chat.facts):
            yield from map(UnknownField._make, report(path))
        texts = [((*part.path, "text"), part.text) for part in message.parts]
        for path, text in texts or [(("messages", message.index, "content"), message.content)]:
            if path in pieces and _is_cut(text, pieces[path], chat.facts):
                # No format cuts a piece out of a text by accident: it is the reasoning that was in it.
                yield Unused(path, "by-rule")
            elif path in pieces and _is_scattered(text, pieces[path]):
                yield Unused(path, "dropped")
    yield from _repeated_ids(chat)
    for index, tool in enumerate(chat.tools):
        lost = [*report(("tools", index))]
        yield from lost
        for path in () if lost else _definitions(tool, ("tools", index)):
            yield from report(path)
    for name, value in chat.options.items():
        if name == "documents" and name in chat.facts.options and isinstance(value, list | tuple):
            for index in range(len(value)):
                yield from report(("documents", index))
        elif name not in chat.facts.options:
            yield Unused(("options", name), "dropped")
        elif (kind := chat.facts.options[name]) and value is not None and not isinstance(value, kind):
            mistyped = WrongType(("options", name), "type")
            mistyped.meant = TYPES[kind]
            yield mistyped


def _repeated_ids(chat: Chat) -> Iterator[Unused]:
    """Yield the ids of calls that earlier calls have too: a client, or a template, would mistake one for the other."""
    known: set[str] = set()
    for message in chat.messages:
        for index, call in enumerate(message.tool_calls):
            if call.id and call.id in known:
                yield Unused(("messages", message.index, "tool_calls", index, "id"), "repeated")
            known.add(call.id or "")


def _unknown_fields(message: Message, facts: Facts) -> Iterator[Path]:
    """Yield the fields of a message and of its calls that hold something, and that no format knows."""
    where: Path = ("messages", message.index)
    for name, value in message.raw.items():
        if name not in MESSAGE_FIELDS and name not in facts.own_fields and _holds(value):
            yield (*where, name)
    for index, call in enumerate(message.tool_calls):
        of_call: Path = (*where, "tool_calls", index)
        function = call.raw.get("function")
        for path, fields in ((of_call, call.raw), ((*of_call, "function"), function)):
            for name, value in fields.items() if isinstance(fields, Mapping) else ():
                if name not in CALL_FIELDS and _holds(value):
                    yield (*path, name)


def _holds(value: Any) -> bool:
    """Return whether something is lost if a value is not read: null, empty and blank ones say nothing."""
    if isinstance(value, str):
        return bool(value.strip())
    return not (value is None or (isinstance(value, Mapping | list | tuple) and not value))


def all_unused(raw: Mapping[str, Any], where: Path, but: Path) -> Iterator[Unused]:
    """Yield all counted fields of a message of which only the field `but` is written."""
    for name, value in raw.items():
        path = (*where, name)
        if path != but and _holds(value) and (name in COUNTED or name not in MESSAGE_FIELDS):
            yield (Unused if name in COUNTED else UnknownField)(path, "dropped")


def _is_cut(text: str, pieces: list[Input], facts: Facts) -> bool:
    """Return whether only a part of a text was written, apart from white space and the markers of the format."""
    if sum(map(len, pieces)) >= len(text) or any(piece.start < 0 for piece in pieces):
        return False
    whole, between, end = plain_str(text), [], 0
    for piece in sorted(pieces, key=lambda piece: piece.start):
        between.append(whole[end : piece.start])
        end = max(end, piece.start + len(piece))
    rest = "".join([*between, whole[end:]])
    pattern = facts.markers.pattern
    return bool((rest if pattern is None else pattern.sub("", rest)).strip())


def _is_scattered(text: str, pieces: list[Input]) -> bool:
    """Return whether a text was taken apart so that not even a word of it can be read, such as by one key a character.

    Other changes of a text, such as quoting, leave its words.
    """
    if len(pieces) == 0 or any(piece.start >= 0 for piece in pieces) or (first := WORD.search(text)) is None:
        return False
    last = next(WORD.finditer(text, max(first.end(), len(text) - LONGEST_WORD)), first)
    written = "".join(map(plain_str, pieces)).lower()
    return all(plain_str(word[0]).lower() not in written for word in (first, last))


def _definitions(tool: Mapping[str, Any], where: Path) -> Iterator[Path]:
    """Yield the definitions to which the schema of a tool refers."""
    function, where = (tool["function"], (*where, "function")) if "function" in tool else (tool, where)
    schema = function.get("parameters") or {}
    for field in ("$defs", "definitions"):
        known = schema.get(field)
        if isinstance(known, Mapping) and known:
            meant = set(_references(schema))
            yield from ((*where, "parameters", field, name) for name in known if f"#/{field}/{name}" in meant)


def _references(schema: Any) -> Iterator[str]:
    """Yield what a schema refers to."""
    if isinstance(schema, Mapping):
        meant = schema.get("$ref")
        if isinstance(meant, str):
            yield meant
        schema = schema.values()
    if isinstance(schema, list | tuple | type({}.values())):
        for each in schema:
            yield from _references(each)


def _counted(message: Message) -> Iterator[tuple[Path, bool]]:
    where = ("messages", message.index)
    if message.parts:
        for part in message.parts:
            if part.type != "text" or part.text.strip():
                yield part.path, part.type == "text"
    elif message.content.strip():
        yield (*where, "content"), True
    # Its path is not looked up in the message, which the caller may have changed since.
    if isinstance(message.reasoning, Input) and message.reasoning.strip():
        yield message.reasoning.path, True
    if message.name:
        yield (*where, "name"), True
    for call in message.tool_calls:
        yield (*call.path, "name"), True
        if call.arguments:
            yield (*call.path, "arguments"), True
