"""Qwen3.5, Qwen3.6 and Qwen3.8: one line of models that think, see and call tools in XML."""

from collections import Counter
from collections.abc import Mapping
from functools import partial

from lect.errors import saferepr
from lect.plugin import Chat, Message, Template, Writer, stripped, thought_and_answer
from lect_qwen import media
from lect_qwen.chatml import (
    QWEN3_MARKERS,
    as_one,
    is_question,
    write_content,
)
from lect_qwen.coder import HOW_TO_CALL, QWEN3_CODER_XML, write_call
from lect_qwen.qwen3 import NO_THOUGHT

EFFORT = {
    "xhigh": (
        "Reasoning effort is set to xhigh. Please think carefully through the task, validate key assumptions, consider "
        "plausible alternatives, and prioritize correctness, consistency, and clarity in the final answer."
    ),
    "medium": "",
    "low": (
        "Reasoning effort is set to low. Keep your thinking brief and focused, moving directly to the conclusion "
        "without unnecessary elaboration."
    ),
}


def content_of(chat: Chat, out: Writer, message: Message, count: Counter[str], *, sees: bool) -> list[str]:
    """Return the content of a message in pieces, stripped at both ends; `sees` allows images and videos.

    Raises:
        RefusedError: If the format does not support a part, or a system message has anything but text.
    """
    for part in message.parts:
        if part.type != "text" and not (sees and part.type in ("image", "video")):
            chat.refuse(f"content of type {part.type!r} is not supported", instead="leave it out")
        if message.role == "system" and part.type != "text":
            chat.refuse("a system message cannot hold images or videos", instead="move them into a user message")
        if part.type != "text":
            out.used(*part.path)
    pieces = Writer()
    write_content(chat, pieces, message, count)
    return stripped(pieces)


def effort_of(chat: Chat, *, always: bool) -> str:
    """Return the text that says how hard to think: the option `reasoning_effort`, unless thinking is off.

    With `always`, it cannot be off.

    Raises:
        RefusedError: If the format does not support the effort.
    """
    if always and chat.option("enable_thinking") is False:
        chat.refuse("enable_thinking is False", instead="leave it out: this model always thinks")
    if not always and chat.option("enable_thinking", True) is not True:
        return ""
    effort = chat.option("reasoning_effort", "xhigh", "text")
    if effort not in EFFORT:
        chat.refuse(f"reasoning_effort is {saferepr(effort)}", instead=f"one of {', '.join(EFFORT)}")
    return EFFORT[effort]


def write_system(chat: Chat, out: Writer, *, version: str, text_only: bool) -> None:
    """Write the system turn: how hard to think, the tools, and the system text.

    Before 3.8 even an empty system text has a turn.
    """
    system = chat.system
    effort = effort_of(chat, always=text_only) if version == "3.8" else ""
    text = content_of(chat, out, system, Counter(), sees=not text_only) if system else []
    if not (chat.tools or effort or (text if version == "3.8" else system)):
        return
    out += "<|im_start|>system\n", effort
    if chat.tools:
        out += "\n\n" if effort else "", "# Tools\n\nYou have access to the following functions:\n\n<tools>"
        for index, tool in enumerate(chat.tools):
            out += "\n", chat.json(tool, "tools", index)
        out += "\n</tools>", HOW_TO_CALL
    out.turn(system)
    if text:
        out += "\n\n" if effort or chat.tools else "", *text
    out.append("<|im_end|>\n")
    out.turn(None)


