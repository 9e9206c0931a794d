"""EXAONE 4.0: tools in the system turn, and a thought, even if empty, before every answer."""

from lect.plugin import Chat, Message, Template, Writer
from lect.plugin.grammar import HERMES_JSON, JSON_IN_TAGS, THINK

NO_THOUGHT = "<think>\n\n</think>\n\n"
HOW_TO_CALL = (
    "\nFor each function call you want to make, return a JSON object with function name and arguments within "
    "<tool_call> and </tool_call> tags, like:\n"
    '<tool_call>{"name": function_1_name, "arguments": {argument_1_name: argument_1_value, argument_2_name: '
    "argument_2_value}}</tool_call>\n"
    '<tool_call>{"name": function_2_name, "arguments": {...}}</tool_call>\n...\n'
    "Note that if no argument name is specified for a tool, you can just print the argument value directly, without "
    "the argument name or JSON formatting."
)


def write_system(chat: Chat, out: Writer) -> None:
    """Write the system turn where there is a system text or a tool."""
    system = chat.system
    if not (system or (chat.tools and chat.messages)):
        return
    out.append("[|system|]\n")
    if system:
        out.turn(system)
        out += system.content, "\n\n" if chat.tools else ""
        out.turn(None)
    if chat.tools:
        out.append(
            "# Available Tools\nYou can use none, one, or multiple of the following tools by calling them as functions "
            "to help with the user’s query.\n"
            "Here are the tools available to you in JSON format within <tool> and </tool> tags:\n"
        )
        for index, tool in enumerate(chat.tools):
            out += "<tool>", chat.json(tool, "tools", index), "</tool>\n"
        out.append(HOW_TO_CALL)
    out.append("[|endofturn|]\n")


def write_answer(chat: Chat, out: Writer, message: Message) -> None:
    """Write an answer: only the last keeps its thought, and only where the option `skip_think` is False."""
    is_last = message.index + 1 == len(chat.messages)
    thought, content = message.reasoning or None, message.content
    if "</think>" in content:
        pieces = content.split("</think>")
        thought = thought or pieces[0].strip().removeprefix("<think>").strip()
        content = pieces[-1].strip()
    out.append("[|assistant|]\n")
    if message.content and is_last and thought is not None and not chat.option("skip_think", True):
        out += "<think>\n", thought, "\n</think>\n\n"
    else:
        out.append(NO_THOUGHT if message.content or message.tool_calls else "")
        out.by_rule(message.reasoning)
    out.append(content)
    for index, call in enumerate(message.tool_calls):
        out += "\n" if index or message.content else "", '<tool_call>{"name": "', call.name, '", "arguments": '
        out += chat.arguments(call), "}</tool_call>"
    out.append("[|endofturn|]\n")


def exaone4(chat: Chat, out: Writer) -> None:
    """Write EXAONE 4.0. Consecutive tool results share one turn."""
    write_system(chat, out)
    for position, message in enumerate(out.turns(chat.messages)):
        role = message.role
        if role == "assistant":
            write_answer(chat, out, message)
        elif role == "tool":
            if chat.begins_run(message):
                out.append("[|tool|]\n")
            result = chat.json(message.content, "messages", message.index, "content")
            out += '<tool_result>{"result": ', result, "}</tool_result>"
            out.append("[|endofturn|]\n" if chat.ends_run(message) else "\n")
        elif role == "user" or (role == "system" and position):
            out += "[|", role, "|]\n", message.content, "[|endofturn|]\n"
        elif role != "system":
            chat.refuse(f"there is no turn for the role {role!r}", instead="system, user, assistant, tool")
    if chat.add_generation_prompt:
        out += "[|assistant|]\n", "<think>\n" if chat.option("enable_thinking") is True else NO_THOUGHT


EXAONE4 = Template(
    "exaone-4.0",
    exaone4,
    roles=["system", "user", "assistant", "tool"],
    capabilities=["system", "tools", "parallel_tools", "reasoning"],
    options={"enable_thinking": bool, "skip_think": bool},
    stop={"[|endofturn|]": 361},
    markers={
        "[|system|]": 357, "[|tool|]": 358, "[|assistant|]": 359, "[|user|]": 360, "[|endofturn|]": 361, "[BOS]": None,
        "[PAD]": None, "[UNK]": None, "<think>": None, "</think>": None, "<tool_call>": None, "</tool_call>": None,
        "<tool_result>": None, "</tool_result>": None, "<tool>": None, "</tool>": None,
    },
    # The replies of Hermes; what is round a thought as the maker's template writes it with `skip_think=False`.
    reply=HERMES_JSON.but(reasoning=THINK.but(written=("\n", "\n</think>\n\n")), sections=(JSON_IN_TAGS,)),
    source="LGAI-EXAONE/EXAONE-4.0-32B, chat_template.jinja",
)  # fmt: skip
