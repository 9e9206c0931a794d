"""Nemotron 3 and 3.5: ChatML, with tools and calls in XML and a thought, empty or not, in every answer."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from lect.plugin import Call, Chat, Message, Schema, Template, Writer
from lect.plugin.grammar import ATTRIBUTE_TAGS, FUNCTION_TAGS, SPACE, THINK, Grammar, Section

NO_THOUGHT = "<think></think>"


def text_of(chat: Chat, value: Any, *path: str | int) -> str:
    """Return a value of a schema or a call: lists and mappings as JSON, anything else as Python prints it."""
    return chat.json(value, *path) if isinstance(value, Mapping | list | tuple) else chat.text(value, *path)


def write_other_keys(chat: Chat, out: Writer, schema: Schema, known: tuple[str, ...]) -> None:
    """Write every key of a schema that has no tag of its own yet."""
    for key, value in schema.fields.items():
        if key not in known:
            tag = chat.printed(key, *schema.path, key)
            out += "\n<", tag, ">", text_of(chat, value, *schema.path, key), "</", tag, ">"


def write_tool(chat: Chat, out: Writer, index: int) -> None:
    """Write one tool in XML."""
    tool = Schema(chat, *chat.function(index))
    out += "\n<function>\n<name>", tool.text("name"), "</name>"
    if "description" in tool:
        out += "\n<description>", tool.text("description").strip(), "</description>"
    out.append("\n<parameters>")
    parameters = tool.at("parameters")
    for each in parameters.properties:
        out += "\n<parameter>\n<name>", each.name, "</name>"
        if "type" in each:
            out += "\n<type>", each.text("type"), "</type>"
        if "description" in each:
            out += "\n<description>", each.text("description").strip(), "</description>"
        if "enum" in each:
            out += "\n<enum>", each.json("enum"), "</enum>"
        write_other_keys(chat, out, each, ("name", "type", "description", "enum"))
        out.append("\n</parameter>")
    write_other_keys(chat, out, parameters, ("type", "properties", "required"))
    if "required" in parameters:
        out += "\n<required>", parameters.json("required"), "</required>"
    out.append("\n</parameters>")
    write_other_keys(chat, out, tool, ("type", "name", "description", "parameters"))
    out.append("\n</function>")


def write_system(chat: Chat, out: Writer, text: str) -> None:
    """Write the system turn, which is never left out: the caller's text, as it is to be written, and the tools."""
    system = chat.system
    out.append("<|im_start|>system\n")
    out.turn(system)
    out.append(text)
    out.turn(None)
    if chat.tools:
        out += (
            "\n\n" if system and chat.content(system) else "",
            "# Tools\n\nYou have access to the following functions:\n\n<tools>",
        )
        for index in range(len(chat.tools)):
            write_tool(chat, out, index)
        out.append(
            "\n</tools>\n\n"
            "If you choose to call a function ONLY reply in the following format with NO suffix:\n\n<tool_call>\n"
            "<function=example_function_name>\n<parameter=example_parameter_1>\nvalue_1\n</parameter>\n"
            "<parameter=example_parameter_2>\nThis is the value for the second parameter\nthat can span\n"
            "multiple lines\n</parameter>\n</function>\n</tool_call>\n\n<IMPORTANT>\nReminder:\n"
            "- Function calls MUST follow the specified format: an inner <function=...></function> block must be "
            "nested within <tool_call></tool_call> XML tags\n"
            "- Required parameters MUST be specified\n"
            "- You may provide optional reasoning for your function call in natural language BEFORE the function call, "
            "but NOT after\n"
            "- If there is no function call available, answer the question like normal with your current knowledge "
            "and do not tell the user about function calls\n</IMPORTANT>"
        )
    out.append("<|im_end|>\n")


def write_call(chat: Chat, out: Writer, call: Call) -> None:
    """Write one call, with each argument in its own tag.

    Raises:
        RefusedError: If the arguments are not a mapping.
    """
    out += "<tool_call>\n<function=", call.name, ">\n"
    for name, value, where in chat.named_arguments(call):
        out += "<parameter=", name, ">\n", text_of(chat, value, *where), "\n</parameter>\n"
    out.append("</function>\n</tool_call>\n")


def has_thought(message: Message) -> bool:
    """Return whether reasoning was given with an answer."""
    return message.reasoning is not None and bool(message.reasoning.strip())


def is_printed(message: Message) -> bool:
    """Return whether the maker's template prints an answer as it is, because it was given in parts."""
    return not isinstance(message.raw.get("content"), str | None) and not has_thought(message)


def with_thought(message: Message, content: str, line: str) -> list[str]:
    """Return an answer in pieces, with its thought; `line` comes before and after the marker that closes it."""
    if has_thought(message):
        return ["<think>\n", message.reasoning or "", line, "</think>", line, content]
    if is_printed(message) or "<think>" in content or "</think>" in content:
        return [content]
    return [NO_THOUGHT, content]


def without_thought(message: Message, content: str, line: str) -> list[str]:
    """Return an answer in pieces, as it is kept before the last question: with an empty thought."""
    if "</think>" in content:
        if message.tool_calls or has_thought(message) or "<think>" in content:
            return [NO_THOUGHT, content.split("</think>")[-1]]
    elif has_thought(message):
        return [NO_THOUGHT, line, content]
    elif "<think>" not in content:
        return [content] if is_printed(message) else [NO_THOUGHT, content]
    elif message.tool_calls:
        return [NO_THOUGHT, content.split("<think>")[0]]
    return [content]


