"""Hermes 3 and Hermes 2 Pro: ChatML, and with tools a system turn that describes them as Python functions."""

from collections.abc import Mapping
from typing import Any

from lect.plugin import Chat, Message, Template, Writer
from lect.plugin.grammar import HERMES_JSON

PYTHON_TYPES = {"string": "str", "number": "float", "integer": "int", "boolean": "bool"}


def python_type(schema: Any) -> str:
    """Return the Python name for the type of a schema.

    The maker's template does not look into arrays. It fails on types that it does not know; here they are `Any`.
    """
    kind = schema.get("type", ()) if isinstance(schema, Mapping) else ()
    if kind == "array":
        return "list[Union[]]"
    if kind == "object":
        return (
            f"dict[str, {python_type(schema['additionalProperties'])}]" if "additionalProperties" in schema else "dict"
        )
    if isinstance(kind, list | tuple):
        return f"Union[{','.join(python_type({'type': each}) for each in kind)}]"
    return PYTHON_TYPES.get(kind, "Any") if isinstance(kind, str) else "Any"


def write_tool(chat: Chat, out: Writer, index: int) -> None:
    """Write one tool: JSON, with a description like that of a Python function."""
    tool, path = chat.function(index)
    name = chat.text(tool.get("name", ""), *path, "name")
    parameters = tool.get("parameters")
    properties = parameters.get("properties") if isinstance(parameters, Mapping) else None
    properties = properties if isinstance(properties, Mapping) else {}
    where = (*path, "parameters", "properties")
    out += '{"type": "function", "function": {"name": "', name, '", "description": "', name, "("
    for position, (key, fields) in enumerate(properties.items()):
        out += ", " if position else "", chat.printed(key, *where, key), ": ", python_type(fields)
    out.append(")")
    returned = tool.get("return")
    if "return" in tool:
        out += " -> ", python_type(returned)
    out += " - ", chat.text(tool.get("description", ""), *path, "description"), "\n\n"
    for position, (key, fields) in enumerate(properties.items()):
        out += "" if position else "    Args:\n", "        ", chat.printed(key, *where, key), "("
        out += python_type(fields), "): "
        if isinstance(fields, Mapping) and "description" in fields:
            out.append(chat.text(fields["description"], *where, key, "description").strip())
    if isinstance(returned, Mapping) and "description" in returned:
        out += "\n    Returns:\n        ", chat.text(returned["description"], *path, "return", "description")
    out += '", "parameters": ', chat.json(parameters, *path, "parameters") if properties else "{}", "}"


def write_tools(chat: Chat, out: Writer) -> None:
    """Write the system turn about tools, which precedes the caller's."""
    out.append(
        "<|im_start|>system\nYou are a function calling AI model. You are provided with function signatures within "
        "<tools></tools> XML tags. You may call one or more functions to assist with the user query. Don't make "
        "assumptions about what values to plug into functions. Here are the available tools: <tools> "
    )
    for index in range(len(chat.tools)):
        out.append("\n" if index else "")
        write_tool(chat, out, index)
    out.append(
        " </tools>Use the following pydantic model json schema for each tool call you will make: "
        '{"properties": {"name": {"title": "Name", "type": "string"}, "arguments": {"title": "Arguments", "type": '
        '"object"}}, "required": ["name", "arguments"], "title": "FunctionCall", "type": "object"}}\n'
        "For each function call return a json object with function name and arguments within <tool_call></tool_call> "
        'XML tags as follows:\n<tool_call>\n{"name": <function-name>, "arguments": <args-dict>}\n'
        "</tool_call><|im_end|>\n"
    )


def write_calls(chat: Chat, out: Writer, message: Message) -> None:
    """Write the calls of an answer, whose text is left out."""
    out.append("<|im_start|>assistant")
    for call in message.tool_calls:
        arguments = chat.arguments_as_given(call)
        out += '\n<tool_call>\n{"name": "', call.name, '", "arguments": ', arguments, "}\n</tool_call>"
    out.append("<|im_end|>\n")


