"""Ling 2.0: a system turn that says that there is no detailed thinking, and calls as JSON in tags."""

from lect.plugin import Chat, Template, Writer, thought_and_answer
from lect.plugin.grammar import HERMES_JSON

END = "<|role_end|>"


def write_tools(chat: Chat, out: Writer, how: str) -> None:
    """Write the tools, one JSON object a line, and how they are called."""
    if chat.tools:
        out.append(
            "# Tools\n\nYou may call one or more functions to assist with the user query.\n\n"
            "You are provided with function signatures within <tools></tools> XML tags:\n<tools>"
        )
        for index, tool in enumerate(chat.tools):
            out += "\n", chat.json(tool, "tools", index)
        out += "\n</tools>\n\n", how


def write_system(chat: Chat, out: Writer) -> None:
    """Write the system turn: the caller's text, the tools, and the switch for thinking."""
    system = chat.system
    out.append("<role>SYSTEM</role>")
    if system:
        out.turn(system)
        out += system.content, "\n"
        out.turn(None)
    write_tools(
        chat,
        out,
        "For each function call, return a json object with function name and arguments within "
        "<tool_call></tool_call> XML tags:\n"
        '<tool_call>\n{"name": <function-name>, "arguments": <args-json-object>}\n</tool_call>\n',
    )
    out += "detailed thinking off", END


def ling2(chat: Chat, out: Writer) -> None:
    """Write Ling 2.0: thoughts are kept only after the last question, and consecutive tool results share one turn."""
    write_system(chat, out)
    messages = chat.messages
    questions = [message.index for message in messages if message.role == "user" and not is_result(message.content)]
    question = questions[-1] if questions else len(messages) - 1
    for position, message in enumerate(out.turns(messages)):
        role = message.role
        if role == "user" or (role == "system" and position):
            out += "<role>HUMAN</role>" if role == "user" else "<role>SYSTEM</role>", message.content, END
        elif role == "assistant":
            thought, content = thought_and_answer(message)
            out.append("<role>ASSISTANT</role>")
            if thought and position > question:
                out += "\n<think>\n", thought.strip("\n"), "\n</think>\n\n", content.lstrip("\n")
            else:
                out.append(content)
                out.by_rule(message.reasoning)
            for index, call in enumerate(message.tool_calls):
                out += "\n" if index or content else "", '<tool_call>\n{"name": "', call.name, '", "arguments": '
                out += chat.arguments_as_given(call), "}\n</tool_call>"
            out.append(END)
        elif role == "tool":
            if chat.begins_run(message):
                out.append("<role>OBSERVATION</role>")
            out += "\n<tool_response>\n", message.content, "\n</tool_response>"
            if chat.ends_run(message):
                out.append(END)
    if chat.add_generation_prompt:
        out.append("<role>ASSISTANT</role>")


def is_result(content: str) -> bool:
    """Return whether a user's text is the result of a tool."""
    return content.startswith("<tool_response>") and content.endswith("</tool_response>")


LING2 = Template(
    "ling-2.0",
    ling2,
    roles=["system", "user", "assistant", "tool"],
    capabilities=["system", "tools", "parallel_tools", "reasoning"],
    stop={END: 156895, "<|endoftext|>": 156892},
    markers={
        "<|startoftext|>": 156891, "<|endoftext|>": 156892, END: 156895,
        **dict.fromkeys((
            "<role>", "</role>", "<tool_call>", "</tool_call>", "<tool_response>", "</tool_response>", "<think>",
            "</think>", "[CLS]", "[gMASK]",
        )),
    },
    control_tokens=["<role>", "</role>"],
    reply=HERMES_JSON,
    source="inclusionAI/Ling-V2, resource/tokenizer/config_sft/tokenizer_config.json, 2025-09-10",
)  # fmt: skip
