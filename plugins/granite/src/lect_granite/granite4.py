"""Granite 4: tools and documents in the system turn, calls in XML tags."""

from collections.abc import Sequence
from typing import Any

from lect.plugin import Chat, Message, Template, Writer
from lect_granite.granite3 import MARKERS

BEFORE_TOOLS = (
    "You are a helpful assistant with access to the following tools. You may call one or more tools to assist with the "
    "user query.\n\n"
    "You are provided with function signatures within <tools></tools> XML tags:\n"
    "<tools>"
)
AFTER_TOOLS = (
    "\n"
    "</tools>\n\n"
    "For each tool call, return a json object with function name and arguments within <tool_call></tool_call> XML "
    "tags:\n"
    "<tool_call>\n"
    '{"name": <function-name>, "arguments": <args-json-object>}\n'
    "</tool_call>. If a tool does not exist in the provided list of tools, notify the user that you do not have the "
    "ability to fulfill the request."
)
BEFORE_DOCUMENTS = (
    "You are a helpful assistant with access to the following documents. You may use one or more documents to assist "
    "with the user query.\n\n"
    "You are given a list of documents within <documents></documents> XML tags:\n"
    "<documents>"
)
AFTER_DOCUMENTS = (
    "\n"
    "</documents>\n\n"
    "Write the response to the user's input by strictly aligning with the facts in the provided documents. If the "
    "information needed to answer the question is not available in the documents, inform the user that the question "
    "cannot be answered based on the available data."
)
HELPFUL = "You are a helpful assistant. Please ensure responses are professional, accurate, and safe."


def lines_of(message: Message) -> list[str]:
    """Return the content in pieces: its text, or its text parts, each on lines of its own."""
    if not message.parts:
        return [message.content]
    pieces: list[str] = []
    for part in message.parts:
        if part.type == "text":
            pieces += ["\n", part.text] if "".join(pieces) else [part.text]
    return pieces


def write_given(chat: Chat, out: Writer, things: Sequence[Any], before: str, after: str, *path: str) -> None:
    """Write tools or documents, one JSON object a line."""
    out.append(before)
    for index, thing in enumerate(things):
        out += "\n", chat.json(thing, *path, index)
    out.append(after)


def write_system(chat: Chat, out: Writer) -> None:
    """Write the system turn, which is never empty."""
    system = chat.system
    text = lines_of(system) if system else []
    tools = chat.option("available_tools") or chat.tools
    tools_path = ("options", "available_tools") if chat.option("available_tools") else ("tools",)
    documents = chat.documents
    out.append("<|start_of_role|>system<|end_of_role|>")
    out.turn(system)
    if not ("".join(text) or tools or documents):
        out.append(HELPFUL)
    else:
        out += text
    out.turn(None)
    if tools:
        out.append("\n\n" if system else "")
        write_given(chat, out, tools, BEFORE_TOOLS, AFTER_TOOLS, *tools_path)
    if documents:
        out.append("\n\n" if system or tools else "")
        write_given(chat, out, documents, BEFORE_DOCUMENTS, AFTER_DOCUMENTS, "documents")
    out.append("<|end_of_text|>\n")


def write_calls(chat: Chat, out: Writer, message: Message, *, after_text: bool) -> None:
    """Write the calls of a message, each on lines of its own; arguments that were given as text stay as they are."""
    for index, call in enumerate(message.tool_calls):
        arguments = chat.json(call.arguments, *call.path, "arguments") if call.text is None else call.text
        out.append("\n" if index or after_text else "")
        out += '<tool_call>\n{"name": "', call.name, '", "arguments": ', arguments, "}\n</tool_call>"


def granite4(chat: Chat, out: Writer) -> None:
    """Write Granite 4. Results of tools that follow each other share one user turn."""
    write_system(chat, out)
    messages = chat.messages
    for position, message in enumerate(out.turns(messages)):
        role = message.role
        content = lines_of(message)
        if role == "user" or (role == "system" and position):
            out += "<|start_of_role|>", role, "<|end_of_role|>", *content, "<|end_of_text|>\n"
        elif role == "assistant":
            out += "<|start_of_role|>", role, "<|end_of_role|>", *content
            write_calls(chat, out, message, after_text=bool("".join(content)))
            out.append("<|end_of_text|>\n")
        elif role == "tool":
            if position == 0 or messages[position - 1].role != "tool":
                out.append("<|start_of_role|>user<|end_of_role|>")
            out += "\n<tool_response>\n", *content, "\n</tool_response>"
            if position + 1 == len(messages) or messages[position + 1].role != "tool":
                out.append("<|end_of_text|>\n")
    if chat.add_generation_prompt:
        out.append("<|start_of_role|>assistant<|end_of_role|>")


GRANITE4 = Template(
    "granite-4.0",
    granite4,
    roles=["system", "user", "assistant", "tool"],
    default_system=HELPFUL,
    capabilities=["system", "tools", "parallel_tools", "documents"],
    options=["available_tools", "documents"],
    stop=["<|end_of_text|>"],
    stop_token_ids=[100257],
    markers=[*MARKERS, "<tool_call>", "</tool_call>", "<tool_response>", "</tool_response>"],
    looks_for=(),
    reply="hermes_json",
    source="ibm-granite/granite-4.0-h-small, chat_template.jinja",
)