def trimmed(pieces: list[str]) -> list[str]:
    """Return pieces, the last of which is the caller's, with the white space at both ends stripped."""
    if len(pieces) == 1:
        return [pieces[0].strip()]
    *before, content = pieces
    content = content.rstrip()
    if not content and before[-1] == "\n":
        before.pop()
    return [*before, content]


def write_answer(chat: Chat, out: Writer, message: Message, *, keep: bool, version: str) -> None:
    """Write an answer; with `keep`, its thought too."""
    line = "\n" if version == "3" else ""
    content = chat.content(message)
    pieces = with_thought(message, content, line) if keep else without_thought(message, content, line)
    if not keep:
        out.by_rule(message.reasoning)
    out.append("<|im_start|>assistant\n")
    if message.tool_calls and is_printed(message):
        out.append(NO_THOUGHT)
    elif keep or not message.tool_calls:
        out += trimmed(pieces)
    elif version == "3":
        out += NO_THOUGHT, pieces[-1].strip()
    else:
        out += pieces
    if message.tool_calls:
        out.append("" if is_printed(message) else "\n")
        for call in message.tool_calls:
            write_call(chat, out, call)
    out.append("<|im_end|>\n")


def nemotron3(chat: Chat, out: Writer, *, version: str, effort: tuple[str, str] = ("", "")) -> None:
    """Write Nemotron 3 and 3.5, which differ in the line breaks around a thought.

    `effort` is the option that asks for less thinking, if there is one, and the word that the last question says it in.
    """
    option, word = effort
    is_less = option and chat.option(option)
    questions = [message.index for message in chat.without_system if message.role == "user"]

    def pieces(message: Message) -> list[str]:
        told = is_less and questions and message.index == questions[-1]
        return [message.content, f"\n\n{{reasoning effort: {word}}}"] if told else [message.content]

    write_system(chat, out, chat.system.content if chat.system else "")
    write_turns(chat, out, pieces, version=version)
    write_opening(chat, out, thinks=chat.option("enable_thinking", True))


def write_turns(chat: Chat, out: Writer, pieces: Callable[[Message], Sequence[str]], *, version: str) -> None:
    """Write all turns; `pieces` returns what a question says.

    Thoughts before the last question are kept only where `truncate_history_thinking` is False.
    """
    messages = chat.without_system
    questions = [message.index for message in messages if message.role == "user"]
    first_kept = questions[-1] if questions and chat.option("truncate_history_thinking", True) else 0
    for position, message in enumerate(out.turns(messages)):
        role = message.role
        if role == "assistant":
            write_answer(chat, out, message, keep=message.index >= first_kept, version=version)
        elif role == "tool":
            # The maker opens no turn where the first message is a result.
            if position and chat.begins_run(message):
                out.append("<|im_start|>user\n")
            out += "<tool_response>\n", chat.content(message), "\n</tool_response>\n"
            if chat.ends_run(message):
                out.append("<|im_end|>\n")
        else:
            out += "<|im_start|>", role, "\n", *pieces(message), "<|im_end|>\n"


def write_opening(chat: Chat, out: Writer, *, thinks: Any) -> None:
    """Write the opening of an answer, if it is requested."""
    if chat.add_generation_prompt:
        out += "<|im_start|>assistant\n", "<think>\n" if thinks else NO_THOUGHT


NEMOTRON3 = Template(
    "nemotron-3",
    partial(nemotron3, version="3"),
    roles=["system", "user", "assistant", "tool"],
    capabilities=["system", "tools", "parallel_tools", "reasoning"],
    options={"enable_thinking": bool, "truncate_history_thinking": bool},
    stop=["<|im_end|>", "</s>"],
    markers=[
        "<|im_start|>", "<|im_end|>", "<s>", "</s>", "<unk>", "<SPECIAL_{}>", "<think>", "</think>", "<tool_call>",
        "</tool_call>", "<tool_response>", "</tool_response>", "<enum>", "</enum>", "<required>", "</required>",
    ],
    control_tokens=["<s>", "<unk>"],
    # The replies of Qwen3-Coder.
    reply=Grammar(
        "qwen3_coder_xml",
        reasoning=THINK.but(trail=SPACE, after=SPACE),
        sections=(
            Section(
                (FUNCTION_TAGS, ATTRIBUTE_TAGS), ("<tool_call>",), ("</tool_call>",), before=("\n\n", "\n")
            ),
        ),
    ),
    source="nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-BF16, chat_template.jinja",
)  # fmt: skip
NEMOTRON3_5 = NEMOTRON3.but(
    name="nemotron-3.5",
    program=partial(nemotron3, version="3.5"),
    source="nvidia/NVIDIA-Nemotron-3.5-Lightning, chat_template.jinja",
)
NEMOTRON3_SUPER = NEMOTRON3.but(
    name="nemotron-3-super",
    program=partial(nemotron3, version="3", effort=("low_effort", "low")),
    options={**NEMOTRON3.options, "low_effort": bool},
    source="nvidia/NVIDIA-Nemotron-3-Super-120B-A12B, chat_template.jinja",
)
NEMOTRON3_ULTRA = NEMOTRON3_5.but(
    name="nemotron-3-ultra",
    program=partial(nemotron3, version="3.5", effort=("medium_effort", "efficient")),
    options={**NEMOTRON3.options, "medium_effort": bool},
    source="nvidia/NVIDIA-Nemotron-3-Ultra-550B-A55B, chat_template.jinja",
)
