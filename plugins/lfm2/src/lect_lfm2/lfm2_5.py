"""LFM2.5: tools without markers, and thoughts that are dropped from earlier answers."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from lect.plugin import Chat, Message, Writer, stripped
from lect_lfm2.lfm2 import LFM2, argument, write_calls, write_system

CONTINUED = "CONTINUE_FINAL_MESSAGE_TAG "
"""The text by which transformers finds where a last answer is to be continued."""
MARKERS = {**LFM2.markers, "<think>": None, "</think>": None, "<image>": None}


REVISIONS = {"lfm2.5-2026-03": "2026-03-31", "lfm2.5": "2026-07"}
"""Those of LFM2.5-1.2B-Instruct."""


def content_of(chat: Chat, message: Message) -> list[str]:
    """Return the content in pieces: its text, or its parts in order, those that are neither text nor image as JSON."""
    if not message.parts:
        return [message.content]
    return [
        part.text if part.type == "text" else "<image>" if part.type == "image" else chat.json(part.raw, *part.path)
        for part in message.parts
    ]


def after_thought(pieces: list[str]) -> list[str]:
    """Return what follows the last thought in the pieces of a text; all of them where there is none."""
    ends = [index for index, piece in enumerate(pieces) if "</think>" in piece]
    if not ends:
        return pieces
    return stripped([pieces[ends[-1]].rpartition("</think>")[2], *pieces[ends[-1] + 1 :]])


def written_content(chat: Chat, out: Writer, message: Message, *, thoughts: bool) -> list[str]:
    """Return the content of a message in pieces, with or without its `thoughts`, and mark its images as used."""
    for part in message.parts:
        if part.type == "image":
            out.used(*part.path)
    content = content_of(chat, message)
    return content if thoughts else after_thought(content)


def quoted(chat: Chat, value: Any, *where: str | int, quote: str) -> tuple[str, ...]:
    """Return an argument: a text in quotes, unescaped, a mapping as JSON, anything else as Python prints it."""
    if isinstance(value, str):
        return quote, chat.text(value, *where), quote
    return (chat.json(value, *where) if isinstance(value, Mapping) else chat.printed(value, *where),)


def write_answer(chat: Chat, out: Writer, message: Message, content: list[str], *, edition: int) -> None:
    """Write the text and the calls of an answer; later editions write the mark of a text to be continued last."""
    *earlier, last = content or [""]
    marked = edition == 4 or (edition > 1 and message.tool_calls)
    mark = last[-len(CONTINUED) :] if marked and last.endswith(CONTINUED) else ""
    out += *earlier, last.removesuffix(CONTINUED) if mark else last
    if message.tool_calls:
        write_calls(chat, out, message.tool_calls, argument if edition == 4 else partial(quoted, quote="'"))
    out.append(mark)


def lfm2_5(chat: Chat, out: Writer, *, edition: int) -> None:
    """Write LFM2.5: thoughts are kept only after the last question unless `preserve_thinking` is true.

    There are four editions of this template. The second writes the mark of an answer to be continued after
    its calls, the third leaves out empty thoughts, and the fourth escapes texts in the arguments of calls.
    """
    write_system(chat, out, content_of(chat, chat.system) if chat.system else [])
    messages = chat.without_system
    question = max((message.index for message in messages if message.role == "user"), default=-1)
    for message in out.turns(messages):
        out += "<|im_start|>", message.role, "\n"
        thoughts = message.role != "assistant" or message.index > question or bool(chat.option("preserve_thinking"))
        thought = message.reasoning or None if edition > 2 else message.reasoning
        if message.role == "assistant" and thought is not None and thoughts:
            out += "<think>", thought, "</think>"
        else:
            out.by_rule(message.reasoning)
        content = written_content(chat, out, message, thoughts=thoughts)
        if message.role == "assistant":
            write_answer(chat, out, message, content, edition=edition)
        else:
            out += content
        out.append("<|im_end|>\n")
    if chat.add_generation_prompt:
        out.append("<|im_start|>assistant\n")


def lfm2_5_first(chat: Chat, out: Writer) -> None:
    """Write the first LFM2.5, which has no place for calls: only the last answer keeps its thought.

    The option `keep_past_thinking` keeps all.
    """
    write_system(chat, out, [chat.system.content] if chat.system else [])
    messages = chat.without_system
    last_answer = max((message.index for message in messages if message.role == "assistant"), default=-1)
    for message in out.turns(messages):
        content = [message.content]
        if message.role == "assistant" and message.index != last_answer and not chat.option("keep_past_thinking"):
            content = after_thought(content)
        out += "<|im_start|>", message.role, "\n", *content, "<|im_end|>\n"
    if chat.add_generation_prompt:
        out.append("<|im_start|>assistant\n")


def lfm2_5_vl_450m(chat: Chat, out: Writer) -> None:
    """Write LFM2.5-VL-450M: calls come before the text of an answer, and only the last answer keeps its thought.

    The option `keep_past_thinking` keeps all.
    """
    system = content_of(chat, chat.system) if chat.system else []
    out.append(chat.bos)
    if chat.tools or any(system):
        out.append("<|im_start|>system\n")
        out.turn(chat.system)
        out += system
        out.turn(None)
        if chat.tools:
            out += "\n\n" if any(system) else "", "Today's date: ", chat.date().isoformat()
            out += "\n\nList of tools: ", chat.json(chat.tools, "tools")
        out.append("<|im_end|>\n")
    messages = chat.without_system
    last_answer = max((message.index for message in messages if message.role == "assistant"), default=-1)
    for message in out.turns(messages):
        out += "<|im_start|>", message.role, "\n"
        thoughts = message.role != "assistant" or message.index == last_answer or chat.option("keep_past_thinking")
        if message.role == "assistant" and message.reasoning is not None and thoughts:
            out += "<think>", message.reasoning, "</think>"
        else:
            out.by_rule(message.reasoning)
        if message.role == "assistant" and message.tool_calls:
            write_calls(chat, out, message.tool_calls, partial(quoted, quote='"'))
        # The end of a turn belongs to its content.
        if "content" in message.raw:
            out += *written_content(chat, out, message, thoughts=bool(thoughts)), "<|im_end|>\n"
    if chat.add_generation_prompt:
        out.append("<|im_start|>assistant\n")


LFM2_5 = LFM2.but(
    name="lfm2.5",
    program=partial(lfm2_5, edition=1),
    capabilities=["system", "tools", "parallel_tools", "reasoning"],
    options={"preserve_thinking": bool},
    accepts=["parts"],
    markers=MARKERS,
    control_tokens=["<image>", "<think>", "</think>"],
    source="LiquidAI/LFM2.5-1.2B-Instruct, chat_template.jinja, as openvinotoolkit/model_server at 8f0650c has it",
    evidence="second-hand",
    revisions=REVISIONS,
)
LFM2_5_FIRST = LFM2.but(
    name="lfm2.5-2026-03",
    program=lfm2_5_first,
    options={"keep_past_thinking": bool},
    markers=MARKERS,
    control_tokens=["<image>", "<think>", "</think>"],
    source="LiquidAI/LFM2.5-1.2B-Instruct, chat_template.jinja, as ggml-org/llama.cpp has it since 2026-03-31",
    evidence="second-hand",
    revisions=REVISIONS,
)
LFM2_5_8B = LFM2_5.but(
    name="lfm2.5-8b-a1b",
    program=partial(lfm2_5, edition=2),
    source="LiquidAI/LFM2.5-8B-A1B, chat_template.jinja",
    evidence="",
)
LFM2_5_230M = LFM2_5.but(
    name="lfm2.5-230m",
    program=partial(lfm2_5, edition=3),
    source="LiquidAI/LFM2.5-230M, chat_template.jinja, since 13a5383",
    evidence="",
    revisions={"lfm2.5-8b-a1b": "2026-07-23", "lfm2.5-230m": "13a5383"},
)
LFM2_5_VL = LFM2_5.but(
    name="lfm2.5-vl",
    program=partial(lfm2_5, edition=4),
    capabilities=["system", "tools", "parallel_tools", "reasoning", "images"],
    source="LiquidAI/LFM2.5-VL-3B, chat_template.jinja",
    evidence="",
)
LFM2_5_VL_450M = LFM2_5.but(
    name="lfm2.5-vl-450m",
    program=lfm2_5_vl_450m,
    capabilities=LFM2_5_VL.capabilities,
    options={"keep_past_thinking": bool, "date": None},
    source="LiquidAI/LFM2.5-VL-450M, chat_template.jinja",
    evidence="",
)
