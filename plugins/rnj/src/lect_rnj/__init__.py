"""Rnj-1, by Essential AI."""

from lect.plugin import Chat, Family, Message, Rule, Template, Writer
from lect.plugin.grammar import HERMES_JSON

__lect_api__ = "~=1.0"

BOS, END = "<|begin_of_text|>", "<|eot_id|>"
HEADER, HEADER_END = "<|start_header_id|>", "<|end_header_id|>\n"


def write_system(chat: Chat, out: Writer) -> None:
    """Write the system turn: always the maker's sentence, then the caller's text and the tools."""
    system = chat.system
    out += chat.bos, HEADER, "system", HEADER_END, "You are rnj-1, a foundation model trained by Essential AI.\n"
    if system:
        out.turn(system)
        out += "\n", system.content
        out.turn(None)
    if chat.tools:
        out.append("\n\n" if system else "\n")
        out.append(
            "# Tools\n\nYou may call one or more functions to assist with the user query.\n\n"
            "You are provided with function signatures within <tools></tools> XML tags:\n<tools>"
        )
        for index, tool in enumerate(chat.tools):
            out += "\n", chat.json(tool, "tools", index), "\n"
        out.append(
            "</tools>\n\nFor each function call, return a json object with function name and arguments within "
            "<tool_call></tool_call> XML tags:\n"
            '<tool_call>\n{"name": <function-name>, "arguments": <args-json-object>}\n</tool_call>'
        )
    out.append(END)


def write_answer(chat: Chat, out: Writer, message: Message) -> None:
    """Write an answer and its calls, the first directly after the text."""
    out += HEADER, "assistant", HEADER_END, message.content
    for index, call in enumerate(message.tool_calls):
        out += "\n" if index else "", '<tool_call>\n{"name": "', call.name, '", "arguments": '
        out += chat.arguments_as_given(call), "}\n</tool_call>"
    out.append(END)


def rnj(chat: Chat, out: Writer) -> None:
    """Write Rnj-1. Consecutive tool results share one user turn."""
    write_system(chat, out)
    for position, message in enumerate(out.turns(chat.messages)):
        role = message.role
        if role == "user" or (role == "system" and position):
            out += HEADER, role, HEADER_END, message.content, END
        elif role == "assistant":
            write_answer(chat, out, message)
        elif role == "tool":
            out += (HEADER, "user", HEADER_END) if chat.begins_run(message) else ("\n",)
            out += "<tool_response>\n", message.content, "\n</tool_response>"
            if chat.ends_run(message):
                out.append(END)
    if chat.add_generation_prompt:
        out += HEADER, "assistant", HEADER_END


RNJ = Template(
    "rnj-1",
    rnj,
    roles=["system", "user", "assistant", "tool"],
    bos=BOS,
    capabilities=["system", "tools", "parallel_tools"],
    stop=[END],
    markers=[
        *(BOS, END, HEADER, "<|end_header_id|>", "<tool_call>", "</tool_call>", "<tool_response>", "</tool_response>"),
    ],
    reply=HERMES_JSON,
    source="EssentialAI/rnj-1-instruct, tokenizer_config.json",
)

adapter = Family("rnj", Rule("rnj 1 instruct", RNJ))
