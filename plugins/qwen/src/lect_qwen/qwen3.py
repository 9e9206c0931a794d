"""Qwen3: thinking that can be switched off, or always on, or absent; and the vision models."""

from collections import Counter
from collections.abc import Sequence

from lect.plugin import Chat, Message, Template, Writer, thought_and_answer
from lect.plugin.grammar import HERMES_JSON
from lect_qwen import media
from lect_qwen.chatml import (
    QWEN3_MARKERS,
    STOP,
    as_one,
    is_question,
    write_call,
    write_content,
    write_result,
    write_tools,
)

NO_THOUGHT = "<think>\n\n</think>\n\n"


def write_system(chat: Chat, out: Writer, content: Sequence[str] | None = None) -> None:
    """Write the system turn where there is a system text or a tool; `content` is that text in pieces."""
    system = chat.system
    out.turn(system)
    if system and content is None:
        content = [system.content]
    if chat.tools:
        out.append("<|im_start|>system\n")
        if content is not None:
            out += *content, "\n\n"
        write_tools(chat, out)
    elif content is not None:
        out += "<|im_start|>system\n", *content, "<|im_end|>\n"
    out.turn(None)


def write_calls(chat: Chat, out: Writer, message: Message, *, after_text: bool) -> None:
    """Write the calls of a message, each on its own lines."""
    for index, call in enumerate(message.tool_calls):
        if index or after_text:
            out.append("\n")
        write_call(out, call, chat.arguments_as_given(call))


def write_turns(
    chat: Chat, out: Writer, contents: Sequence[list[str]] | None = None, *, questions_in_parts: bool = True
) -> None:
    """Write the turns of a model that thinks: thoughts are kept only after the last question.

    `contents` are the contents of the messages in pieces; by default, their texts.
    """
    messages = chat.messages
    contents = contents or [[message.content] for message in messages]
    questions = [
        message.index
        for message in messages
        if (questions_in_parts or not message.parts)
        and is_question(message, as_one(chat, message, contents[message.index]))
    ]
    question = questions[-1] if questions else len(messages) - 1
    for position, message in enumerate(out.turns(messages)):
        role = message.role
        if role == "user" or (role == "system" and position):
            out += "<|im_start|>", role, "\n", *contents[position], "<|im_end|>\n"
        elif role == "assistant":
            thought, content = thought_and_answer(message, as_one(chat, message, contents[position]))
            out += "<|im_start|>", role, "\n"
            if position > question and (position + 1 == len(messages) or thought):
                out += "<think>\n", thought.strip("\n"), "\n</think>\n\n", content.lstrip("\n")
            else:
                out.append(content)
                out.by_rule(message.reasoning)
            write_calls(chat, out, message, after_text=bool(content))
            out.append("<|im_end|>\n")
        elif role == "tool":
            write_result(chat, out, message, *contents[position])


def qwen3(chat: Chat, out: Writer) -> None:
    """Write Qwen3: thinking unless `enable_thinking` is False."""
    write_system(chat, out)
    write_turns(chat, out)
    if chat.add_generation_prompt:
        out += "<|im_start|>assistant\n", NO_THOUGHT if chat.option("enable_thinking") is False else ""


def qwen3_thinking(chat: Chat, out: Writer) -> None:
    """Write Qwen3-Thinking-2507: every answer begins with a thought."""
    write_system(chat, out)
    write_turns(chat, out)
    if chat.add_generation_prompt:
        out.append("<|im_start|>assistant\n<think>\n")


def qwen3_instruct(chat: Chat, out: Writer) -> None:
    """Write Qwen3-Instruct-2507: no thoughts."""
    write_system(chat, out)
    for position, message in enumerate(out.turns(chat.messages)):
        role = message.role
        content = message.content
        if role == "user" or (role == "system" and position):
            out += "<|im_start|>", role, "\n", content, "<|im_end|>\n"
        elif role == "assistant":
            out += "<|im_start|>", role, "\n", content
            write_calls(chat, out, message, after_text=bool(content))
            out.append("<|im_end|>\n")
        elif role == "tool":
            write_result(chat, out, message, content)
    if chat.add_generation_prompt:
        out.append("<|im_start|>assistant\n")


