"""DeepSeek-V4-Pro-0813 and V4.1-Flash, as the maker's package deepseek-recipe writes them."""

from collections.abc import Mapping, Sequence
from functools import partial

from lect.errors import saferepr
from lect.plugin import Call, Chat, Message, Writer
from lect.plugin.grammar import QUOTED_NAME, CallSyntax, Head, Params, ReplyFormat, Section
from lect_deepseek.dsml import DEEPSEEK_V32_DSML
from lect_deepseek.plain import EOS
from lect_deepseek.v4 import (
    AFTER_TOOLS,
    BEFORE_TOOLS,
    EXHAUSTIVE,
    HIGH,
    LOW,
    MAX,
    RESPONSE_FORMAT,
    SHARES,
    THOROUGH,
    V4,
    VOCABULARY,
    results_in_order,
    write_call,
)

CALLS = Section(
    (
        CallSyntax(
            Params(
                "<｜DSML｜ parameter ",
                Head((">",), r'\s*name="(?P<key>[^"]*)"(?:\s+string="(?P<string>true|false)")?\s*'),
                "</｜DSML｜ parameter>",
            ),
            ("<｜DSML｜ invoke ",),
            Head((">",), QUOTED_NAME),
            ("</｜DSML｜ invoke>",),
        ),
    ),
    ("<｜DSML｜ calls>",),
    ("</｜DSML｜ calls>",),
    before=("\n\n",),
    special=True,
)
DEEPSEEK_V41_DSML = ReplyFormat(
    DEEPSEEK_V32_DSML.grammar.but(name="deepseek_v41_dsml", sections=(CALLS,)),
    stop=(EOS,),
    names="DeepSeek-V4.1",
    example=(
        '<｜DSML｜ calls>\n<｜DSML｜ invoke name="get_weather">\n<｜DSML｜ parameter name="city" string="true">Paris'
        "</｜DSML｜ parameter>\n</｜DSML｜ invoke>\n</｜DSML｜ calls>"
    ),
)

BEFORE_TOOLS_4_1 = BEFORE_TOOLS.replace("tool_calls", "calls").replace("｜DSML｜", "｜DSML｜ ")
EFFORT = "Reasoning Effort: {} (range 1-100, the higher the value, the more thorough the reasoning)\n\n"
EFFORTS = {**dict.fromkeys(HIGH, THOROUGH), **dict.fromkeys(LOW, ""), **dict.fromkeys(MAX, EXHAUSTIVE)}
EFFORTS_4_1 = {
    **dict.fromkeys(HIGH, EFFORT.format(75)),
    **dict.fromkeys(LOW, EFFORT.format(50)),
    **dict.fromkeys(MAX, EFFORT.format(100)),
}
"""What each effort adds; the first is the default."""


def pieces_of(out: Writer, message: Message, *, newer: bool) -> list[str]:
    """Return the content of a message in pieces: its parts, with a blank line between two."""
    pieces = [] if message.parts else [message.content]
    for part in message.parts:
        if part.type == "image":
            pieces += "\n\n" if pieces else "", "<｜image｜>" if newer else "[Unsupported Image]"
            out.used(*part.path)
        elif part.type == "text":
            pieces += "\n\n" if pieces else "", part.text
    return pieces


def write_tools(chat: Chat, out: Writer, before: str) -> None:
    """Write the tools, one JSON object of three keys per line, how to call them, and the format of the answer."""
    if chat.tools:
        out.append(before)
        for index in range(len(chat.tools)):
            function, path = chat.function(index)
            shown = {
                "name": function.get("name"),
                "description": function.get("description") or "",
                "parameters": function.get("parameters") or {},
            }
            out += chat.json(shown, *path), "\n"
        out.append(AFTER_TOOLS)
    if chat.option("response_format"):
        out += RESPONSE_FORMAT, chat.json(chat.options["response_format"], "options", "response_format")


def effort_of(chat: Chat, efforts: Mapping[str, str]) -> str:
    """Return what the effort adds to a prompt with thinking.

    Raises:
        RefusedError: If there is no such effort.
    """
    effort = chat.option("reasoning_effort", kind="text") or next(iter(efforts))
    if effort not in efforts:
        chat.refuse(f"reasoning_effort is {saferepr(effort)}", instead=f"one of {', '.join(efforts)}")
    return efforts[effort]


def as_given(calls: Sequence[Call]) -> Sequence[Call]:
    """Return calls in their order."""
    return calls


def by_id(calls: Sequence[Call]) -> Sequence[Call]:
    """Return calls in the order of their ids."""
    return sorted(calls, key=lambda call: call.id or "")


def write_head(chat: Chat, out: Writer, systems: Sequence[Message], effort: str, *, newer: bool) -> None:
    """Write what precedes the conversation: the effort, system texts, the tools and the format of the answer."""
    out.append(chat.bos)
    if newer and (systems or effort or chat.tools or chat.option("response_format")):
        out.append("<｜System｜>")
    out.append(effort)
    for number, message in enumerate(systems):
        out.turn(message)
        out += "\n\n" if number else "", *pieces_of(out, message, newer=newer)
    out.turn(None)
    write_tools(chat, out, BEFORE_TOOLS_4_1 if newer else BEFORE_TOOLS)


