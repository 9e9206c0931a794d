"""The format of Llama 4: the shape of 3.2 Vision with other markers, no dates, and several calls in one turn."""

from lect.plugin import Chat, Message, Template, Writer
from lect_llama.texts import write_joined, write_parts
from lect_llama.tools import (
    RESULT_ROLES,
    TOOL_OPTIONS,
    Shape,
    offered_tools,
    write_call,
    write_result,
    write_system,
    write_turns,
)

BOS = "<|begin_of_text|>"
HEADER, END_HEADER, EOT = "<|header_start|>", "<|header_end|>\n\n", "<|eot|>"


def llama4(chat: Chat, out: Writer) -> None:
    """Write Llama 4: a system turn is written only for a system text."""
    tools = offered_tools(chat)
    out.append(chat.bos)
    if chat.system:
        write_system(chat, out, SHAPE, tools)
    write_turns(chat, out, SHAPE, tools)


def write_calls(chat: Chat, out: Writer, message: Message) -> None:
    """Write the turn of all calls, with the text before them between Python markers.

    A turn with an empty list of calls is left out.
    """
    if message.tool_calls:
        out += HEADER, "assistant", END_HEADER, "<|python_start|>"
        write_parts(chat, out, message)
        out.append("<|python_end|>")
        for call in message.tool_calls:
            write_call(chat, out, call)
        out.append(EOT)
    elif message.role in RESULT_ROLES:
        write_result(chat, out, message, SHAPE)


SHAPE = Shape(HEADER, END_HEADER, EOT, write_joined, write_parts, write_calls)

LLAMA4 = Template(
    "llama-4",
    llama4,
    roles=["system", "user", "assistant", "tool", "ipython"],
    bos=BOS,
    stop=[EOT, "<|eom|>", "<|end_of_text|>"],
    stop_token_ids=[200008, 200007, 200001],
    markers=[
        BOS,
        "<|end_of_text|>",
        HEADER,
        "<|header_end|>",
        EOT,
        "<|eom|>",
        "<|step|>",
        "<|python_start|>",
        "<|python_end|>",
        "<|image_start|>",
        "<|image_end|>",
        "<|image|>",
        "<|patch|>",
        "<|tile_x_separator|>",
        "<|tile_y_separator|>",
    ],
    capabilities=["system", "tools", "parallel_tools", "images"],
    options=TOOL_OPTIONS,
    looks_for=(),
    reply="llama4_pythonic",
    source="meta-llama/Llama-4-Scout-17B-16E-Instruct, chat_template.json, as axolotl 0.19 has it",
)
