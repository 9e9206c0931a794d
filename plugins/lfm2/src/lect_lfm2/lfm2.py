"""LFM2: ChatML with tools between their own markers."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from lect.plugin import Call, Chat, Message, Template, Writer
from lect.plugin.grammar import JSON_OBJECT, PYTHON_CALL, THINK, Grammar, ReplyFormat, Section

LFM2_PYTHONIC = ReplyFormat(
    Grammar(
        "lfm2_pythonic",
        # So the maker's templates of LFM2.5-VL-3B and LFM2.5-8B-A1B have it.
        reasoning=THINK.but(written=("", "</think>")),
        sections=(
            Section(
                (PYTHON_CALL, JSON_OBJECT),
                (("<|tool_call_start|>", "["),),
                (("]", "<|tool_call_end|>"),),
                between=",",
                after="\n",
                special=True,
            ),
            Section((JSON_OBJECT,), ("<|tool_call_start|>",), ("<|tool_call_end|>",), after="\n", special=True),
        ),
    ),
    stop=("<|im_end|>",),
    names="LFM2",
    example='<|tool_call_start|>[get_weather(city="Paris")]<|tool_call_end|>',
    model_types=("lfm2", "lfm2_moe"),
    signs=("<|tool_list_start|>",),
)

MARKERS = {
    "<|pad|>": 0, "<|startoftext|>": 1, "<|endoftext|>": 2, "<|fim_pre|>": 3, "<|fim_mid|>": 4, "<|fim_suf|>": 5,
    "<|im_start|>": 6, "<|im_end|>": 7, "<|tool_list_start|>": 8, "<|tool_list_end|>": 9, "<|tool_call_start|>": 10,
    "<|tool_call_end|>": 11, "<|tool_response_start|>": 12, "<|tool_response_end|>": 13,
}  # fmt: skip


def write_system(chat: Chat, out: Writer, text: Sequence[str], opens: str = "[", closes: str = "]") -> None:
    """Write the bos, and the system turn where there is a text or a tool."""
    out.append(chat.bos)
    has_text = any(text)
    if not (has_text or chat.tools):
        return
    out.append("<|im_start|>system\n")
    out.turn(chat.system)
    out += text
    out.turn(None)
    if chat.tools:
        out += "\n" if has_text else "", "List of tools: ", opens
        for index, tool in enumerate(chat.tools):
            out += ", " if index else "", chat.json(tool, "tools", index)
        out.append(closes)
    out.append("<|im_end|>\n")


def argument(chat: Chat, value: Any, *where: str | int) -> tuple[str, ...]:
    """Return an argument as in Python: a text in single quotes, mappings and lists as JSON."""
    if isinstance(value, str):
        return "'", chat.transformed(value, escaped, *where), "'"
    if isinstance(value, Mapping | list | tuple):
        return (chat.json(value, *where),)
    return (chat.printed(value, *where),)


def escaped(text: str) -> str:
    """Return a text as it is written in single quotes."""
    return text.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n").replace("\r", "\\r")


def write_calls(
    chat: Chat, out: Writer, calls: Sequence[Call], written: Callable[..., tuple[str, ...]] = argument
) -> None:
    """Write calls as a Python list; `written` formats each argument."""
    out.append("<|tool_call_start|>[")
    for index, call in enumerate(calls):
        out += ", " if index else "", call.name, "("
        arguments = [] if call.arguments == "null" else chat.named_arguments(call)
        for number, (name, value, where) in enumerate(arguments):
            out += ", " if number else "", name, "=", *written(chat, value, *where)
        out.append(")")
    out.append("]<|tool_call_end|>")


def write_content(out: Writer, message: Message) -> None:
    """Write the content of a message; a tool's result is between markers."""
    if message.role == "tool":
        out += "<|tool_response_start|>", message.content, "<|tool_response_end|>"
    else:
        out.append(message.content)


def lfm2(chat: Chat, out: Writer) -> None:
    """Write LFM2-8B-A1B, whose answers have no place for calls."""
    write_system(chat, out, [chat.system.content] if chat.system else [], "<|tool_list_start|>[", "]<|tool_list_end|>")
    for message in out.turns(chat.without_system):
        out += "<|im_start|>", message.role, "\n"
        write_content(out, message)
        out.append("<|im_end|>\n")
    if chat.add_generation_prompt:
        out.append("<|im_start|>assistant\n")


def lfm2_calls(chat: Chat, out: Writer) -> None:
    """Write LFM2-1.2B: calls follow the text of an answer."""
    write_system(chat, out, [chat.system.content] if chat.system else [], "<|tool_list_start|>[", "]<|tool_list_end|>")
    for message in out.turns(chat.without_system):
        out += "<|im_start|>", message.role, "\n"
        if message.role == "assistant" and message.tool_calls:
            # The maker's template takes this for the JSON of missing content.
            if message.content != "null":
                out.append(message.content)
            write_calls(chat, out, message.tool_calls)
        else:
            write_content(out, message)
        out.append("<|im_end|>\n")
    if chat.add_generation_prompt:
        out.append("<|im_start|>assistant\n")


LFM2 = Template(
    "lfm2",
    lfm2,
    roles=["system", "user", "assistant", "tool"],
    bos="<|startoftext|>",
    capabilities=["system", "tools"],
    stop={"<|im_end|>": 7},
    markers=MARKERS,
    reply=LFM2_PYTHONIC.grammar,
    source="LiquidAI/LFM2-8B-A1B, chat_template.jinja",
)
LFM2_CALLS = LFM2.but(
    name="lfm2-1.2b",
    program=lfm2_calls,
    capabilities=["system", "tools", "parallel_tools"],
    source="LiquidAI/LFM2-1.2B, chat_template.jinja, since 40f3da0",
    revisions={"lfm2": "2026-07-23", "lfm2-1.2b": "40f3da0"},
)
