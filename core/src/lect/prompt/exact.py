"""Messages of exact built-in types, read in one pass: what nearly every client sends.

Comparing an exact type costs a tenth of a check against an abstract class. So messages that consist of dict, list, str,
int, float, bool and None are checked, normalized and bounded here, all at once. What is wrong, of any other type, or
rare, such as content in parts, is left to the general way. What both can read, they read alike.
"""

from collections.abc import Collection
from typing import Any

from lect.prompt.inputs import given
from lect.prompt.limits import LARGEST_INTEGER, SCALARS, Limits
from lect.prompt.message import REASONING_NAMES, Call, FullMessage, tracked_role
from lect.prompt.normalize import located, read_object
from lect.values import Path

TYPED = frozenset({"role", "content", "name", "tool_call_id", "tool_calls", *REASONING_NAMES})
"""The fields of a message that must be text, or calls."""


def read_exact(
    index: int, raw: dict[Any, Any], roles: frozenset[str], accepts: Collection[str], limits: Limits, *, tracked: bool
) -> FullMessage | None:
    """Return a message as `read_messages` does; None if it must be read the general way."""
    message = FullMessage()
    message.index = index
    message.content = ""
    role = None
    reasons = False
    changed: dict[str, Any] = {}
    nulls = []
    calls: list[Any] = []
    for name, value in raw.items():
        kind = type(value)
        if kind is str:
            if name == "content":
                message.content = given(value, ("messages", index, "content")) if tracked else value
            elif name == "role":
                role = value
            elif name == "tool_call_id":
                # Programs read it from `raw`.
                continue
            elif name == "name":
                message.name = given(value, ("messages", index, "name")) if tracked else value
            elif name in REASONING_NAMES:
                reasons = True
            elif name == "tool_calls":
                return None
        elif value is None:
            if name != "content":
                nulls.append(name)
            elif "null" not in accepts:
                changed["content"] = ""
                message.content = given("", ("messages", index, "content")) if tracked else ""
        elif name == "tool_calls" and kind is list and value:
            calls = value
        elif name in TYPED or not _is_scalar(value):
            return None
    if role is None or role not in roles:
        return None
    message.role = tracked_role(role, index) if tracked else role
    if reasons:
        name, value = next((name, raw[name]) for name in REASONING_NAMES if raw.get(name) is not None)
        message.reasoning = given(value, ("messages", index, name)) if tracked else value
    if calls:
        read = _read_calls(calls, ("messages", index, "tool_calls"), accepts, limits, tracked=tracked)
        if read is None:
            return None
        message.tool_calls = read
        # Programs read calls from `tool_calls`, and some write them as they were given.
        right = [call.raw for call in read]
        if right != calls:
            changed["tool_calls"] = right
    if changed or nulls:
        raw = {**raw, **changed}
        for name in nulls:
            del raw[name]
    message.raw = raw
    return message


def _read_calls(
    calls: list[Any], where: Path, accepts: Collection[str], limits: Limits, *, tracked: bool
) -> tuple[Call, ...] | None:
    read = []
    make = tuple.__new__
    for index, raw in enumerate(calls):
        function = raw.get("function") if type(raw) is dict else None
        if type(function) is not dict:
            return None
        value, name, call_id = function.get("arguments"), function.get("name"), raw.get("id")
        if type(name) is not str or not (call_id is None or type(call_id) is str):
            return None
        # Most calls have these three fields, and their functions these two.
        if len(raw) > 3 or type(raw.get("type")) is not str or len(function) > 2:
            others = [*raw.values(), *function.values()]
            if not all(each is function or each is value or _is_scalar(each) for each in others):
                return None
        path = (*where, index, "function")
        arguments = _read_arguments(value, path, accepts, limits, tracked=tracked)
        if arguments is None:
            return None
        is_read = type(arguments) is dict and arguments is not value
        if is_read and "arguments" in function and "argument_text" not in accepts:
            raw = {**raw, "function": {**function, "arguments": arguments}}
        if tracked:
            name = given(name, (*path, "name"))
            call_id = call_id if call_id is None else given(call_id, (*where, index, "id"))
        read.append(make(Call, (name, arguments, call_id, path, raw)))
    return tuple(read)


def _read_arguments(
    value: Any, path: Path, accepts: Collection[str], limits: Limits, *, tracked: bool
) -> dict[str, Any] | str | None:
    """Return the arguments of the function at `path`; None if they must be read the general way."""
    arguments: dict[str, Any] | None = None
    if type(value) is dict:
        arguments = value
    elif type(value) is str:
        if "argument_text" not in accepts:
            arguments = read_object(value) if value else {}
        if arguments is None:
            return given(value, (*path, "arguments")) if tracked else value
    else:
        return {} if value is None else None
    for key, each in arguments.items():
        if type(key) is not str or (type(each) not in SCALARS and not _is_scalar(each)):
            limits.check_value(arguments, (*path, "arguments"))
            break
    if tracked and arguments is not value:
        where = (*path, "arguments")
        return {located(key, where): located(each, where) for key, each in arguments.items()}
    return arguments


def _is_scalar(value: Any) -> bool:
    return type(value) in SCALARS or (type(value) is int and value.bit_length() <= LARGEST_INTEGER)
