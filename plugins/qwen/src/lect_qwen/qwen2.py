"""Qwen, Qwen1.5, Qwen2, Qwen2.5, the models that see, and QwQ."""

from lect.plugin import Chat, Template, Turn, TurnTemplate, Writer
from lect_qwen.chatml import (
    MARKERS,
    STOP,
    STOP_IDS,
    THINK_MARKERS,
    TOOL_MARKERS,
    VISION_MARKERS,
    Pictures,
    write_call,
    write_result,
    write_tools,
)

ASSISTANT = "You are a helpful assistant."
ASSISTANT_72B = "You are a helpful assistant"
QWEN = "You are Qwen, created by Alibaba Cloud. You are a helpful assistant."

# The first generation. Source: QwenLM/Qwen, `make_context`, which stops at <|im_start|> too.
QWEN1 = TurnTemplate(
    "qwen-7b-chat",
    system=Turn("<|im_start|>system\n", "<|im_end|>\n"),
    user=Turn("<|im_start|>user\n", "<|im_end|>\n"),
    assistant=Turn("<|im_start|>assistant\n", "<|im_end|>\n"),
    default_system=ASSISTANT,
    stop=["<|im_end|>", "<|im_start|>", "<|endoftext|>"],
    stop_token_ids=[151645, 151644, 151643],
    markers=MARKERS,
    reply="react",
    source="QwenLM/Qwen, examples and qwen_generation_utils.py: make_context",
)


def qwen1_5(chat: Chat, out: Writer) -> None:
    """Write Qwen1.5 and Qwen2: every role alike, and a default system text before anything else."""
    if chat.messages and chat.system is None:
        out += "<|im_start|>system\n", ASSISTANT, "<|im_end|>\n"
    for message in out.turns(chat.messages):
        out += "<|im_start|>", message.role, "\n", message.content, "<|im_end|>\n"
    if chat.add_generation_prompt:
        out.append("<|im_start|>assistant\n")


def qwen1_5_72b(chat: Chat, out: Writer) -> None:
    """Write Qwen1.5-72B by the earlier template that its repository kept.

    An answer that ends the conversation stays open.
    """
    messages = chat.messages
    if messages and chat.system is None:
        out += "<|im_start|>system\n", ASSISTANT_72B, "<|im_end|>\n"
    for message in out.turns(messages):
        out += "<|im_start|>", message.role, "\n", message.content
        if message is not messages[-1] or chat.add_generation_prompt:
            out.append("<|im_end|>\n")
    if chat.add_generation_prompt and messages and messages[-1].role != "assistant":
        out.append("<|im_start|>assistant\n")


def qwen2_vl(chat: Chat, out: Writer) -> None:
    """Write Qwen2-VL and Qwen2.5-VL: as Qwen1.5, with pictures and films."""
    pictures = Pictures(chat)
    if chat.messages and chat.system is None:
        out += "<|im_start|>system\n", ASSISTANT, "<|im_end|>\n"
    for message in out.turns(chat.messages):
        out += "<|im_start|>", message.role, "\n"
        pictures.write(out, message)
        out.append("<|im_end|>\n")
    if chat.add_generation_prompt:
        out.append("<|im_start|>assistant\n")


def qwen2_5(chat: Chat, out: Writer) -> None:
    """Write Qwen2.5: tools stand in the system turn, calls in the assistant's, results in the user's."""
    system = chat.system
    out.turn(system)
    out += "<|im_start|>system\n", system.content if system else QWEN
    if chat.tools:
        out.append("\n\n")
        write_tools(chat, out)
    else:
        out.append("<|im_end|>\n")
    out.turn(None)
    messages = chat.messages[1:] if system else chat.messages
    for position, message in enumerate(out.turns(messages)):
        role = message.role
        if role == "tool":
            write_result(out, messages, position, chat.shown(message))
        elif role == "assistant" and message.tool_calls:
            out += "<|im_start|>", role
            if message.content:
                out += "\n", message.content
            for call in message.tool_calls:
                out.append("\n")
                write_call(chat, out, call)
            out.append("<|im_end|>\n")
        elif role in ("user", "assistant", "system"):
            out += "<|im_start|>", role, "\n", message.content, "<|im_end|>\n"
    if chat.add_generation_prompt:
        out.append("<|im_start|>assistant\n")


def qwq(chat: Chat, out: Writer) -> None:
    """Write QwQ: as Qwen2.5 without a default system text.

    Thoughts are dropped from all answers but the last, and every answer begins with one.
    """
    system = chat.system
    out.turn(system)
    if chat.tools:
        out += "<|im_start|>system\n", system.content if system else "", "\n\n"
        write_tools(chat, out)
    elif system:
        out += "<|im_start|>system\n", system.content, "<|im_end|>\n"
    out.turn(None)
    messages = chat.messages[1:] if system else chat.messages
    for position, message in enumerate(out.turns(messages)):
        role = message.role
        if role == "tool":
            write_result(out, messages, position, chat.shown(message))
        elif role == "assistant":
            content = (
                message.content if position + 1 == len(messages) else message.content.split("</think>")[-1].lstrip("\n")
            )
            out += "<|im_start|>", role
            if message.content or not message.tool_calls:
                out += "\n", content
            for call in message.tool_calls:
                out.append("\n")
                write_call(chat, out, call)
            out.append("<|im_end|>\n")
        elif role in ("user", "system"):
            out += "<|im_start|>", role, "\n", message.content, "<|im_end|>\n"
    if chat.add_generation_prompt:
        out.append("<|im_start|>assistant\n<think>\n")


QWEN1_5 = Template(
    "qwen1.5",
    qwen1_5,
    default_system=ASSISTANT,
    stop=STOP,
    stop_token_ids=STOP_IDS,
    markers=MARKERS,
    looks_for=(),
    source="Qwen/Qwen1.5-4B-Chat, tokenizer_config.json",
)
QWEN1_5_72B = Template(
    "qwen1.5-72b",
    qwen1_5_72b,
    default_system=ASSISTANT_72B,
    stop=STOP,
    stop_token_ids=STOP_IDS,
    markers=MARKERS,
    looks_for=(),
    source="Qwen/Qwen1.5-72B-Chat, tokenizer_config.json",
)
QWEN2_VL = Template(
    "qwen2-vl",
    qwen2_vl,
    default_system=ASSISTANT,
    capabilities=["system", "images", "video"],
    options=["add_vision_id"],
    stop=STOP,
    stop_token_ids=STOP_IDS,
    markers=[*MARKERS, *VISION_MARKERS],
    looks_for=(),
    source="Qwen/Qwen2.5-VL-7B-Instruct, chat_template.json",
)
QWEN2_5 = Template(
    "qwen2.5",
    qwen2_5,
    default_system=QWEN,
    roles=["system", "user", "assistant", "tool"],
    capabilities=["system", "tools", "parallel_tools"],
    stop=STOP,
    stop_token_ids=STOP_IDS,
    markers=[*MARKERS, *TOOL_MARKERS],
    looks_for=(),
    reply="hermes_json",
    source="Qwen/Qwen2.5-3B-Instruct, tokenizer_config.json",
)
QWQ = Template(
    "qwq",
    qwq,
    roles=["system", "user", "assistant", "tool"],
    capabilities=["system", "tools", "parallel_tools", "reasoning"],
    stop=STOP,
    stop_token_ids=STOP_IDS,
    markers=[*MARKERS, *TOOL_MARKERS, *THINK_MARKERS],
    looks_for=("</think>",),
    reply="hermes_json",
    source="Qwen/QwQ-32B, tokenizer_config.json",
)
