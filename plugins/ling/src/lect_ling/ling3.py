"""Ling 3.0: the system turn says whether there is detailed thinking, all thoughts are kept, and calls are in XML."""

from lect.plugin import Call, Chat, Writer, think_tags
from lect.plugin.grammar import KEY_VALUE_CALL, THINK, Grammar, ReplyFormat, Section
from lect_ling.ling2 import END, LING2, write_tools

LING3_REPLIES = ReplyFormat(
    Grammar(
        "ling3",
        reasoning=THINK.but(lead="", trail="", after=""),
        sections=(Section((KEY_VALUE_CALL,), before=("\n",)),),
    ),
    stop=(END, "<|endoftext|>"),
    names="Ling-3",
    example="<tool_call>get_weather\n<arg_key>city</arg_key>\n<arg_value>Paris</arg_value>\n</tool_call>",
)
SWITCHES = ("detailed thinking on", "detailed thinking off")


def write_system(chat: Chat, out: Writer, thinking: str) -> None:
    """Write the system turn: the caller's text, the tools, and the switch for thinking unless the text has one."""
    text = chat.system.content if chat.system else ""
    switched = any(switch in text for switch in SWITCHES)
    out.append("<role>SYSTEM</role>")
    if chat.system:
        out.turn(chat.system)
        out += text, "" if switched and not chat.tools else "\n"
        out.turn(None)
    write_tools(
        chat,
        out,
        "If none of the functions can be used, point it out. If the given question lacks the "
        "parameters required by the function, also point it out.\nIf you need to use a function, for each function "
        "call, output the function name and arguments within the following XML format:\n"
        "<tool_call>{function-name}\n<arg_key>{arg-key-1}</arg_key>\n<arg_value>{arg-value-1}</arg_value>\n"
        "<arg_key>{arg-key-2}</arg_key>\n<arg_value>{arg-value-2}</arg_value>\n...\n</tool_call>\n",
    )
    out += *(() if switched else ("detailed thinking ", thinking)), END


def write_call(chat: Chat, out: Writer, call: Call) -> None:
    """Write one call: each argument in a pair of tags, texts as they are and the rest as JSON."""
    out += "<tool_call>", call.name, "\n"
    for name, value, where in chat.named_arguments(call):
        text = chat.text(value, *where) if isinstance(value, str) else chat.json(value, *where)
        out += "<arg_key>", name, "</arg_key>\n<arg_value>", text, "</arg_value>"
    out.append("\n</tool_call>")


def ling3(chat: Chat, out: Writer) -> None:
    """Write Ling 3.0: every answer has a thought, and consecutive tool results share one turn."""
    thinking = chat.text_option("thinking_option", "on")
    if "enable_thinking" in chat.options:
        thinking = "on" if chat.option("enable_thinking") else "off"
    write_system(chat, out, thinking)
    for position, message in enumerate(out.turns(chat.messages)):
        role = message.role
        if role == "user" or (role == "system" and position):
            out += "<role>HUMAN</role>" if role == "user" else "<role>SYSTEM</role>", message.content, END
        elif role == "assistant":
            reasoning = message.reasoning
            thought, content = (reasoning, message.content) if reasoning else think_tags(message.content)
            if thought:
                out += "<role>ASSISTANT</role>\n<think>", thought.strip("\n"), "</think>", content.lstrip("\n")
            else:
                out += "<role>ASSISTANT</role>\n<think></think>", content
            for index, call in enumerate(message.tool_calls):
                out.append("\n" if index or content else "")
                write_call(chat, out, call)
            out.append(END)
        elif role == "tool":
            if chat.begins_run(message):
                out.append("<role>OBSERVATION</role>")
            out += "\n<tool_response>\n", message.content, "\n</tool_response>"
            if chat.ends_run(message):
                out.append(END)
    if chat.add_generation_prompt:
        out.append("<role>ASSISTANT</role>")
        if thinking in ("on", "off"):
            out.append("\n<think>" if thinking == "on" else "\n<think></think>")


LING3 = LING2.but(
    name="ling-3.0",
    program=ling3,
    options={"enable_thinking": bool, "thinking_option": str},
    markers=[*LING2.markers, "<arg_key>", "</arg_key>", "<arg_value>", "</arg_value>"],
    reply=LING3_REPLIES.grammar,
    source="inclusionAI/Ling-3.0-flash, chat_template.jinja, as xinference 4.1.0 and ggml-org/llama.cpp have it",
    evidence="second-hand",
)
