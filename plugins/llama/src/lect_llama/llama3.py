"""The formats of Llama 3, 3.1, 3.2 and 3.2 Vision: a header names the role.

Tools, dates and a system turn in every prompt since 3.1.
"""

from collections.abc import Sequence

from lect.errors import MessageError
from lect.plugin import Call, Chat, Message, Template, Writer
from lect_llama.texts import write_parts, write_printed
from lect_llama.tools import TOOL_OPTIONS, Shape, offered_tools, only_call, write_call, write_system, write_turns

BOS = "<|begin_of_text|>"
HEADER, END_HEADER, EOT, EOM = "<|start_header_id|>", "<|end_header_id|>\n\n", "<|eot_id|>", "<|eom_id|>"
MARKERS = (BOS, "<|end_of_text|>", HEADER, "<|end_header_id|>", EOT)
TOOL_MARKERS = (*MARKERS, EOM, "<|python_tag|>")
STOP, STOP_IDS = (EOT, "<|end_of_text|>"), (128009, 128001)
TOOL_STOP, TOOL_STOP_IDS = (EOT, EOM, "<|end_of_text|>"), (128009, 128008, 128001)
ROLES = ("system", "user", "assistant", "tool", "ipython")


def llama3(chat: Chat, out: Writer) -> None:
    """Write Llama 3: every role alike."""
    messages = chat.messages
    if messages:
        out.append(chat.bos)
    for message in out.turns(messages):
        out += HEADER, message.role, END_HEADER, chat.shown(message).strip(), EOT
    if chat.add_generation_prompt:
        out += HEADER, "assistant", END_HEADER


def llama3_1(chat: Chat, out: Writer) -> None:
    """Write Llama 3.1: as 3.2, with tools that the model knows by itself, and a day that does not pass."""
    tools = offered_tools(chat)
    builtin = builtin_tools(chat)
    about = [] if builtin is None else named(builtin)
    about += dates(chat.text_option("date_string", "26 Jul 2024"))
    out.append(chat.bos)
    write_system(chat, out, LLAMA3_1_SHAPE, tools, about=about, ipython=builtin is not None)
    write_turns(chat, out, LLAMA3_1_SHAPE, tools)


def llama3_2(chat: Chat, out: Writer) -> None:
    """Write Llama 3.2."""
    tools = offered_tools(chat)
    out.append(chat.bos)
    write_system(chat, out, LLAMA3_2_SHAPE, tools, about=dates(day(chat)))
    write_turns(chat, out, LLAMA3_2_SHAPE, tools)


def llama3_2_vision(chat: Chat, out: Writer) -> None:
    """Write Llama 3.2 Vision.

    No text is trimmed but the first, and with images a system turn is written only for a system text.
    """
    tools = offered_tools(chat)
    out.append(chat.bos)
    if chat.system or not any(part.type == "image" for message in chat.messages for part in message.parts):
        write_system(chat, out, VISION_SHAPE, tools, about=dates(day(chat)))
    write_turns(chat, out, VISION_SHAPE, tools)


def day(chat: Chat) -> str:
    """Return the day to write: the option `date_string`, or what the clock says."""
    return (
        chat.date().strftime("%d %b %Y") if chat.option("date_string") is None else chat.text_option("date_string", "")
    )


def dates(today: str) -> list[str]:
    """Return the lines that tell the model when it is."""
    return ["Cutting Knowledge Date: December 2023\nToday Date: ", today, "\n\n"]


def builtin_tools(chat: Chat) -> list[str] | None:
    """Return the names in the option `builtin_tools`; None where it is not given.

    Raises:
        MessageError: If it is no list of names.
    """
    names = chat.option("builtin_tools")
    if names is None:
        return None
    if not isinstance(names, list | tuple) or not all(isinstance(name, str) for name in names):
        msg = (
            f"option builtin_tools is {names!r} ({type(names).__name__}); expected a list of names\n"
            "  try: builtin_tools=['brave_search']"
        )
        raise MessageError(msg)
    result: list[str] = chat.given(list(names), "options", "builtin_tools")
    return result


