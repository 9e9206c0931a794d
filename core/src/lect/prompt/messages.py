"""Read OpenAI-shaped messages: check them, and give templates one shape to work on.

The caller's objects are never changed.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple, Never

from lect.errors import MessageError, shown
from lect.prompt.inputs import Input, given, plain_str
from lect.values import TRANSFORMED, Path

PART_WORDS = frozenset({
    "text", "image", "video", "audio", "file", "document", "thinking", "reasoning", "refusal", "tool",
})  # fmt: skip
"""What kinds of parts are named after: `image`, `image_url`, `input_audio`, ... Which of them a format reads, it knows
itself; the others are reported as unused."""
REASONING_NAMES = ("reasoning_content", "thinking", "reasoning")
"""Under which names people give an assistant's reasoning; the first that is there counts."""

Raw = Mapping[str, Any]


class Part(NamedTuple):
    """One part of a content list. `text` is empty unless the part is text."""

    type: str
    text: str
    path: Path
    raw: Raw


class Call(NamedTuple):
    """A tool call.

    `arguments` is parsed where it was given as the JSON text of an object; `text` is that text, else None.
    """

    name: str
    arguments: Mapping[str, Any] | str
    text: str | None
    id: str | None
    path: Path
    raw: Raw


class Message:
    """One message. `content` is its text (of a content list, the text parts joined), empty where there is none.

    A plain class whose rare fields have their defaults on the class: of all kinds of value this is the quickest to
    make.
    """

    index: int
    role: str
    content: str
    raw: Raw
    parts: tuple[Part, ...] = ()
    reasoning: str | None = None
    tool_calls: tuple[Call, ...] = ()
    name: str | None = None


_NOT_LISTS = (str, bytes, Mapping)


@lru_cache(maxsize=4096)
def _tracked_role(role: str, index: int) -> Input:
    return given(role, ("messages", index, "role"))


def read_messages(messages: Sequence[Raw], roles: frozenset[str], *, tracked: bool) -> list[Message]:
    """Check `messages` and return them in one shape; with `tracked`, their texts remember where they came from.

    Raises:
        MessageError: If they are not a list of mappings with a known role and content of a known shape.
    """
    if type(messages) is not list and (isinstance(messages, _NOT_LISTS) or not isinstance(messages, Sequence)):
        _wrong("messages", messages, "a list of messages")
    result = []
    index = 0
    for raw in messages:
        # Nearly all messages are a plain role and text; checks of the exact type cost a tenth of checks by abstract
        # classes. All else goes the long way round.
        try:
            role = raw["role"]
            content = raw["content"]
            plain = len(raw) == 2 and type(content) is str and type(role) is str and role in roles
        except (LookupError, TypeError):
            plain = False
        if plain:
            message = Message()
            message.index = index
            if tracked:
                message.role = _tracked_role(role, index)
                message.content = given(content, ("messages", index, "content"))
            else:
                message.role = role
                message.content = content
            message.raw = raw
        else:
            message = _read_message(index, raw, roles, tracked=tracked)
        result.append(message)
        index += 1
    return result


def _read_message(index: int, raw: Raw, roles: frozenset[str], *, tracked: bool) -> Message:
    where: Path = ("messages", index)
    if not isinstance(raw, Mapping):
        _wrong(spell(where), raw, 'a mapping such as {"role": "user", "content": "Hello!"}')
    role = _text_or_none(raw.get("role"), (*where, "role"), tracked=tracked)
    if role is None or role not in roles:
        _unknown_role(spell(where), raw.get("role"), roles)
    content, parts = _read_content(raw.get("content"), (*where, "content"), tracked=tracked)
    reasoning = None
    for name in REASONING_NAMES:
        if raw.get(name) is not None:
            reasoning = _text(raw[name], (*where, name), tracked=tracked)
            break
    calls = raw.get("tool_calls")
    message = Message()
    message.index = index
    message.role = role
    message.content = content
    message.raw = raw
    message.parts = parts
    message.reasoning = reasoning
    message.tool_calls = () if calls is None else _read_calls(calls, (*where, "tool_calls"), tracked=tracked)
    message.name = _text_or_none(raw.get("name"), (*where, "name"), tracked=tracked)
    return message


def _read_content(value: Any, where: Path, *, tracked: bool) -> tuple[str, tuple[Part, ...]]:
    if value is None:
        return "", ()
    if isinstance(value, str):
        return _text(value, where, tracked=tracked), ()
    if not isinstance(value, Sequence) or isinstance(value, bytes | bytearray):
        _wrong(spell(where), value, "text, or a list of parts")
    parts = tuple(_read_part(part, (*where, index), tracked=tracked) for index, part in enumerate(value))
    texts = [part.text for part in parts if part.type == "text"]
    if len(texts) == 1:
        return texts[0], parts
    joined = "".join(texts)
    return (given(joined, where, TRANSFORMED) if tracked else joined), parts


