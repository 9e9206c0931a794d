"""Qwen3-Coder: tools and calls in XML."""

from collections.abc import Mapping
from typing import Any

from lect.plugin import Call, Chat, Template, Writer
from lect_qwen.chatml import MARKERS, STOP, STOP_IDS, TOOL_MARKERS

CODER = "You are Qwen, a helpful AI assistant that can interact with a computer to solve tasks."
HOW_TO_CALL = (
    "\n\nIf you choose to call a function ONLY reply in the following format with NO suffix:\n\n<tool_call>\n"
    "<function=example_function_name>\n"
    "<parameter=example_parameter_1>\nvalue_1\n</parameter>\n<parameter=example_parameter_2>\n"
    "This is the value for the second parameter\n"
    "that can span\nmultiple lines\n</parameter>\n</function>\n</tool_call>\n\n<IMPORTANT>\nReminder:\n"
    "- Function calls MUST follow the specified format: an inner <function=...></function> block must be nested within "
    "<tool_call></tool_call> XML tags\n"
    "- Required parameters MUST be specified\n"
    "- You may provide optional reasoning for your function call in natural language BEFORE the function call, but NOT "
    "after\n"
    "- If there is no function call available, answer the question like normal with your current knowledge and do not "
    "tell the user about function calls\n</IMPORTANT>"
)


def spelled(chat: Chat, value: Any, *path: str | int, json: bool, derived: bool = False) -> str:
    """Return a value as text.

    As JSON, or as Python prints it, which is what these templates do with what is not a mapping.

    `derived`: it was read from a text, and is not found letter for letter at `path`.
    """
    if isinstance(value, str) and not derived:
        text: str = chat.given(value, *path)
        return text
    return chat.json(value, *path) if json and not isinstance(value, str) else chat.printed(value, *path)


def write_call(chat: Chat, out: Writer, call: Call, *, lists_as_json: bool, rest_as_json: bool = False) -> None:
    """Write one call: each argument in a tag of its own."""
    out += "<tool_call>\n<function=", call.name, ">\n"
    if isinstance(call.arguments, Mapping):
        for name, value in call.arguments.items():
            # Of arguments that were given as text, no single one has a field.
            where = (*call.path, "arguments", name) if call.text is None else (*call.path, "arguments")
            as_json = rest_as_json or isinstance(value, Mapping) or (lists_as_json and isinstance(value, list | tuple))
            out += "<parameter=", chat.printed(name, *where), ">\n"
            out += spelled(chat, value, *where, json=as_json, derived=call.text is not None), "\n</parameter>\n"
    out.append("</function>\n</tool_call>")


def write_other_keys(chat: Chat, out: Writer, schema: Any, known: tuple[str, ...], *path: str | int) -> None:
    """Write every key of a schema that has no tag of its own yet."""
    if isinstance(schema, Mapping):
        for key, value in schema.items():
            if key not in known:
                tag = chat.printed(key, *path, key)
                out += (
                    "\n<",
                    tag,
                    ">",
                    spelled(chat, value, *path, key, json=isinstance(value, Mapping)),
                    "</",
                    tag,
                    ">",
                )


def write_tool(chat: Chat, out: Writer, index: int, tool: Mapping[str, Any]) -> None:
    """Write one tool in XML."""
    path: tuple[str | int, ...] = ("tools", index)
    if "function" in tool:
        tool, path = tool["function"], (*path, "function")
    out += "\n<function>\n<name>", spelled(chat, tool.get("name", ""), *path, "name", json=False), "</name>"
    if "description" in tool:
        out += "\n<description>", chat.given(tool["description"], *path, "description").strip(), "</description>"
    out.append("\n<parameters>")
    parameters = tool.get("parameters")
    path_to = (*path, "parameters")
    properties = parameters.get("properties") if isinstance(parameters, Mapping) else None
    for name, fields in properties.items() if isinstance(properties, Mapping) else ():
        where = (*path_to, "properties", name)
        out += "\n<parameter>\n<name>", chat.printed(name, *where), "</name>"
        if "type" in fields:
            out += "\n<type>", spelled(chat, fields["type"], *where, "type", json=False), "</type>"
        if "description" in fields:
            out += "\n<description>", chat.given(fields["description"], *where, "description").strip(), "</description>"
        write_other_keys(chat, out, fields, ("name", "type", "description"), *where)
        out.append("\n</parameter>")
    write_other_keys(chat, out, parameters, ("type", "properties"), *path_to)
    out.append("\n</parameters>")
    write_other_keys(chat, out, tool, ("type", "name", "description", "parameters"), *path)
    out.append("\n</function>")


def qwen3_coder(chat: Chat, out: Writer) -> None:
    """Write Qwen3-Coder."""
    system = chat.system
    out.turn(system)
    if system or chat.tools:
        out += "<|im_start|>system\n", system.content if system else CODER
        if chat.tools:
            out.append("\n\nYou have access to the following functions:\n\n<tools>")
            for index, tool in enumerate(chat.tools):
                write_tool(chat, out, index, tool)
            out += "\n</tools>", HOW_TO_CALL
        out.append("<|im_end|>\n")
    out.turn(None)
    messages = chat.messages[1:] if system else chat.messages
    for position, message in enumerate(out.turns(messages)):
        role = message.role
        if role == "assistant" and message.tool_calls:
            out += "<|im_start|>", role
            if message.content.strip() and not message.parts:
                out += "\n", message.content.strip(), "\n"
            for call in message.tool_calls:
                out.append("\n")
                write_call(chat, out, call, lists_as_json=False)
            out.append("<|im_end|>\n")
        elif role == "tool":
            if position and messages[position - 1].role != "tool":
                out.append("<|im_start|>user\n")
            out += "<tool_response>\n", chat.shown(message), "\n</tool_response>\n"
            if position + 1 == len(messages) or messages[position + 1].role != "tool":
                out.append("<|im_end|>\n")
        else:
            out += "<|im_start|>", role, "\n", message.content, "<|im_end|>\n"
    if chat.add_generation_prompt:
        out.append("<|im_start|>assistant\n")


QWEN3_CODER = Template(
    "qwen3-coder",
    qwen3_coder,
    roles=["system", "user", "assistant", "tool"],
    capabilities=["system", "tools", "parallel_tools"],
    stop=STOP,
    stop_token_ids=STOP_IDS,
    markers=[*MARKERS, *TOOL_MARKERS],
    looks_for=(),
    reply="qwen3_coder_xml",
    source="Qwen/Qwen3-Coder-30B-A3B-Instruct, chat_template.jinja",
)