def with_tools(chat: Chat, out: Writer) -> None:
    """Write a conversation with tools. Consecutive results share one turn."""
    write_tools(chat, out)
    messages = chat.messages
    for position, message in enumerate(out.turns(messages)):
        role = message.role
        if role == "assistant" and message.tool_calls:
            write_calls(chat, out, message)
        elif role in ("user", "system", "assistant"):
            out += "<|im_start|>", role, "\n", message.content, "<|im_end|>\n"
        elif role == "tool":
            # The maker opens no turn where the first message is a result.
            if position and chat.begins_run(message):
                out.append("<|im_start|>tool\n")
            is_last = position + 1 == len(messages)
            out += "<tool_response>\n", message.content, "\n</tool_response>", "" if is_last else "\n"
            if chat.ends_run(message):
                out.append("<|im_end|>")


def hermes3(chat: Chat, out: Writer) -> None:
    """Write Hermes 3: with tools as in its maker's template `tool_use`, else as in the default one, which is ChatML."""
    out.append(chat.bos)
    if chat.tools:
        with_tools(chat, out)
    else:
        for message in out.turns(chat.messages):
            out += "<|im_start|>", message.role, "\n", message.content, "<|im_end|>\n"
    if chat.add_generation_prompt:
        out.append("<|im_start|>assistant\n")


HERMES3 = Template(
    "hermes-3",
    hermes3,
    roles=["system", "user", "assistant", "tool"],
    capabilities=["system", "tools", "parallel_tools"],
    bos="<|begin_of_text|>",
    stop={"<|im_end|>": 128040, "<|end_of_text|>": 128001, "<|eom_id|>": 128008, "<|eot_id|>": 128009},
    markers=[
        "<|im_start|>", "<|im_end|>", "<|begin_of_text|>", "<|end_of_text|>", "<|eot_id|>", "<|eom_id|>",
        "<|start_header_id|>", "<|end_header_id|>", "<|python_tag|>", "<|finetune_right_pad_id|>",
        "<|reserved_special_token_{}|>", "<tool_call>", "</tool_call>", "<tool_response>", "</tool_response>",
    ],
    reply=HERMES_JSON,
    source="NousResearch/Hermes-3-Llama-3.1-8B, tokenizer_config.json: tool_use and default",
)  # fmt: skip
OF_TOOLS = ["<tools>", "</tools>", "<tool_call>", "</tool_call>", "<tool_response>", "</tool_response>"]
"""According to its model card, each of these is a single token of Hermes 2 Pro."""
HERMES2_PRO = HERMES3.but(
    name="hermes-2-pro",
    stop={"<|im_end|>": 128003, "<|end_of_text|>": 128001, "<|eot_id|>": 128009},
    # Perhaps more than the vocabulary of Llama 3 has: a marker too many is harmless, one too few is a hole.
    markers=[*HERMES3.markers, "<tools>", "</tools>"],
    control_tokens=OF_TOOLS,
    source="NousResearch/Hermes-2-Pro-Llama-3-8B, tokenizer_config.json: tool_use and default",
)
# The same two templates as Hermes 3, in the vocabulary of Mistral.
HERMES2_PRO_MISTRAL = HERMES3.but(
    name="hermes-2-pro-mistral",
    bos="<s>",
    stop={"<|im_end|>": 32000, "</s>": 2},
    markers=[
        "<|im_start|>", "<|im_end|>", "<unk>", "<s>", "</s>", "<tools>", "</tools>", "<tool_call>", "</tool_call>",
        "<tool_response>", "</tool_response>",
    ],
    control_tokens=["<unk>", "<s>"],
    evidence="second-hand",
    source=(
        "NousResearch/Hermes-2-Pro-Mistral-7B, tokenizer_config.json: tool_use and default, as ggml-org/llama.cpp at "
        "a469f53 has them, tests/chat/templates"
    ),
)  # fmt: skip