def _read_part(raw: Raw, where: Path, *, tracked: bool) -> Part:
    if not isinstance(raw, Mapping):
        _wrong(spell(where), raw, 'a part such as {"type": "text", "text": "Hello!"}')
    kind = raw.get("type")
    if not isinstance(kind, str) or PART_WORDS.isdisjoint(kind.split("_")):
        msg = (
            f"{spell(where)}.type is {shown(kind)}, which is no known kind of part\n"
            f"  try: a kind of {', '.join(sorted(PART_WORDS))}, such as 'image_url'"
        )
        raise MessageError(msg)
    text = ""
    if kind == "text":
        if raw.get("text") is None:
            _wrong(f"{spell(where)}.text", None, "the text of the part")
        text = _text(raw["text"], (*where, "text"), tracked=tracked)
    return Part(kind, text, where, raw)


def _read_calls(calls: Any, where: Path, *, tracked: bool) -> tuple[Call, ...]:
    if not isinstance(calls, Sequence) or isinstance(calls, str | bytes):
        _wrong(spell(where), calls, "a list of tool calls")
    return tuple(_read_call(call, (*where, index), tracked=tracked) for index, call in enumerate(calls))


def _read_call(raw: Raw, where: Path, *, tracked: bool) -> Call:
    if not isinstance(raw, Mapping):
        _wrong(
            spell(where), raw, 'a mapping such as {"type": "function", "function": {"name": ..., "arguments": {...}}}'
        )
    function, path = raw, where
    if raw.get("function") is not None:
        function, path = raw["function"], (*where, "function")
        if not isinstance(function, Mapping):
            _wrong(spell(path), function, 'a mapping such as {"name": ..., "arguments": {...}}')
    name = _text_or_none(function.get("name"), (*path, "name"), tracked=tracked)
    if name is None:
        _wrong(f"{spell(path)}.name", None, "the name of the function")
    value = function.get("arguments")
    if value is None:
        value = {}
    if not isinstance(value, Mapping | str):
        _wrong(f"{spell(path)}.arguments", value, "a mapping, or its JSON text")
    text = _text(value, (*path, "arguments"), tracked=tracked) if isinstance(value, str) else None
    arguments = value if text is None else _parse_arguments(text)
    return Call(name, arguments, text, _text_or_none(raw.get("id"), (*where, "id"), tracked=tracked), path, raw)


def _parse_arguments(text: str) -> Mapping[str, Any] | str:
    """Return the object whose JSON this is, or the text itself where it is none: a model may have written anything."""
    import json

    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return value if isinstance(value, dict) else text


def _text(value: Any, where: Path, *, tracked: bool) -> str:
    if not isinstance(value, str):
        _wrong(spell(where), value, "text")
    # An enumeration's member is text too, and says another one when it is asked for its string.
    value = plain_str(value)
    return given(value, where) if tracked else value


def _text_or_none(value: Any, where: Path, *, tracked: bool) -> str | None:
    return None if value is None else _text(value, where, tracked=tracked)


def messages_of_pairs(system: str | None, pairs: Sequence[Any], roles: frozenset[str]) -> list[Raw]:
    """Return the `(role, text)` pairs of a conversation as messages, the system text before them.

    Raises:
        MessageError: If one is not a known role and its text; errors count the pairs, as whoever wrote them does.
    """
    messages: list[Raw] = []
    if system is not None:
        if not isinstance(system, str):
            _wrong("system_message", system, "text")
        messages.append({"role": "system", "content": system})
    for index, pair in enumerate(pairs):
        if not (
            type(pair) is list and len(pair) == 2 and type(pair[0]) is str and type(pair[1]) is str and pair[0] in roles
        ):
            _check_pair(f"messages[{index}]", pair, roles)
        messages.append({"role": pair[0], "content": pair[1]})
    return messages


def _check_pair(where: str, pair: Any, roles: frozenset[str]) -> None:
    if not isinstance(pair, list | tuple) or len(pair) != 2:
        _wrong(where, pair, "a role and a text\n  try: append_message(role, text)")
    role, content = pair
    if not isinstance(role, str) or role not in roles:
        _unknown_role(where, role, roles)
    if not isinstance(content, str | list | tuple):
        last = "; only the last one, of the assistant, may be None, which asks for an answer" if content is None else ""
        _wrong(f"the text of {where}", content, f"text{last}")


def read_tools(tools: Any) -> tuple[Raw, ...]:
    """Check a list of tool schemas; none is an empty tuple.

    Raises:
        MessageError: If they are not a list of mappings.
    """
    if tools is None:
        return ()
    if isinstance(tools, _NOT_LISTS) or not isinstance(tools, Sequence):
        _wrong("tools", tools, "a list of tool schemas")
    for index, tool in enumerate(tools):
        if not isinstance(tool, Mapping):
            _wrong(
                f"tools[{index}]",
                tool,
                'a schema such as {"type": "function", "function": {"name": ..., "parameters": {...}}}',
            )
    return tuple(tools)


def spell(path: Path) -> str:
    """Write a path as Python would reach the field: `messages[0].content`."""
    first, *rest = path
    return str(first) + "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in rest)


def _unknown_role(where: str, role: object, roles: frozenset[str]) -> Never:
    msg = (
        f"the role of {where} is {shown(role)}, which this template does not know\n  known: {', '.join(sorted(roles))}"
    )
    raise MessageError(msg)


def _wrong(where: str, value: object, wanted: str) -> Never:
    msg = f"{where} is {shown(value)} ({type(value).__name__}); expected {wanted}"
    raise MessageError(msg)
