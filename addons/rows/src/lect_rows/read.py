"""Reading a row of a data set whole: its messages, and all that it says beside them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from lect import Row
from lect.addon import objects, own_weight
from lect.errors import MaskError, MessageError, saferepr
from lect_rows.media import with_media
from lect_rows.replies import parser, with_parts
from lect_rows.turns import (
    ROW_FIELDS,
    TURNS,
    Raw,
    is_list,
    reader_of,
    recognised,
    refuse,
    said,
    system_of,
    unexpected,
    weigh,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lect_rows.replies import Parse

PAIR = ("chosen", "rejected")
WEIGHTS = ("weights", "weight", "loss_mask")
"""What rows call the weights of their messages, a list of them or one for all answers."""


def row(
    data: Any,
    *,
    format: str | None = None,  # noqa: A002  # the usual name
    row: int | None = None,
    parse_assistant: Any = False,
) -> Row:
    """Read a row of a data set: its messages as OpenAI has them, its tools, weights and preference, and the rest.

    Args:
        data: One row, as an object or as JSON text: OpenAI's `messages`, ShareGPT's `from` and `value`, lists of role
            and text, Alpaca's `instruction`, `input` and `output`, pairs of question and answer, XTuner's
            `conversation`, or TRL's `prompt`, `completion`, `chosen` and `rejected`.
        format: `openai`, `sharegpt`, `turns`, `alpaca`, `pairs`, `xtuner` or `prompt`; by default, the fields decide,
            and lists that all begin with the name of a role are `turns`.
        row: The number of the row, for error messages.
        parse_assistant: How to parse what assistants say, if the row has it as a model writes it, with reasoning and
            calls in tags: a `Template`, a model path, or a name from `lect.reply_formats()`. With True, reasoning is in
            `<think>` and calls are JSON in `<tool_call>`.

    Raises:
        MessageError: If the row has no known format, a field is missing or of a wrong type, or a reply cannot be
            parsed.
    """
    return _read(data, format, row, parser(parse_assistant))[0]


def messages(
    data: Any,
    *,
    format: str | None = None,  # noqa: A002  # the usual name
    row: int | None = None,
    parse_assistant: Any = False,
) -> list[dict[str, Any]]:
    """Convert a row of a data set to OpenAI-shaped messages; the arguments are those of `row`.

    Raises:
        MessageError: If the row has no known format, a field is missing or of a wrong type, or it has what messages do
            not hold: tools, weights, or a preference. `row` reads those too.
    """
    read, is_weighed = _read(data, format, row, parser(parse_assistant))
    beside = {"tools": read.tools, "weights": is_weighed, "chosen": read.chosen, "rejected": read.rejected}
    if held := [name for name, value in beside.items() if value]:
        what = f"{'' if row is None else f'row {row}: '}the row has {' and '.join(held)} beside its messages"
        refuse(what, "lect.row(row), which reads them too")
    return read.messages


def _read(data: Any, name: str | None, row: int | None, parse: Parse | None) -> tuple[Row, bool]:
    """Return a row, and whether it states weights otherwise than in messages of OpenAI's or XTuner's shape."""
    try:
        if isinstance(data, str | bytes | bytearray):
            data = _json(data)
        data = objects.dumped(data)
        name = name or recognised(data)
        found = list(reader_of(name)(data))
        fields: Mapping[str, Any] = data if isinstance(data, Mapping) else {}
        found, *pair = _paired(fields, found)
        if not found:
            refuse("there is no message in it")
        weighed = _weighed(fields, found, *pair)
        found[:0] = [each for each in system_of(fields) if each != found[0]]
        media = with_media(fields, found, pair)
        tools = _tools(fields.get("tools"))
        if parse is not None:
            places = zip(("messages", *PAIR), (found, *pair), strict=True)
            found, *pair = [with_parts(each, place, parse, tools) for place, each in places]
        weights = [own_weight(each, index) for index, each in enumerate(found)]
    except (MessageError, MaskError) as error:
        if row is None and isinstance(error, MessageError):
            raise
        raise MessageError(str(error) if row is None else f"row {row}: {error}") from None
    states = any(weight is not None for weight in weights)
    chosen, rejected = (side or None for side in pair)
    read = Row(
        found, tools, weights if states else None, chosen, rejected, dict(_rest(fields, name, [*weighed, *media]))
    )
    return read, bool(weighed) or (states and name not in ("openai", "xtuner"))


def _json(text: str | bytes | bytearray, at: str = "") -> Any:
    import json

    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        what = f"{at} is {saferepr(text)}, which" if at else saferepr(text)
        refuse(f"{what} is not JSON: {error}", "" if at else "a line of a JSONL file, or its value")


def _paired(row: Mapping[str, Any], found: list[Raw]) -> tuple[list[Raw], list[Raw], list[Raw]]:
    """Return the messages that two answers follow, and the answers.

    Both may repeat what they follow, and in some sets the messages are those of the chosen answer.
    """
    sides = [said(row.get(name), name, "assistant") for name in PAIR]
    answers = [side for side in sides if side]
    if not any(side[0]["role"] != "assistant" for side in answers):
        return found, sides[0], sides[1]
    if not all(any(message in side for side in answers) for message in found):
        if isinstance(row.get("prompt"), str):
            unexpected("prompt", row["prompt"], "the question in chosen and rejected, which have one")
        return found, sides[0], sides[1]
    shared = 0
    while shared < min(map(len, answers)) - 1 and all(side[shared] == answers[0][shared] for side in answers):
        shared += 1
    if not shared:
        refuse("chosen and rejected do not begin with the same messages")
    return answers[0][:shared], sides[0][shared:], sides[1][shared:]


def _weighed(row: Mapping[str, Any], found: list[Raw], *pair: list[Raw]) -> list[str]:
    """Add the weights that a row states beside its messages; return the fields that do."""
    stated = []
    for name in WEIGHTS:
        value = row.get(name)
        if value is None or value == []:
            continue
        if is_list(value) and len(value) != len(found):
            unexpected(name, value, f"one weight for each message, {len(found)}")
        answers = [each for each in (*found, *pair[0], *pair[1]) if each["role"] == "assistant"]
        weights = zip(found, value, strict=True) if is_list(value) else ((answer, value) for answer in answers)
        for message, weight in weights:
            if weight is not None:
                weigh(message, weight, name)
        stated += [name] if is_list(value) or answers else []
    return stated


def _tools(value: Any) -> list[Raw] | None:
    """Read tools: a list, one of them, or the JSON text of either, as many sets store them."""
    if isinstance(value, str):
        value = _json(value, "tools") if value.strip() else None
    tools = [value] if isinstance(value, Mapping) and value else objects.plain_tools(value) or []
    if not is_list(tools):
        unexpected("tools", value, "a list of tools, or its JSON text")
    read = [_json(tool, f"tools[{index}]") if isinstance(tool, str) else tool for index, tool in enumerate(tools)]
    for index, tool in enumerate(read):
        if not isinstance(tool, Mapping):
            unexpected(f"tools[{index}]", tool, "a mapping")
        # A function without the mapping around it, as LLaMA-Factory stores them.
        if "name" in tool and "function" not in tool and tool.get("type") in (None, "function"):
            function = {name: each for name, each in tool.items() if name != "type"}
            read[index] = {"type": "function", "function": function}
    return read or None


def _rest(row: Mapping[str, Any], name: str, used: list[str]) -> Iterator[tuple[str, Any]]:
    """Yield the fields of a row that are not read, and what is left of those that are read in part."""
    by_field = name in ROW_FIELDS and (name != "pairs" or "src" in row)
    read = {*(ROW_FIELDS[name] if by_field else TURNS), *PAIR, *used, "system", "tools"}
    for key, value in row.items():
        if key not in read:
            yield key, value
        elif key == "context":
            others = {each: value[each] for each in value if each != "system"} if isinstance(value, Mapping) else value
            yield from [(key, others)] if others else ()