def named(builtin: Sequence[str]) -> list[str]:
    """Return the line that names the built-in tools; the interpreter is there without being named."""
    line = ["Tools: "]
    for name in builtin:
        if name != "code_interpreter":
            line += [name] if len(line) == 1 else [", ", name]
    return [*line, "\n\n"]


def write_single_call(chat: Chat, out: Writer, message: Message) -> None:
    """Write the turn of a call."""
    out += HEADER, "assistant", END_HEADER
    write_call(chat, out, only_call(chat, message))
    out.append(EOT)


def write_single_or_builtin_call(chat: Chat, out: Writer, message: Message) -> None:
    """Write the turn of a call.

    Where there are built-in tools, those are called as Python, and the turn waits for the result.
    """
    builtin = builtin_tools(chat)
    call = only_call(chat, message)
    if builtin is None:
        write_single_call(chat, out, message)
        return
    out += HEADER, "assistant", END_HEADER
    if call.name in builtin:
        out += "<|python_tag|>", call.name, ".call("
        write_python_arguments(chat, out, call)
        out.append(")")
    else:
        write_call(chat, out, call)
    out.append(EOM)


def write_python_arguments(chat: Chat, out: Writer, call: Call) -> None:
    """Write arguments by name. Text that is no JSON object stays as it was given."""
    path = (*call.path, "arguments")
    arguments = chat.given(call.arguments, *path)
    if isinstance(arguments, str):
        out.append(arguments)
        return
    separator = ""
    for name, value in arguments.items():
        # The maker's template can only have text here; anything else is written as JSON.
        out += separator, name if isinstance(name, str) else chat.json(name, *path), '="'
        out += value if isinstance(value, str) else chat.json(value, *path, str(name)), '"'
        separator = ", "


LLAMA3_1_SHAPE = Shape(HEADER, END_HEADER, EOT, write_printed, write_printed, write_single_or_builtin_call)
LLAMA3_2_SHAPE = Shape(HEADER, END_HEADER, EOT, write_printed, write_printed, write_single_call)
VISION_SHAPE = Shape(HEADER, END_HEADER, EOT, write_printed, write_parts, write_single_call)

LLAMA3 = Template(
    "llama-3",
    llama3,
    bos=BOS,
    stop=STOP,
    stop_token_ids=STOP_IDS,
    markers=MARKERS,
    looks_for=(),
    source="meta-llama/Meta-Llama-3-8B-Instruct, tokenizer_config.json",
)
LLAMA3_1 = Template(
    "llama-3.1",
    llama3_1,
    roles=ROLES,
    bos=BOS,
    stop=TOOL_STOP,
    stop_token_ids=TOOL_STOP_IDS,
    markers=TOOL_MARKERS,
    capabilities=["system", "tools"],
    options=[*TOOL_OPTIONS, "builtin_tools", "date_string"],
    looks_for=(),
    reply="llama3_json",
    source="meta-llama/Llama-3.1-8B-Instruct, tokenizer_config.json",
)
LLAMA3_2 = Template(
    "llama-3.2",
    llama3_2,
    roles=ROLES,
    bos=BOS,
    stop=TOOL_STOP,
    stop_token_ids=TOOL_STOP_IDS,
    markers=TOOL_MARKERS,
    capabilities=["system", "tools"],
    options=[*TOOL_OPTIONS, "date_string", "date"],
    looks_for=(),
    reply="llama3_json",
    source="meta-llama/Llama-3.2-3B-Instruct, tokenizer_config.json",
)
LLAMA3_2_VISION = Template(
    "llama-3.2-vision",
    llama3_2_vision,
    roles=ROLES,
    bos=BOS,
    stop=TOOL_STOP,
    stop_token_ids=TOOL_STOP_IDS,
    markers=[*TOOL_MARKERS, "<|image|>"],
    capabilities=["system", "tools", "images"],
    options=[*TOOL_OPTIONS, "date_string", "date"],
    looks_for=(),
    reply="llama3_json",
    source="meta-llama/Llama-3.2-11B-Vision-Instruct, chat_template.json",
)