def qwen3_vl(chat: Chat, out: Writer) -> None:
    """Write Qwen3-VL-Instruct: like Qwen3-Instruct-2507, with images and videos from users and tools."""
    write_system(chat, out)
    count: Counter[str] = Counter()
    for message in out.turns(chat.messages):
        role = message.role
        if role == "user":
            out += "<|im_start|>", role, "\n"
            write_content(chat, out, message, count)
            out.append("<|im_end|>\n")
        elif role == "assistant":
            out += "<|im_start|>", role, "\n", message.content
            write_calls(chat, out, message, after_text=bool(message.content or message.parts))
            out.append("<|im_end|>\n")
        elif role == "tool":
            content = Writer()
            write_content(chat, content, message, count)
            write_result(chat, out, message, *content)
            for part in message.parts:
                out.used(*part.path)
    if chat.add_generation_prompt:
        out.append("<|im_start|>assistant\n")


def pieces_of(chat: Chat, out: Writer, message: Message, count: Counter[str], *, step: int = 1) -> list[str]:
    """Return the content of a message in pieces, including images and videos."""
    pieces = Writer()
    write_content(chat, pieces, message, count, step=step)
    for part in message.parts:
        out.used(*part.path)
    return list(pieces)


def qwen3_vl_thinking(chat: Chat, out: Writer) -> None:
    """Write Qwen3-VL-Thinking: like Qwen3-Thinking-2507, with images and videos from every role."""
    count: Counter[str] = Counter()
    # Images and videos of the system message are counted with those of the other messages, after they are written.
    write_system(chat, out, pieces_of(chat, out, chat.system, count, step=0) if chat.system else None)
    write_turns(chat, out, [pieces_of(chat, out, message, count) for message in chat.messages])
    if chat.add_generation_prompt:
        out.append("<|im_start|>assistant\n<think>\n")


QWEN3 = Template(
    "qwen3",
    qwen3,
    roles=["system", "user", "assistant", "tool"],
    capabilities=["system", "tools", "parallel_tools", "reasoning"],
    options={"enable_thinking": bool},
    stop=STOP,
    markers=QWEN3_MARKERS,
    reply=HERMES_JSON,
    source="Qwen/Qwen3-1.7B, tokenizer_config.json",
)
# The first release. It differs from the later ones only in how it treats content in parts, which it never sees.
QWEN3_FIRST = QWEN3.but(
    name="qwen3-4b",
    source="Qwen/Qwen3-4B, tokenizer_config.json",
)
QWEN3_THINKING = QWEN3.but(
    name="qwen3-thinking",
    program=qwen3_thinking,
    options=[],
    source="Qwen/Qwen3-235B-A22B-Thinking-2507, tokenizer_config.json",
)
QWEN3_INSTRUCT = QWEN3.but(
    name="qwen3-instruct",
    program=qwen3_instruct,
    capabilities=["system", "tools", "parallel_tools"],
    options=[],
    source="Qwen/Qwen3-4B-Instruct-2507, tokenizer_config.json",
)
QWEN3_VL = QWEN3_INSTRUCT.but(
    name="qwen3-vl",
    program=qwen3_vl,
    capabilities=["system", "tools", "parallel_tools", "images", "video"],
    options={"add_vision_id": bool},
    accepts=["parts"],
    media=media.QWEN3_VL,
    source="Qwen/Qwen3-VL-4B-Instruct, chat_template.json",
)
QWEN3_VL_THINKING = QWEN3_THINKING.but(
    name="qwen3-vl-thinking",
    program=qwen3_vl_thinking,
    capabilities=["system", "tools", "parallel_tools", "reasoning", "images", "video"],
    options={"add_vision_id": bool},
    accepts=["parts"],
    media=media.QWEN3_VL,
    source="Qwen/Qwen3-VL-235B-A22B-Thinking, chat_template.json",
)
