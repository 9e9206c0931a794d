"""Granite 4: tools and documents in the system turn, calls in XML tags."""

from collections.abc import Sequence
from typing import Any

from lect.plugin import Chat, Message, Template, Writer
from lect.plugin.grammar import HERMES_JSON
from lect_granite.granite3 import ALIGN_WITH_DOCUMENTS, GRANITE3_1, tools_of


def lines_of(message: Message) -> list[str]:
    """Return the content in pieces: its text, or its text parts, each on its own lines."""
    if not message.parts:
        return [message.content]
    pieces: list[str] = []
    is_empty = True
    for part in message.parts:
        if part.type == "text":
            pieces += [part.text] if is_empty else ["\n", part.text]
            is_empty = is_empty and not part.text
    return pieces


def write_lines(chat: Chat, out: Writer, things: Sequence[Any], *path: str) -> None:
    """Write tools or documents, one JSON object per line."""
    for index, thing in enumerate(things):
        out += "\n", chat.json(thing, *path, index)


def write_system(chat: Chat, out: Writer) -> None:
    """Write the system turn; without a text, tools or documents, it is the maker's, or there is none."""
    system = chat.system
    text = lines_of(system) if system else []
    (tools, path), documents = tools_of(chat), chat.documents
    if not (any(text) or tools or documents):
        if not chat.default_system:
            return
        text = [chat.default_system]
    out.append("<|start_of_role|>system<|end_of_role|>")
    out.turn(system)
    out += text
    out.turn(None)
    if tools:
        out += (
            "\n\n" if system else "",
            "You are a helpful assistant with access to the following tools. You may call one or more tools to assist "
            "with the user query.\n\n"
            "You are provided with function signatures within <tools></tools> XML tags:\n"
            "<tools>",
        )
        write_lines(chat, out, tools, *path)
        out.append(
            "\n</tools>\n\n"
            "For each tool call, return a json object with function name and arguments within <tool_call></tool_call> "
            "XML tags:\n"
            "<tool_call>\n"
            '{"name": <function-name>, "arguments": <args-json-object>}\n'
            "</tool_call>. If a tool does not exist in the provided list of tools, notify the user that you do not "
            "have the ability to fulfill the request."
        )
    if documents:
        out += (
            "\n\n" if system or tools else "",
            "You are a helpful assistant with access to the following documents. You may use one or more documents to "
            "assist with the user query.\n\n"
            "You are given a list of documents within <documents></documents> XML tags:\n"
            "<documents>",
        )
        write_lines(chat, out, documents, "documents")
        out += "\n</documents>\n\n", ALIGN_WITH_DOCUMENTS
    out.append("<|end_of_text|>\n")


def granite4(chat: Chat, out: Writer) -> None:
    """Write Granite 4. Consecutive tool results share one user turn."""
    write_system(chat, out)
    for position, message in enumerate(out.turns(chat.messages)):
        role = message.role
        content = lines_of(message)
        if role == "user" or (role == "system" and position):
            out += "<|start_of_role|>", role, "<|end_of_role|>", *content, "<|end_of_text|>\n"
        elif role == "assistant":
            out += "<|start_of_role|>", role, "<|end_of_role|>", *content
            for index, call in enumerate(message.tool_calls):
                out.append("\n" if index or any(content) else "")
                arguments = chat.arguments_as_given(call)
                out += '<tool_call>\n{"name": "', call.name, '", "arguments": ', arguments, "}\n</tool_call>"
            out.append("<|end_of_text|>\n")
        elif role == "tool":
            if chat.begins_run(message):
                out.append("<|start_of_role|>user<|end_of_role|>")
            out += "\n<tool_response>\n", *content, "\n</tool_response>"
            if chat.ends_run(message):
                out.append("<|end_of_text|>\n")
    if chat.add_generation_prompt:
        out.append("<|start_of_role|>assistant<|end_of_role|>")


OF_TOOLS = ["<tool_call>", "</tool_call>", "<tool_response>", "</tool_response>"]
GRANITE4 = Template(
    "granite-4.0",
    granite4,
    roles=["system", "user", "assistant", "tool"],
    default_system="You are a helpful assistant. Please ensure responses are professional, accurate, and safe.",
    capabilities=["system", "tools", "parallel_tools", "documents"],
    options=["available_tools", "documents"],
    accepts=["parts"],
    stop={"<|end_of_text|>": 100257},
    markers=[*GRANITE3_1.markers, *OF_TOOLS],
    control_tokens=OF_TOOLS,
    # The replies of Hermes and Qwen.
    reply=HERMES_JSON,
    source="ibm-granite/granite-4.0-h-small, chat_template.jinja",
)
GRANITE4_1 = GRANITE4.but(
    name="granite-4.1",
    default_system="",
    source="ibm-granite/granite-4.1, chat_template.jinja",
)
