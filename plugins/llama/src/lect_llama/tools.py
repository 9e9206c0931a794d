"""What Llama 3.1, 3.2, 3.2 Vision and 4 share.

The order of a prompt, where tools stand in it, and how calls and results are written.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from lect.errors import MessageError
from lect.plugin import Call, Chat, Message, Writer

TOOL_OPTIONS = ("custom_tools", "tools_in_user_message")
RESULT_ROLES = ("tool", "ipython")

# The makers put no space between these sentences.
FORMAT = (
    'Respond in the format {"name": function name, "parameters": dictionary of argument name and its value}.Do not use '
    "variables.\n\n"
)
FOR_THE_SYSTEM = (
    "You have access to the following functions. To call a function, please respond with JSON for a function call."
)
FOR_THE_USER = (
    "Given the following functions, please respond with a JSON for a function call with its proper arguments that best "
    "answers the given prompt.\n\n"
)

Write = Callable[[Chat, Writer, Message], None]


class Shape(NamedTuple):
    """What differs between the generations."""

    header: str
    """Before the role."""
    end_header: str
    """After it."""
    end: str
    """After a turn."""
    write_first: Write
    """Writes the system text, and the user's text that follows the tools."""
    write_text: Write
    """Writes all other texts."""
    write_calls: Write
    """Writes a whole turn that has a list of tool calls, even an empty one."""


def offered_tools(chat: Chat) -> list[str] | None:
    """Return the tools as JSON text, those of the option `custom_tools` before all others; None where there are none.

    Raises:
        MessageError: If the option is no list.
    """
    if "custom_tools" not in chat.options:
        return [chat.json(tool, "tools", index, indent=4) for index, tool in enumerate(chat.tools)] or None
    tools = chat.option("custom_tools")
    if tools is None:
        return None
    if not isinstance(tools, list | tuple):
        msg = (
            f"option custom_tools is {tools!r} ({type(tools).__name__}); expected a list of tool schemas\n"
            "  try: tools=[...]"
        )
        raise MessageError(msg)
    return [chat.json(tool, "options", "custom_tools", index, indent=4) for index, tool in enumerate(tools)]


def write_functions(out: Writer, introduction: str, tools: Sequence[str]) -> None:
    """Write the tools with what the model is told about them."""
    out += introduction, FORMAT
    for tool in tools:
        out += tool, "\n\n"


def write_system(
    chat: Chat,
    out: Writer,
    shape: Shape,
    tools: Sequence[str] | None,
    *,
    about: Sequence[str] = (),
    ipython: bool = False,
) -> None:
    """Write the system turn, also where there is no system text.

    `about` comes first, then tools that shall stand here.
    """
    system = chat.system
    out.turn(system)
    out += shape.header, "system", shape.end_header
    if ipython or tools is not None:
        out.append("Environment: ipython\n")
    out += about
    if tools is not None and not chat.option("tools_in_user_message", True):
        write_functions(out, FOR_THE_SYSTEM, tools)
    if system is not None:
        shape.write_first(chat, out, system)
    out.append(shape.end)
    out.turn(None)


def write_turns(chat: Chat, out: Writer, shape: Shape, tools: Sequence[str] | None) -> None:
    """Write all that follows the system turn.

    Tools that shall stand before the first text, the turns, the generation prompt.
    """
    messages = chat.messages[1:] if chat.system else chat.messages
    if tools is not None and chat.option("tools_in_user_message", True):
        if not messages:
            chat.refuse(
                "tools stand in the first user message, and there is none",
                instead="add a user message, or tools_in_user_message=False",
            )
        # Whoever speaks first, the makers' templates take it for the user.
        first, *messages = messages
        out.turn(first)
        out += shape.header, "user", shape.end_header
        write_functions(out, FOR_THE_USER, tools)
        shape.write_first(chat, out, first)
        out.append(shape.end)
    for message in out.turns(messages):
        if message.raw.get("tool_calls") is not None:
            shape.write_calls(chat, out, message)
        elif message.role in RESULT_ROLES:
            write_result(chat, out, message, shape)
        else:
            out += shape.header, message.role, shape.end_header
            shape.write_text(chat, out, message)
            out.append(shape.end)
    if chat.add_generation_prompt:
        out += shape.header, "assistant", shape.end_header


def write_result(chat: Chat, out: Writer, message: Message, shape: Shape) -> None:
    """Write what a tool gave: as JSON, text too."""
    content = message.raw.get("content")
    result = chat.json("" if content is None else content, "messages", message.index, "content")
    out += shape.header, "ipython", shape.end_header, result, shape.end


def write_call(chat: Chat, out: Writer, call: Call) -> None:
    """Write a call as JSON."""
    out += '{"name": "', call.name, '", "parameters": ', chat.json(call.arguments, *call.path, "arguments"), "}"


def only_call(chat: Chat, message: Message) -> Call:
    """Return the one call of a message.

    Raises:
        RefusedError: If it has several, or none.
    """
    calls = message.tool_calls
    if len(calls) != 1:
        what = f"messages[{message.index}] has {len(calls)} tool calls; the model makes one at a time"
        chat.refuse(
            what,
            instead="give every call a message of its own, with its result after it; leave out an empty tool_calls",
        )
    return calls[0]