def write(chat: Chat, out: Writer, *, version: str, thinks: bool = True, text_only: bool = False) -> None:
    """Write Qwen3.5 and later; `thinks` says what to do where the option `enable_thinking` is not given.

    The one that is `text_only` always thinks.

    3.6 lets `preserve_thinking` keep the thoughts of earlier turns; 3.8 keeps them unless it is False, no longer looks
    for thoughts inside the content, and can be told how hard to think.
    """
    if not chat.messages:
        chat.refuse("there are no messages", instead="add a user message")
    write_system(chat, out, version=version, text_only=text_only)
    messages = chat.messages
    count: Counter[str] = Counter()
    contents = [content_of(chat, out, message, count, sees=not text_only) for message in messages]
    texts = [as_one(chat, message, pieces) for message, pieces in zip(messages, contents, strict=True)]
    questions = [message.index for message, text in zip(messages, texts, strict=True) if is_question(message, text)]
    if not questions:
        chat.refuse("the conversation has no question from a user", instead="add a user message")
    keep = version != "3.5" and chat.option("preserve_thinking", version == "3.8") is True
    for position, message in enumerate(out.turns(messages)):
        role = message.role
        content = contents[position]
        if role == "user":
            out += "<|im_start|>", role, "\n", *content, "<|im_end|>\n"
        elif role == "assistant":
            thought = message.reasoning or ""
            if version != "3.8" and "</think>" in texts[position]:
                thought, answer = thought_and_answer(message, texts[position])
                content = [answer]
            out += "<|im_start|>", role, "\n"
            if keep or position > questions[-1]:
                out += "<think>\n", thought.strip(), "\n</think>\n\n", *content
            else:
                out += content
                out.by_rule(message.reasoning)
            for index, call in enumerate(message.tool_calls):
                out.append("\n" if index else "\n\n" if "".join(content).strip() else "")
                write_call(chat, out, call, as_json=(Mapping, list, tuple) if version == "3.5" else object)
            out.append("<|im_end|>\n")
        elif role == "tool":
            if position and chat.begins_run(message):
                out.append("<|im_start|>user")
            out += "\n<tool_response>\n", *content, "\n</tool_response>"
            if chat.ends_run(message):
                out.append("<|im_end|>\n")
        elif role != "system":
            chat.refuse(f"there is no turn for the role {role!r}", instead="system, user, assistant or tool")
        elif position:
            chat.refuse("the system message must come first", instead="move it to the beginning")
    if chat.add_generation_prompt:
        asked = chat.option("enable_thinking")
        opens = text_only or (asked is not False if thinks else asked is True)
        out += "<|im_start|>assistant\n", "<think>\n" if opens else NO_THOUGHT


QWEN3_5 = Template(
    "qwen3.5",
    partial(write, version="3.5"),
    roles=["system", "user", "assistant", "tool"],
    capabilities=["system", "tools", "parallel_tools", "reasoning", "images", "video"],
    options={"enable_thinking": bool, "add_vision_id": bool},
    accepts=["parts", "null"],
    # The vocabulary is larger than that of Qwen3, and the markers have moved.
    stop={"<|im_end|>": 248046, "<|endoftext|>": 248044},
    markers=[*QWEN3_MARKERS],
    control_tokens=QWEN3_MARKERS,
    reply=QWEN3_CODER_XML.grammar,
    media=media.QWEN3_VL,
    source="Qwen/Qwen3.5-27B, chat_template.jinja",
)
QWEN3_5_SMALL = QWEN3_5.but(
    name="qwen3.5-small",
    program=partial(write, version="3.5", thinks=False),
    source="Qwen/Qwen3.5-0.8B, chat_template.jinja",
)
QWEN3_6 = QWEN3_5.but(
    name="qwen3.6",
    program=partial(write, version="3.6"),
    options={"enable_thinking": bool, "add_vision_id": bool, "preserve_thinking": bool},
    source="Qwen/Qwen3.6-27B, chat_template.jinja",
)
QWEN3_8 = QWEN3_5.but(
    name="qwen3.8",
    program=partial(write, version="3.8"),
    options={"enable_thinking": bool, "add_vision_id": bool, "preserve_thinking": bool, "reasoning_effort": str},
    source="Qwen/Qwen3.8-27B, chat_template.jinja",
)
QWEN3_8_2_4T = QWEN3_8.but(
    name="qwen3.8-2.4t",
    program=partial(write, version="3.8", text_only=True),
    capabilities=["system", "tools", "parallel_tools", "reasoning"],
    options={"enable_thinking": bool, "preserve_thinking": bool, "reasoning_effort": str},
    media={},
    source="Qwen/Qwen3.8-2.4T-A95B, chat_template.jinja, as xinference 4.1.0 has it",
    evidence="second-hand",
)
ORNITH = QWEN3_5.but(
    name="ornith",
    source="ornith-ai/Ornith-1.5-35B-A3B, chat_template.jinja, as xinference 4.1.0 has it",
    evidence="second-hand",
)
NEX_N2 = QWEN3_5.but(
    name="nex-n2",
    source="nex-agi/Nex-N2-mini, chat_template.jinja, as xinference 4.1.0 has it",
    evidence="second-hand",
)
