"""Gemma 4: thoughts in a channel, calls and their results inside the model's turn."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from lect.plugin import Chat, Message, Template, Writer, stripped
from lect.plugin.grammar import CallSyntax, Grammar, Head, Literals, Reasoning, ReplyFormat, Section
from lect_gemma.gemma3 import speaker
from lect_gemma.schema import Notation

# Some checkpoints put a namespace before the name.
CALL_NAME = r"\s*call:(?:default_api:)?(?P<name>[^\s:{}]+)\s*"
CALL_WITHOUT_MARKS = r"call:[\w.]+\{"
# They fall back on Python's syntax.
IN_BRACKETS = CallSyntax(Literals(), head=Head(("(",), CALL_NAME))
GEMMA4_CALLS = ReplyFormat(
    Grammar(
        "gemma4",
        reasoning=Reasoning(
            ("<|channel>thought\n", "<|channel>thought", "<|channel>"), ("<channel|>",), trail="\n", special=True
        ),
        sections=(
            Section(
                (
                    CallSyntax(Literals(":", "}", ('<|"|>',), bare=True), head=Head(("{",), CALL_NAME)),
                    IN_BRACKETS,
                ),
                ("<|tool_call>",),
                ("<tool_call|>",),
                gap="\n",
                special=True,
            ),
        ),
        stripped=CALL_WITHOUT_MARKS,
    ),
    stop=("<turn|>", "<|tool_response>", "<eos>"),
    names="Gemma 4",
    example='<|channel>thought\nLook.<channel|><|tool_call>call:get_weather{city:<|"|>Paris<|"|>}<tool_call|>',
)
FUNCTIONGEMMA = ReplyFormat(
    Grammar(
        "functiongemma",
        sections=(
            Section(
                (
                    CallSyntax(Literals(":", "}", ("<escape>",), bare=True), head=Head(("{",), CALL_NAME)),
                    IN_BRACKETS,
                ),
                ("<start_function_call>",),
                ("<end_function_call>",),
                special=True,
            ),
        ),
        stripped=CALL_WITHOUT_MARKS,
    ),
    stop=("<end_of_turn>", "<start_function_response>", "<eos>"),
    names="FunctionGemma",
    example="<start_function_call>call:get_weather{city:<escape>Paris<escape>}<end_function_call>",
)

MEDIA = {"image": "<|image|>", "audio": "<|audio|>", "video": "<|video|>"}
MARKERS = (
    "<bos>", "<eos>", "<|turn>", "<turn|>", "<|think|>", "<|channel>", "<channel|>", "<|tool>", "<tool|>",
    "<|tool_call>", "<tool_call|>", "<|tool_response>", "<tool_response|>", '<|"|>', *MEDIA.values(),
)  # fmt: skip


def without_thoughts(text: str) -> list[str]:
    """Return a text without the contents of channels."""
    return stripped(part.split("<|channel>")[0] for part in text.split("<channel|>"))


def write_system(chat: Chat, out: Writer, notation: Notation, first: Message | None, *, large: bool) -> None:
    """Write the system turn: whether to think, the system text, the tools."""
    out.append("<|turn>system\n")
    if chat.option("enable_thinking"):
        out.append("<|think|>\n")
    if first:
        out.turn(first)
        if large or not first.parts:
            out.append(chat.content(first).strip())
        else:
            for part in first.parts:
                out += part.text.strip(), " "
        out.turn(None)
    for index, tool in enumerate(chat.tools):
        out.append("<|tool>")
        notation.declaration(tool, "tools", index)
        out.append("<tool|>")
    out.append("<turn|>\n")


def write_content(out: Writer, message: Message) -> tuple[bool, bool]:
    """Write the content, and return whether there was any, and whether any of it was a medium."""
    start = len(out)
    media = False
    if not message.parts:
        out += without_thoughts(message.content) if message.role == "assistant" else [message.content.strip()]
    for part in message.parts:
        if part.type == "text":
            out += without_thoughts(part.text) if message.role == "assistant" else [part.text.strip()]
        elif part.type in MEDIA:
            out.append(MEDIA[part.type])
            out.used(*part.path)
            media = True
    return any(piece.strip() for piece in out[start:]), media


def write_calls(out: Writer, notation: Notation, message: Message) -> None:
    """Write the calls of a message."""
    for call in message.tool_calls:
        out += "<|tool_call>call:", call.name, "{"
        if isinstance(call.arguments, str):
            out.append(call.arguments)
        else:
            notation.members(call.arguments, *call.path, "arguments")
        out.append("}<tool_call|>")


def write_result(out: Writer, notation: Notation, name: str, response: Any, *path: str | int) -> None:
    """Write the result of a tool: its fields, or one value."""
    out += "<|tool_response>response:", name, "{"
    if isinstance(response, Mapping):
        notation.members(response, *path)
    else:
        out.append("value:")
        notation.value(response, *path)
    out.append("}<tool_response|>")


def write_results(chat: Chat, out: Writer, notation: Notation, message: Message) -> bool:
    """Write the results that belong to the calls of a message, and return whether there were any."""
    within = message.raw.get("tool_responses")
    if within:
        path = ("messages", message.index, "tool_responses")
        for index, response in enumerate(chat.expect("mappings", within, *path)):
            where = (*path, index)
            name = chat.text(response.get("name", "unknown"), *where, "name")
            write_result(out, notation, name, response.get("response"), *where, "response")
        return True
    if not message.tool_calls:
        return False
    found = False
    called = {call.id: call.name for call in message.tool_calls}
    for index in range(message.index + 1, len(chat.messages)):
        result = chat.messages[index]
        if result.role != "tool":
            break
        out.turn(result)
        # A result has the name of the call that it answers, or else its own.
        name = called.get(result.raw.get("tool_call_id")) or result.name or "unknown"
        content = result.content if result.parts else result.raw.get("content")
        write_result(out, notation, name, content, "messages", result.index, "content")
        found = True
    out.turn(message)
    return found


def gemma4(chat: Chat, out: Writer, *, large: bool) -> None:
    """Write Gemma 4. A `large` model that is not to think is given an empty thought."""
    notation = Notation(chat, out, hides=large)
    out.append(chat.bos)
    first = chat.messages[0] if chat.messages and chat.messages[0].role in ("system", "developer") else None
    if chat.option("enable_thinking") or chat.tools or first:
        write_system(chat, out, notation, first, large=large)
    messages = chat.messages[1:] if first else chat.messages
    last_question = max((position for position, message in enumerate(messages) if message.role == "user"), default=-1)
    role_before = ""
    waits = False
    for position, message in enumerate(out.turns(messages)):
        if message.role == "tool":
            continue
        if not (message.role == role_before == "assistant"):
            out += "<|turn>", speaker(message), "\n"
        role_before = message.role
        if message.reasoning and position > last_question and message.tool_calls:
            out += "<|channel>thought\n", message.reasoning, "\n<channel|>"
        else:
            out.by_rule(message.reasoning)
        write_calls(out, notation, message)
        results = write_results(chat, out, notation, message)
        content, media = write_content(out, message)
        # A call that has no result yet leaves the turn open for it; after a result the model continues.
        calling = bool(message.tool_calls) and not results and not media
        waits = (calling or results) and not media
        if calling:
            out.append("<|tool_response>")
        elif (message.raw.get("content") if large else content) or not results:
            out.append("<turn|>\n")
    if chat.add_generation_prompt and not waits:
        out.append("<|turn>model\n")
        if large and not chat.option("enable_thinking"):
            out.append("<|channel>thought\n<channel|>")


GEMMA4 = Template(
    "gemma-4",
    partial(gemma4, large=False),
    roles=["system", "developer", "user", "assistant", "tool"],
    bos="<bos>",
    capabilities=["system", "tools", "parallel_tools", "reasoning", "images", "audio", "video"],
    options=["enable_thinking"],
    accepts=["parts"],
    stop={"<turn|>": 106, "<|tool_response>": 50, "<eos>": 1},
    markers=MARKERS,
    looks_for=("<|channel>", "<channel|>"),
    reply=GEMMA4_CALLS.grammar,
    source="google/gemma-4-E2B-it, chat_template.jinja",
)
GEMMA4_LARGE = GEMMA4.but(
    name="gemma-4-31b",
    program=partial(gemma4, large=True),
    source="google/gemma-4-31B-it, chat_template.jinja",
)
