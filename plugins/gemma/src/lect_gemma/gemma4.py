"""Gemma 4: thoughts in a channel, calls and their results inside the model's turn."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from lect.plugin import Chat, Message, Template, Writer, stripped
from lect.plugin.grammar import CallSyntax, Grammar, Head, Literals, Reasoning, ReplyFormat, Section
from lect_gemma import media
from lect_gemma.gemma3 import speaker
from lect_gemma.schema import Notation

# Some checkpoints put a namespace before the name.
CALL_NAME = r"\s*call:(?:default_api:)?(?P<name>[^\s:{}]+)\s*"
CALL_WITHOUT_MARKS = r"call:[\w.]+\{"
# They fall back on Python's syntax.
IN_BRACKETS = CallSyntax(Literals(), head=Head(("(",), CALL_NAME), foreign=True)
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

EMPTY_THOUGHT = "<|channel>thought\n<channel|>"
LATEST = "2026-07-09"
FIRST = "gemma-4-2026-04-01"
REVISIONS = {"2026-04-10": "2026-04-10", "2026-04": "2026-04-29", "905e84b": "905e84b"}
"""How names of earlier revisions end, and when each was first seen in public; of the last, only its commit is known."""
MEDIA = {"image": "<|image|>", "audio": "<|audio|>", "video": "<|video|>"}
MARKERS = (
    "<bos>", "<eos>", "<|turn>", "<turn|>", "<|think|>", "<|channel>", "<channel|>", "<|tool>", "<tool|>",
    "<|tool_call>", "<tool_call|>", "<|tool_response>", "<tool_response|>", '<|"|>', "<|image|>", "<|audio|>",
    "<|video|>",
)  # fmt: skip


def without_thoughts(text: str) -> list[str]:
    """Return a text without the contents of channels."""
    return stripped(part.split("<|channel>")[0] for part in text.split("<channel|>"))


def write_opening(
    chat: Chat, out: Writer, notation: Notation, *, think: str = "<|think|>\n", reads_parts: bool = True
) -> list[Message]:
    """Write the system turn (whether to think, the system text, the tools); return the messages after it.

    A maker's template that does not read the parts of a system text prints the list.
    """
    out.append(chat.bos)
    messages = chat.messages
    first = messages[0] if messages and messages[0].role in ("system", "developer") else None
    if chat.option("enable_thinking") or chat.tools or first:
        out.append("<|turn>system\n")
        if chat.option("enable_thinking"):
            out.append(think)
        if first:
            out.turn(first)
            if first.parts and not reads_parts:
                out.append(chat.printed(first.raw["content"], "messages", first.index, "content"))
            elif not first.parts:
                out.append(first.content.strip())
            for part in first.parts if reads_parts else ():
                out += part.text.strip(), " "
            out.turn(None)
        for index, tool in enumerate(chat.tools):
            out.append("<|tool>")
            notation.declaration(tool, "tools", index)
            out.append("<tool|>")
        out.append("<turn|>\n")
    return [message for message in messages if message is not first]


def without_results(messages: list[Message]) -> list[Message]:
    """Return who speaks, but no tools: their results are written inside the turns of the model."""
    return [message for message in messages if message.role != "tool"]


def last_question(messages: list[Message]) -> int:
    """Return the index of the last user message; -1 if there is none."""
    return max((message.index for message in messages if message.role == "user"), default=-1)


def write_thought(out: Writer, message: Message, *, shown: bool) -> None:
    """Write the reasoning of a message if it is to be shown."""
    if message.reasoning and shown:
        out += "<|channel>thought\n", message.reasoning, "\n<channel|>"
    else:
        out.by_rule(message.reasoning)


def write_content(out: Writer, message: Message, media: Mapping[str, str] = MEDIA) -> bool:
    """Write the content, and return whether there was any."""
    start = len(out)
    if not message.parts:
        out += without_thoughts(message.content) if message.role == "assistant" else [message.content.strip()]
    for part in message.parts:
        if part.type == "text":
            out += without_thoughts(part.text) if message.role == "assistant" else [part.text.strip()]
        elif part.type in media:
            out.append(media[part.type])
            out.used(*part.path)
    return any(piece.strip() for piece in out[start:])


def write_calls(chat: Chat, out: Writer, notation: Notation, message: Message, *, texts: bool = False) -> None:
    """Write the calls of a message; arguments that are a text, and not JSON, only with `texts`.

    Raises:
        RefusedError: If the arguments are not a mapping.
    """
    for call in message.tool_calls:
        out += "<|tool_call>call:", call.name, "{"
        if not isinstance(call.arguments, str):
            notation.members(call.arguments, *call.path, "arguments")
        elif texts:
            out.append(call.arguments)
        else:
            chat.refuse(f"the arguments of a call of {call.name!r} are text", instead="a mapping, or its JSON text")
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


def write_responses(chat: Chat, out: Writer, notation: Notation, message: Message) -> bool:
    """Write the results that a message has in a field of its own, and return whether there were any."""
    path = ("messages", message.index, "tool_responses")
    within = message.raw.get("tool_responses")
    for index, response in enumerate(chat.expect("mappings", within, *path) if within else ()):
        where = (*path, index)
        name = chat.text(response.get("name") or "unknown", *where, "name")
        write_result(out, notation, name, response.get("response"), *where, "response")
    return bool(within)


def write_results(
    chat: Chat, out: Writer, notation: Notation, message: Message, media: Mapping[str, str] = MEDIA
) -> bool:
    """Write the results that belong to the calls of a message, and return whether there were any."""
    if write_responses(chat, out, notation, message):
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
        for part in result.parts:
            if part.type in media:
                out.append(media[part.type])
                out.used(*part.path)
        found = True
    out.turn(message)
    return found


def gemma4(chat: Chat, out: Writer, *, large: bool) -> None:
    """Write Gemma 4. A `large` model that is not to think is given an empty thought."""
    notation = Notation(chat, out, null=True)
    messages = without_results(write_opening(chat, out, notation))
    asked = last_question(messages)
    called = answered = False
    for position, message in enumerate(out.turns(messages), 1):
        by_model = message.role == "assistant"
        after = messages[position].role if position < len(messages) else None
        if not (by_model and position > 1 and messages[position - 2].role == "assistant"):
            out += "<|turn>", speaker(message), "\n"
        called = bool(message.tool_calls)
        kept = called and chat.option("preserve_thinking")
        write_thought(out, message, shown=message.index > asked or bool(kept))
        write_calls(chat, out, notation, message)
        answered = write_results(chat, out, notation, message)
        content = write_content(out, message)
        # A call that has no result yet leaves the turn open for it; after a result the model continues.
        if called and not answered:
            out.append("<|tool_response>")
        elif not (by_model and after == "assistant") and (content or after or not answered):
            out.append("<turn|>\n")
    if chat.add_generation_prompt and not called and not answered:
        out.append("<|turn>model\n")
        if large and not chat.option("enable_thinking"):
            out.append(EMPTY_THOUGHT)
    elif chat.add_generation_prompt and answered and chat.option("enable_thinking"):
        out.append("<|channel>thought\n")


def revisions(name: str) -> dict[str, str]:
    """Return the revisions of a template with their dates; the first is the same for small and large models."""
    return {FIRST: "2026-04-01"} | {f"{name}-{each}": date for each, date in REVISIONS.items()} | {name: LATEST}


GEMMA4 = Template(
    "gemma-4",
    partial(gemma4, large=False),
    roles=["system", "developer", "user", "assistant", "tool"],
    bos="<bos>",
    capabilities=["system", "tools", "parallel_tools", "reasoning", "images", "audio", "video"],
    options={"enable_thinking": bool, "preserve_thinking": bool},
    accepts=["parts"],
    stop={"<turn|>": 106, "<|tool_response>": 50, "<eos>": 1},
    markers=MARKERS,
    reply=GEMMA4_CALLS.grammar,
    media=media.GEMMA4,
    source=f"google/gemma-4-E2B-it, chat_template.jinja of {LATEST}",
    revisions=revisions("gemma-4"),
)
GEMMA4_LARGE = GEMMA4.but(
    name="gemma-4-31b",
    program=partial(gemma4, large=True),
    media=media.GEMMA4_LARGE,
    source=f"google/gemma-4-31B-it, chat_template.jinja of {LATEST}",
    revisions=revisions("gemma-4-31b"),
)
