"""Qwen3.5, Qwen3.6 and Qwen3.8: one line of models that think, see and call tools in XML."""

from collections.abc import Sequence
from functools import partial

from lect.plugin import Chat, Message, Template, Writer, stripped
from lect_qwen.chatml import (
    MARKERS,
    STOP,
    THINK_MARKERS,
    TOOL_MARKERS,
    VISION_MARKERS,
    Pictures,
    is_question,
    thought_and_answer,
)
from lect_qwen.coder import HOW_TO_CALL, write_call
from lect_qwen.qwen3 import NO_THOUGHT

# The vocabulary is larger than that of Qwen3, and the markers have moved.
STOP_IDS = (248046, 248044)
BEFORE_TOOLS = "# Tools\n\nYou have access to the following functions:\n\n<tools>"
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


def content_of(chat: Chat, out: Writer, pictures: Pictures, message: Message) -> list[str]:
    """Return the content of a message in pieces, stripped at both ends.

    Raises:
        RefusedError: If there is a part that these models have no word for, or a picture where the system speaks.
    """
    pieces = Writer()
    for part in message.parts:
        if part.type not in ("text", "image", "image_url", "video"):
            chat.refuse(f"content of type {part.type!r} is not supported", instead="leave it out")
        if message.role == "system" and part.type != "text":
            chat.refuse("a system message cannot hold images or videos", instead="move them into a user message")
        if part.type != "text":
            out.used(*part.path)
    pictures.write(pieces, message)
    return stripped(pieces)


def write_system(chat: Chat, out: Writer, effort: str) -> None:
    """Write the system turn: how hard to think, the tools, and the system text."""
    system = chat.system
    text = content_of(chat, out, Pictures(chat), system) if system else []
    if not (chat.tools or effort or system):
        return
    out.append("<|im_start|>system\n")
    if effort:
        out.append(effort)
    if chat.tools:
        out += "\n\n" if effort else "", BEFORE_TOOLS
        for index, tool in enumerate(chat.tools):
            out += "\n", chat.json(tool, "tools", index)
        out += "\n</tools>", HOW_TO_CALL
    out.turn(system)
    if text:
        out += "\n\n" if effort or chat.tools else "", *text
    out.append("<|im_end|>\n")
    out.turn(None)


def last_question(chat: Chat, contents: Sequence[Sequence[str]]) -> int:
    """Return where the user's last question stands.

    Raises:
        RefusedError: If there is none.
    """
    questions = [message.index for message in chat.messages if is_question(message, "".join(contents[message.index]))]
    if not questions:
        chat.refuse("there is no question of a user's in the conversation", instead="add a user message")
    return questions[-1]


def effort_of(chat: Chat) -> str:
    """Return the words that say how hard to think: the option `reasoning_effort`, unless thinking is off.

    Raises:
        RefusedError: If there are no words for the effort.
    """
    if chat.option("enable_thinking", True) is not True:
        return ""
    effort = chat.option("reasoning_effort", "xhigh")
    if effort not in EFFORT:
        chat.refuse(f"reasoning_effort is {effort!r}", instead=f"one of {', '.join(EFFORT)}")
    return EFFORT[effort]


def write(chat: Chat, out: Writer, *, version: str) -> None:
    """Write Qwen3.5 and what came after it.

    3.6 lets `preserve_thinking` keep the thoughts of earlier turns; 3.8 keeps them unless it is False, no longer looks
    for thoughts inside the content, and can be told how hard to think.
    """
    if not chat.messages:
        chat.refuse("there are no messages", instead="add a user message")
    write_system(chat, out, effort_of(chat) if version == "3.8" else "")
    pictures = Pictures(chat)
    contents = [content_of(chat, out, pictures, message) for message in chat.messages]
    question = last_question(chat, contents)
    keep = {
        "3.5": False,
        "3.6": chat.option("preserve_thinking") is True,
        "3.8": chat.option("preserve_thinking", True) is True,
    }[version]
    messages = chat.messages
    for position, message in enumerate(out.turns(messages)):
        role = message.role
        content = contents[position]
        if role == "user":
            out += "<|im_start|>", role, "\n", *content, "<|im_end|>\n"
        elif role == "assistant":
            thought = message.reasoning or ""
            if version != "3.8" and len(content) == 1:
                thought, answer = thought_and_answer(message, content[0])
                content = [answer]
            out += "<|im_start|>", role, "\n"
            if keep or position > question:
                out += "<think>\n", thought.strip(), "\n</think>\n\n", *content
            else:
                out += content
                out.by_rule(message.reasoning)
            for index, call in enumerate(message.tool_calls):
                out.append("\n" if index else "\n\n" if "".join(content).strip() else "")
                write_call(chat, out, call, lists_as_json=True, rest_as_json=version != "3.5")
            out.append("<|im_end|>\n")
        elif role == "tool":
            if position and messages[position - 1].role != "tool":
                out.append("<|im_start|>user")
            out += "\n<tool_response>\n", *content, "\n</tool_response>"
            if position + 1 == len(messages) or messages[position + 1].role != "tool":
                out.append("<|im_end|>\n")
        elif role != "system":
            chat.refuse(f"there are no words for the role {role!r}", instead="system, user, assistant or tool")
        elif position:
            chat.refuse("the system message must come first", instead="move it to the beginning")
    if chat.add_generation_prompt:
        out += "<|im_start|>assistant\n", NO_THOUGHT if chat.option("enable_thinking") is False else "<think>\n"


def _template(version: str, source: str, *options: str) -> Template:
    return Template(
        f"qwen{version}",
        partial(write, version=version),
        roles=["system", "user", "assistant", "tool"],
        capabilities=["system", "tools", "parallel_tools", "reasoning", "images", "video"],
        options=["enable_thinking", "add_vision_id", *options],
        stop=STOP,
        stop_token_ids=STOP_IDS,
        markers=[*MARKERS, *TOOL_MARKERS, *THINK_MARKERS, *VISION_MARKERS],
        # 3.8 does not look for thoughts inside the content.
        looks_for=("<tool_response>",) if version == "3.8" else ("</think>", "<tool_response>"),
        reply="qwen3_coder_xml",
        source=source,
    )


QWEN3_5 = _template("3.5", "Qwen/Qwen3.5-27B, chat_template.jinja")
QWEN3_6 = _template("3.6", "Qwen/Qwen3.6-27B, chat_template.jinja", "preserve_thinking")
QWEN3_8 = _template("3.8", "Qwen/Qwen3.8-27B, chat_template.jinja", "preserve_thinking", "reasoning_effort")
