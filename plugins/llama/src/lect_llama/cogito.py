"""Cogito v1, by Deep Cogito: the headers of Llama 3, a system turn only if it has a text, calls as a list."""

from lect.plugin import Call, Chat, Message, Writer
from lect.plugin.grammar import JSON_IN_TAGS, JSON_OBJECT, THINK, Grammar, Section
from lect_llama.llama3 import END_HEADER, EOT, HEADER, LLAMA3_1
from lect_llama.tools import result_json

THINK_DEEPLY = "Enable deep thinking subroutine."


def cogito(chat: Chat, out: Writer) -> None:
    """Write Cogito v1."""
    out.append(chat.bos)
    write_system(chat, out)
    for message in out.turns(chat.without_system):
        if message.tool_calls:
            out += HEADER, "assistant", END_HEADER
            write_content(out, message, after_part="\n\n")
            out.append("[")
            for index, call in enumerate(message.tool_calls):
                out.append(", " if index else "")
                write_call(chat, out, call)
            out.append("]")
        elif message.role in ("tool", "ipython", "tool_results"):
            out += HEADER, "ipython", END_HEADER, '{"content": ', result_json(chat, message)
            given = chat.input(message.raw.get("tool_call_id"), "messages", message.index, "tool_call_id")
            out += (', "call_id": "', given, '"}') if given else ("}",)
        else:
            out += HEADER, message.role, END_HEADER
            write_content(out, message)
        out.append(EOT)
    if chat.add_generation_prompt:
        out += HEADER, "assistant", END_HEADER


def write_system(chat: Chat, out: Writer) -> None:
    """Write the system turn, if there is a system text, a tool or the wish for a thought."""
    text = chat.content(chat.system).strip() if chat.system else ""
    thinks = chat.option("enable_thinking", False)
    if not (text or thinks or chat.tools):
        return
    out.turn(chat.system)
    out += HEADER, "system", END_HEADER, THINK_DEEPLY if thinks else "", "\n\n" if thinks and text else "", text
    if chat.tools:
        out.append("\n\nAvailable Tools:\n" if text or thinks else "Available Tools:\n")
        for index, tool in enumerate(chat.tools):
            out += chat.json(tool, "tools", index, indent=4), "\n\n"
    out.append(EOT)
    out.turn(None)


def write_content(out: Writer, message: Message, after_part: str = "") -> None:
    """Write the text, or each text part with `after_part` after it."""
    if not message.parts:
        out.append(message.content.strip())
    for part in message.parts:
        if part.type == "text":
            text = part.text.strip()
            out += text, after_part if text else ""


def write_call(chat: Chat, out: Writer, call: Call) -> None:
    """Write the function of a call as JSON, with its id as the last key if it has one."""
    out.append("{")
    for index, (name, value) in enumerate(call.raw.get("function", call.raw).items()):
        out += ", " if index else "", chat.json(name, *call.path, name), ": ", chat.json(value, *call.path, name)
    out += (', "id": "', call.id, '"}') if call.id is not None else ("}",)


COGITO = LLAMA3_1.but(
    name="cogito-v1-llama",
    program=cogito,
    roles=["system", "user", "assistant", "tool", "ipython", "tool_results"],
    capabilities=["system", "tools", "parallel_tools"],
    options={"enable_thinking": bool},
    accepts=["parts"],
    # Ollama's template of the model writes calls in tags.
    reply=Grammar(
        "cogito",
        reasoning=THINK,
        sections=(JSON_IN_TAGS, Section((JSON_OBJECT,), ("[",), ("]",), between=",")),
    ),
    source="deepcogito/cogito-v1-preview-llama-3B, the GGUF of Ollama's cogito:3b",
    evidence="second-hand",
)
