"""Read OpenAI-shaped messages: check them, and give templates one shape to work on.

The caller's objects are never changed.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Never

from lect.errors import MessageError, saferepr
from lect.prompt.exact import read_exact
from lect.prompt.fields import is_list, spell, wrong
from lect.prompt.inputs import given, plain_str
from lect.prompt.limits import DEFAULT, Limits
from lect.prompt.message import REASONING_NAMES, Call, FullMessage, Message, Part, Raw, tracked_role
from lect.prompt.normalize import joined_texts, normalized_message
from lect.values import SPELLINGS, Path

PART_WORDS = frozenset({
    "text", "image", "video", "audio", "file", "document", "thinking", "reasoning", "refusal", "tool",
})  # fmt: skip
"""The words in the names of parts, such as `input_audio`. Parts that a format does not read are reported as unused."""
SHAREGPT = frozenset({"from", "value"})
LIST = 'a list of messages, such as [{"role": "user", "content": "Hello!"}]'
ROWS = "\n  try: lect.messages(row), which reads the rows of data sets"


def expect_messages(messages: Any) -> None:
    """Refuse anything but a list."""
    if type(messages) is not list and not is_list(messages):
        wrong("messages", messages, LIST + (ROWS if isinstance(messages, Mapping) else ""))


def expect_tools(tools: Any) -> None:
    """Refuse anything but a list."""
    if type(tools) is not list and not is_list(tools):
        wrong("tools", tools, "a list of tool schemas")


def expect_request(messages: Any, tools: Any = None) -> None:
    """Refuse messages or tools that are no list; what is in them is checked where they are rendered."""
    expect_messages(messages)
    if tools is not None:
        expect_tools(tools)


def read_messages(
    messages: Sequence[Raw], roles: frozenset[str], accepts: Collection[str], *, tracked: bool, limits: Limits = DEFAULT
) -> list[Message]:
    """Check `messages` and return them in one shape; with `tracked`, their texts remember where they came from.

    Whatever the template does not accept as given (see `accepts`) is normalized. Anything but a list of mappings with a
    known role and content of a known shape is refused, and a field that is nested more deeply than the limits allow.
    """
    expect_messages(messages)
    result: list[Message] = []
    for index, raw in enumerate(messages):
        try:
            role = raw["role"]
            content = raw["content"]
            if len(raw) == 2 and type(content) is type(role) is str and role in roles:
                # Most messages are just a role and a text.
                message = Message()
                message.index = index
                message.raw = raw
                if tracked:
                    message.role = tracked_role(role, index)
                    message.content = given(content, ("messages", index, "content"))
                else:
                    message.role = role
                    message.content = content
                result.append(message)
                continue
        except (LookupError, TypeError):
            pass
        read = read_exact(index, raw, roles, accepts, limits, tracked=tracked) if type(raw) is dict else None
        result.append(read or _read_message(index, raw, roles, accepts, limits, tracked=tracked))
    return result


def _read_message(
    index: int, given_message: Raw, roles: frozenset[str], accepts: Collection[str], limits: Limits, *, tracked: bool
) -> Message:
    where: Path = ("messages", index)
    if not isinstance(given_message, Mapping):
        wrong(spell(where), given_message, 'a mapping such as {"role": "user", "content": "Hello!"}')
    # All parts are read, whatever the template takes: wrong ones are refused, and those that are not text are reported.
    parts = _read_parts(given_message.get("content"), (*where, "content"), tracked=tracked)
    raw = normalized_message(given_message, where, accepts, tracked=tracked, limits=limits)
    role = _text_or_none(raw.get("role"), (*where, "role"), tracked=tracked)
    if role is None and not SHAREGPT.isdisjoint(raw):
        wrong(spell(where), raw, f"a message with a role{ROWS}")
    if role is None or role not in roles:
        _unknown_role(spell(where), raw.get("role"), roles)
    reasoning = None
    for name in REASONING_NAMES:
        if raw.get(name) is not None:
            reasoning = _text(raw[name], (*where, name), tracked=tracked)
            break
    # Only checked here: programs read it from `raw`, and look for it among the ids of calls.
    _text_or_none(raw.get("tool_call_id"), (*where, "tool_call_id"), tracked=False)
    calls = raw.get("tool_calls")
    limits.check_values(raw, where, but="tool_calls")
    message = FullMessage()
    message.index, message.role, message.raw, message.parts = index, role, raw, parts
    message.content = _content(raw.get("content"), parts, (*where, "content"), tracked=tracked)
    message.reasoning = reasoning
    path = (*where, "tool_calls")
    if calls is not None and not is_list(calls):
        wrong(spell(path), calls, "a list of tool calls")
    each = enumerate(calls or ())
    message.tool_calls = tuple(_read_call(call, (*path, at), limits, tracked=tracked) for at, call in each)
    message.name = _text_or_none(raw.get("name"), (*where, "name"), tracked=tracked)
    return message


def _read_parts(value: Any, where: Path, *, tracked: bool) -> tuple[Part, ...]:
    if value is None or isinstance(value, str):
        return ()
    if not is_list(value):
        wrong(spell(where), value, "text, or a list of parts")
    return tuple(_read_part(part, (*where, index), tracked=tracked) for index, part in enumerate(value))


def _content(value: Any, parts: tuple[Part, ...], where: Path, *, tracked: bool) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return _text(value, where, tracked=tracked)
    texts = [(part.text, (*part.path, "text")) for part in parts if part.type == "text"]
    return joined_texts(texts, where, "", tracked=tracked)


def _read_part(raw: Raw, where: Path, *, tracked: bool) -> Part:
    if not isinstance(raw, Mapping):
        wrong(spell(where), raw, 'a part such as {"type": "text", "text": "Hello!"}')
    kind = raw.get("type")
    if not isinstance(kind, str) or PART_WORDS.isdisjoint(kind.split("_")):
        raise MessageError(
            f"{spell(where)}.type is {saferepr(kind)}, which is not a known kind of part\n"
            f"  try: a kind of {', '.join(sorted(PART_WORDS))}, such as 'image_url'"
        )
    text = ""
    if kind == "text":
        if raw.get("text") is None:
            wrong(f"{spell(where)}.text", None, "the text of the part")
        text = _text(raw["text"], (*where, "text"), tracked=tracked)
    return Part(SPELLINGS.get(kind, kind), text, where, raw)


def _read_call(raw: Raw, where: Path, limits: Limits, *, tracked: bool) -> Call:
    if not isinstance(raw, Mapping):
        wrong(
            spell(where), raw, 'a mapping such as {"type": "function", "function": {"name": ..., "arguments": {...}}}'
        )
    limits.check_values(raw, where, but="function")
    function, path = raw, where
    if "function" in raw:
        function, path = raw["function"], (*where, "function")
        if not isinstance(function, Mapping):
            wrong(spell(path), function, 'a mapping such as {"name": ..., "arguments": {...}}')
        limits.check_values(function, path)
    name = _text_or_none(function.get("name"), (*path, "name"), tracked=tracked)
    if name is None:
        wrong(f"{spell(path)}.name", None, "the name of the function")
    arguments = function.get("arguments")
    if arguments is None:
        arguments = {}
    if isinstance(arguments, str):
        arguments = _text(arguments, (*path, "arguments"), tracked=tracked)
    elif not isinstance(arguments, Mapping):
        wrong(f"{spell(path)}.arguments", arguments, "a mapping, or its JSON text")
    return Call(name, arguments, _text_or_none(raw.get("id"), (*where, "id"), tracked=tracked), path, raw)


def _text(value: Any, where: Path, *, tracked: bool) -> str:
    if not isinstance(value, str):
        wrong(spell(where), value, "text")
    return given(value, where) if tracked else plain_str(value)


def _text_or_none(value: Any, where: Path, *, tracked: bool) -> str | None:
    return None if value is None else _text(value, where, tracked=tracked)


def messages_of_pairs(system: str | None, pairs: Sequence[Any], roles: frozenset[str]) -> list[Raw]:
    """Return the `(role, text)` pairs of a conversation as messages, after the system text.

    What is refused is numbered as the caller numbers the pairs.
    """
    messages: list[Raw] = []
    if system is not None:
        if not isinstance(system, str):
            wrong("system_message", system, "text")
        messages.append({"role": "system", "content": system})
    for index, pair in enumerate(pairs):
        if not (type(pair) is list and [*map(type, pair)] == [str, str] and pair[0] in roles):
            _check_pair(f"messages[{index}]", pair, roles)
        messages.append({"role": pair[0], "content": pair[1]})
    return messages


def _check_pair(where: str, pair: Any, roles: frozenset[str]) -> None:
    if not isinstance(pair, list | tuple) or len(pair) != 2:
        wrong(where, pair, "a role and a text\n  try: append_message(role, text)")
    role, content = pair
    if not isinstance(role, str) or role not in roles:
        _unknown_role(where, role, roles)
    if not isinstance(content, str | list | tuple):
        last = "; only the last one, from the assistant, may be None, to ask for an answer" if content is None else ""
        wrong(f"the text of {where}", content, f"text{last}")


def _unknown_role(where: str, role: object, roles: frozenset[str]) -> Never:
    said = f"is {saferepr(role)}, which this template does not know" if role is not None else "is missing"
    raise MessageError(f"the role of {where} {said}\n  known: {', '.join(sorted(roles))}")
