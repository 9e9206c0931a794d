"""Step-3.5-Flash: ChatML with calls in XML tags, and thoughts kept only after the last question."""

from collections.abc import Mapping, Sequence
from typing import Any

from lect.plugin import Call, Chat, Message, Template, Writer, think_tags
from lect.plugin.grammar import FUNCTION_TAGS, SPACE, THINK, Grammar, Section

SEEN = ("text", "image")
"""The types of parts that reach the prompt."""

HOW_TO_CALL = (
    "\n</tools>\n\n"
    "If you choose to call a function ONLY reply in the following format with NO suffix:\n\n"
    "<tool_call>\n<function=example_function_name>\n<parameter=example_parameter_1>\nvalue_1\n</parameter>\n"
    "<parameter=example_parameter_2>\nThis is the value for the second parameter\nthat can span\nmultiple lines\n"
    "</parameter>\n</function>\n</tool_call>\n\n"
    "<IMPORTANT>\nReminder:\n"
    "- Function calls MUST follow the specified format: an inner <function=...>\n...\n</function> block must be nested "
    "within <tool_call>\n...\n</tool_call> XML tags\n"
    "- Required parameters MUST be specified\n"
    "</IMPORTANT><|im_end|>\n"
)


def content_of(message: Message) -> list[str]:
    """Return the content in pieces: its text, or its texts and images in order."""
    if not message.parts:
        return [message.content]
    return [part.text if part.type == "text" else "<im_patch>" for part in message.parts if part.type in SEEN]


def write_content(out: Writer, message: Message, content: Sequence[str]) -> None:
    """Write the content of a message, with its images."""
    out += content
    for part in message.parts:
        if part.type == "image":
            out.used(*part.path)


def write_system(chat: Chat, out: Writer) -> None:
    """Write the system turn where there is a system text or a tool."""
    system = chat.system
    if not (system or chat.tools):
        return
    out.append("<|im_start|>system\n")
    if system:
        out.turn(system)
        write_content(out, system, content_of(system))
        out.append("\n\n" if chat.tools else "<|im_end|>\n")
        out.turn(None)
    if chat.tools:
        out.append("# Tools\n\nYou have access to the following functions in JSONSchema format:\n\n<tools>")
        for index, tool in enumerate(chat.tools):
            out += "\n", chat.json(tool, "tools", index)
        out.append(HOW_TO_CALL)


def write_call(chat: Chat, out: Writer, call: Call) -> None:
    """Write a call, with each argument in its own tag.

    Raises:
        RefusedError: If the arguments are not a mapping.
    """
    out += "<tool_call>\n<function=", call.name, ">\n"
    for name, value, where in chat.named_arguments(call):
        out += "<parameter=", name, ">\n", value_of(chat, value, *where), "\n</parameter>\n"
    out.append("</function>\n</tool_call>")


def value_of(chat: Chat, value: Any, *where: str | int) -> str:
    """Return an argument: mappings and lists as JSON, anything else as Python prints it."""
    return chat.json(value, *where) if isinstance(value, Mapping | list | tuple) else chat.text(value, *where)


def is_question(message: Message) -> bool:
    """Return whether a message is a user's own, and not the result of a tool in a user turn."""
    content = "".join(content_of(message))
    return message.role == "user" and not (
        content.startswith("<tool_response>") and content.endswith("</tool_response>")
    )


def write_answer(chat: Chat, out: Writer, message: Message, *, thinks: bool) -> None:
    """Write an answer, with its thought where it `thinks`."""
    thought, content = message.reasoning, content_of(message)
    if thought is None:
        thought = ""
        if "</think>" in message.content:
            thought, answer = think_tags(message.content)
            content = [answer]
    out += "<|im_start|>", message.role, "\n"
    if thinks:
        out += "<think>\n", thought, "\n</think>\n"
    else:
        out.by_rule(message.reasoning)
    write_content(out, message, content)
    for call in message.tool_calls:
        write_call(chat, out, call)
    out.append("<|im_end|>\n")


def step3_5(chat: Chat, out: Writer) -> None:
    """Write Step-3.5-Flash. Consecutive tool results share one turn."""
    out.append(chat.bos)
    write_system(chat, out)
    messages = chat.messages
    questions = [message.index for message in messages if is_question(message)]
    question = questions[-1] if questions else len(messages) - 1
    for position, message in enumerate(out.turns(messages)):
        role = message.role
        if role == "user" or (role == "system" and position):
            observes = role == "system" and message.name == "observation"
            out += "<|im_start|>", message.name or "" if observes else role, "\n"
            write_content(out, message, content_of(message))
            out.append("<|im_end|>\n")
        elif role == "assistant":
            write_answer(chat, out, message, thinks=position > question)
        elif role == "tool":
            if chat.begins_run(message):
                out.append("<|im_start|>tool_response\n")
            out.append("<tool_response>")
            write_content(out, message, content_of(message))
            out.append("</tool_response>")
            if chat.ends_run(message):
                out.append("<|im_end|>\n")
    if chat.add_generation_prompt:
        out.append("<|im_start|>assistant\n<think>\n")


COUNTED: dict[str, dict[str, object]] = {
    "image": {
        "rule": "windows",
        "source": "huggingface/transformers at d56c55b: the processor of Step 3.7, step3p7",
        "placeholder": "<im_patch>",
        "start": "<im_start>",
        "end": "<im_end>",
        "window_start": "<patch_start>",
        "window_end": "<patch_end>",
        "row_end": "<patch_newline>",
        "size": 728,
        "patch_size": 504,
        "max_image_size": 3024,
        "vision_patch_size": 14,
        "downsampler_stride": 4,
    }
}
STEP3_5 = Template(
    "step-3.5",
    step3_5,
    roles=["system", "user", "assistant", "tool"],
    bos="<｜begin▁of▁sentence｜>",
    capabilities=["system", "tools", "parallel_tools", "reasoning", "images"],
    accepts=["parts", "null"],
    stop=["<|im_end|>"],
    markers=[
        *("<｜begin▁of▁sentence｜>", "<|im_start|>", "<|im_end|>", "<im_patch>", "<think>", "</think>"),
        *("<tool_call>", "</tool_call>", "<tool_response>", "</tool_response>"),
    ],
    control_tokens=["<im_patch>"],
    reply=Grammar(
        "step3_5",
        reasoning=THINK.but(trail=SPACE, after=SPACE),
        sections=(Section((FUNCTION_TAGS,), ("<tool_call>",), ("</tool_call>",), before=("\n\n", "\n")),),
    ),
    media=COUNTED,
    source="stepfun-ai/Step-3.5-Flash, chat_template.jinja",
)