def write_answer(chat: Chat, out: Writer, message: Message, *, keeps: bool, begun: bool, newer: bool) -> None:
    """Write an answer: its thought, if kept, its text and its calls.

    One that is only begun has no end, and no end of its thought if there is no text after it.
    """
    content = pieces_of(out, message, newer=newer)
    out.append("<｜Assistant｜>")
    if keeps:
        out += "<think>", message.reasoning or ""
    else:
        out.by_rule(message.reasoning)
    out += "" if keeps and begun and not any(content) else "</think>", *content
    if message.tool_calls:
        out.append("\n\n<｜DSML｜ calls>\n" if newer else "\n\n<｜DSML｜tool_calls>\n")
        for call in message.tool_calls if newer else by_id(message.tool_calls):
            write_call(chat, out, call, *((" ", "\n") if newer else ("", "")))
        out.append("</｜DSML｜ calls>" if newer else "</｜DSML｜tool_calls>")
    out.append("" if begun else EOS)


def write_question(out: Writer, message: Message, before: Sequence[Message], *, newer: bool) -> None:
    """Write a question or a result; consecutive ones share a turn, with a blank line between two.

    In 0813, an empty question adds none to another question.
    """
    content = pieces_of(out, message, newer=newer)
    if not before:
        out.append("<｜User｜>")
    elif newer or message.role == "tool" or before[-1].role == "tool":
        out.append("\n\n")
    else:
        first = next((at for at, each in enumerate(before) if each.role == "user"), 0)
        out.append("\n\n" if any(content) and any(is_written(each) for each in before[first:]) else "")
    out += (
        "<tool_result>" if message.role == "tool" else "",
        *content,
        "</tool_result>" if message.role == "tool" else "",
    )


def is_written(message: Message) -> bool:
    """Return whether a message has any content."""
    return bool(message.content) or len(message.parts) > 1 or any(part.type == "image" for part in message.parts)


def recipe(chat: Chat, out: Writer, *, version: str) -> None:
    """Write DeepSeek-V4-Pro-0813 and V4.1.

    Thoughts are kept if there are tools; without, only that of an answer that is continued. In 0813 all system texts
    are in front, and calls in the order of their ids; in 4.1 they stay where they are. Empty ones are left out.
    """
    newer = version == "4.1"
    thinks = chat.option("reasoning_effort") != "none"
    thinking = bool(chat.option("thinking", chat.option("enable_thinking", thinks)))
    shown = [each for each in chat.messages if each.role != "system" or is_written(each)]
    first = [each for each in shown[: 1 if newer else None] if each.role == "system"]
    effort = effort_of(chat, EFFORTS_4_1 if newer else EFFORTS) if thinking else ""
    has_head = not newer or bool(shown or chat.tools or chat.option("response_format"))
    write_head(chat, out, first, effort if has_head else "", newer=newer)
    rest = shown[len(first) :] if newer else [each for each in shown if each.role != "system"]
    last = chat.messages[-1] if chat.messages else None
    begun = last is not None and last.role == "assistant" and bool(last.raw.get("prefix"))
    # In 4.1 a conversation that is nothing but the beginning of an answer has no thought.
    opens = begun or not chat.add_generation_prompt
    opens = opens and (not newer or len(shown) > 1)
    earlier: list[Message] = []
    before = ""
    for message in out.turns(results_in_order(rest, as_given if newer else by_id)):
        role, follows = message.role, before == message.role
        before = role
        if role in SHARES:
            write_question(out, message, earlier, newer=newer)
            earlier.append(message)
            continue
        earlier.clear()
        if role == "assistant":
            ends = message is last
            keeps = thinking and (bool(chat.tools) or (ends and opens))
            write_answer(chat, out, message, keeps=keeps, begun=ends and begun, newer=newer)
        elif role == "system":
            out += "<｜System｜>", *pieces_of(out, message, newer=newer)
        elif role == "latest_reminder" and newer and follows:
            # Of consecutive ones, 4.1 has only the first.
            out.by_rule(message.content)
        elif role == "latest_reminder":
            out += "<｜latest_reminder｜>", *pieces_of(out, message, newer=newer)
        else:
            chat.refuse(f"there is no turn for the role {role!r}", instead="system, user, assistant or tool")
    if chat.add_generation_prompt and not begun:
        out += "<｜Assistant｜>", "<think>" if thinking else "</think>"


SHARED = {
    "roles": ["system", "user", "assistant", "tool", "latest_reminder"],
    "options": {"thinking": bool, "enable_thinking": bool, "reasoning_effort": str, "response_format": None},
    "accepts": ["parts"],
    "evidence": "",
}
V4_PRO_0813 = V4.but(
    name="deepseek-v4-pro-0813",
    program=partial(recipe, version="0813"),
    source="deepseek-ai/deepseek-recipe 0.2.0, DeepseekV4Encoding",
    **SHARED,
)
V4_1_FLASH = V4.but(
    name="deepseek-v4.1-flash",
    program=partial(recipe, version="4.1"),
    capabilities=[*V4.capabilities, "images"],
    markers={
        **VOCABULARY, "<｜place▁holder▁no▁{}｜>": range(128000, 128799), "<｜System｜>": 128799,
        # The package writes the token of an image by the first name; the tokenizer has the second.
        "<｜image｜>": 129264, "<｜deepseek_image｜>": 129264, "<tool_result>": None, "</tool_result>": None,
    },
    reply=DEEPSEEK_V41_DSML.grammar,
    source="deepseek-ai/deepseek-recipe 0.2.0, DeepseekV41Encoding",
    **SHARED,
)  # fmt: skip
