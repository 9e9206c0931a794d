"""Qwen3: thinking that can be switched off, or always on, or absent; and the models that see."""

from collections.abc import Callable

from lect.plugin import Chat, Message, Template, Writer
from lect_qwen.chatml import (
    MARKERS,
    STOP,
    STOP_IDS,
    THINK_MARKERS,
    TOOL_MARKERS,
    VISION_MARKERS,
    Pictures,
    is_question,
    text_only,
    thought_and_answer,
    write_call_as_given,
    write_result,
    write_tools,
)

NO_THOUGHT = "<think>\n\n</think>\n\n"


def write_system(chat: Chat, out: Writer, text: str) -> None:
    """Write the system turn where there is a system text or a tool."""
    out.turn(chat.system)
    if chat.tools:
        out.append("<|im_start|>system\n")
        if chat.system:
            out += text, "\n\n"
        write_tools(chat, out)
    elif chat.system:
        out += "<|im_start|>system\n", text, "<|im_end|>\n"
    out.turn(None)


def write_calls(chat: Chat, out: Writer, message: Message, *, after_text: bool) -> None:
    """Write the calls of a message, each on lines of its own."""
    for index, call in enumerate(message.tool_calls):
        if index or after_text:
            out.append("\n")
        write_call_as_given(chat, out, call)


def last_question(messages: list[tuple[Message, str]]) -> int:
    """Return where the last question of the user's stands; thoughts before it are no longer of interest."""
    questions = [
        at
        for at, (message, text) in enumerate(messages)
        if isinstance(message.raw.get("content"), str) and is_question(message, text)
    ]
    return questions[-1] if questions else len(messages) - 1


def thinking(chat: Chat, out: Writer, text_of: Callable[[Message], str]) -> None:
    """Write the turns of a model that thinks: thoughts are kept only after the last question."""
    write_system(chat, out, text_of(chat.system) if chat.system else "")
    texts = [(message, text_of(message)) for message in chat.messages]
    question = last_question(texts)
    messages = chat.messages
    for position, message in enumerate(out.turns(messages)):
        role = message.role
        content = texts[position][1]
        if role == "user" or (role == "system" and position):
            out += "<|im_start|>", role, "\n", content, "<|im_end|>\n"
        elif role == "assistant":
            thought, content = thought_and_answer(message, content)
            out += "<|im_start|>", role, "\n"
            if position > question and (position + 1 == len(messages) or thought):
                out += "<think>\n", thought.strip("\n"), "\n</think>\n\n", content.lstrip("\n")
            else:
                out.append(content)
                out.by_rule(message.reasoning)
            write_calls(chat, out, message, after_text=bool(content))
            out.append("<|im_end|>\n")
        elif role == "tool":
            write_result(out, messages, position, content)


def qwen3(chat: Chat, out: Writer) -> None:
    """Write Qwen3 as it came out: thinking unless `enable_thinking` is False."""
    thinking(chat, out, chat.shown)
    if chat.add_generation_prompt:
        out.append("<|im_start|>assistant\n")
        if chat.option("enable_thinking") is False:
            out.append(NO_THOUGHT)


def qwen3_text_only(chat: Chat, out: Writer) -> None:
    """Write Qwen3 by its later template, which passes over content in parts instead of failing at it."""
    thinking(chat, out, text_only)
    if chat.add_generation_prompt:
        out.append("<|im_start|>assistant\n")
        if chat.option("enable_thinking") is False:
            out.append(NO_THOUGHT)


def qwen3_thinking(chat: Chat, out: Writer) -> None:
    """Write Qwen3-Thinking-2507: every answer begins with a thought."""
    thinking(chat, out, text_only)
    if chat.add_generation_prompt:
        out.append("<|im_start|>assistant\n<think>\n")


def qwen3_instruct(chat: Chat, out: Writer) -> None:
    """Write Qwen3-Instruct-2507: no thoughts."""
    write_system(chat, out, chat.system.content if chat.system else "")
    messages = chat.messages
    for position, message in enumerate(out.turns(messages)):
        role = message.role
        content = text_only(message)
        if role == "user" or (role == "system" and position):
            out += "<|im_start|>", role, "\n", content, "<|im_end|>\n"
        elif role == "assistant":
            out += "<|im_start|>", role, "\n", content
            write_calls(chat, out, message, after_text=bool(content))
            out.append("<|im_end|>\n")
        elif role == "tool":
            write_result(out, messages, position, content)
    if chat.add_generation_prompt:
        out.append("<|im_start|>assistant\n")


def qwen3_vl(chat: Chat, out: Writer) -> None:
    """Write Qwen3-VL-Instruct: as Qwen3-Instruct-2507, with pictures and films in what users and tools say."""
    write_system(chat, out, chat.system.content if chat.system else "")
    pictures = Pictures(chat)
    messages = chat.messages
    for position, message in enumerate(out.turns(messages)):
        role = message.role
        if role == "user":
            out += "<|im_start|>", role, "\n"
            pictures.write(out, message)
            out.append("<|im_end|>\n")
        elif role == "assistant":
            out += "<|im_start|>", role, "\n", message.content
            write_calls(chat, out, message, after_text=bool(message.content or message.parts))
            out.append("<|im_end|>\n")
        elif role == "tool":
            seen = Writer()
            pictures.write(seen, message)
            write_result(out, messages, position, *seen)
            for part in message.parts:
                out.used(*part.path)
    if chat.add_generation_prompt:
        out.append("<|im_start|>assistant\n")


def _template(
    name: str, program: Callable[[Chat, Writer], None], source: str, *, thinks: bool, switch: bool = False
) -> Template:
    return Template(
        name,
        program,
        roles=["system", "user", "assistant", "tool"],
        capabilities=["system", "tools", "parallel_tools", *(["reasoning"] if thinks else [])],
        options=["enable_thinking"] if switch else [],
        stop=STOP,
        stop_token_ids=STOP_IDS,
        markers=[*MARKERS, *TOOL_MARKERS, *(THINK_MARKERS if thinks else ())],
        looks_for=("</think>", "<tool_response>") if thinks else (),
        reply="hermes_json",
        source=source,
    )


QWEN3 = _template("qwen3", qwen3_text_only, "Qwen/Qwen3-1.7B, tokenizer_config.json", thinks=True, switch=True)
QWEN3_FIRST = _template("qwen3-4b", qwen3, "Qwen/Qwen3-4B, tokenizer_config.json", thinks=True, switch=True)
QWEN3_THINKING = _template(
    "qwen3-thinking", qwen3_thinking, "Qwen/Qwen3-235B-A22B-Thinking-2507, tokenizer_config.json", thinks=True
)
QWEN3_INSTRUCT = _template(
    "qwen3-instruct", qwen3_instruct, "Qwen/Qwen3-4B-Instruct-2507, tokenizer_config.json", thinks=False
)
QWEN3_VL = Template(
    "qwen3-vl",
    qwen3_vl,
    roles=["system", "user", "assistant", "tool"],
    capabilities=["system", "tools", "parallel_tools", "images", "video"],
    options=["add_vision_id"],
    stop=STOP,
    stop_token_ids=STOP_IDS,
    markers=[*MARKERS, *TOOL_MARKERS, *VISION_MARKERS],
    looks_for=(),
    reply="hermes_json",
    source="Qwen/Qwen3-VL-4B-Instruct, chat_template.json",
)
