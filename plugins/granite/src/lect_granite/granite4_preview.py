"""Granite 4.0 Tiny Preview: the turns of Granite 3.3, with calls and their results in turns of their own."""

from lect.plugin import Chat, Writer
from lect_granite.granite3 import GRANITE3_1, LIST_THE_CALLS, tools_of, write_system, written_day


def granite4_preview(chat: Chat, out: Writer) -> None:
    """Write Granite 4.0 Tiny Preview. The calls of an answer stand in the place of its text."""
    tools, path = tools_of(chat)
    day = written_day(chat.date())
    default = ["Knowledge Cutoff Date: April 2025. Today's Date: ", day, ". You are Granite, developed by IBM."]
    write_system(chat, out, [*default, LIST_THE_CALLS if tools else " You are a helpful AI assistant."])
    if tools:
        out += "<|start_of_role|>available_tools<|end_of_role|>", chat.json(tools, *path, indent=4), "<|end_of_text|>\n"
    messages = chat.without_system
    for message in out.turns(messages):
        if message.role == "assistant" and message.tool_calls:
            calls = chat.json(message.raw["tool_calls"], "messages", message.index, "tool_calls")
            out += "<|start_of_role|>assistant<|end_of_role|><|tool_call|>", calls, "<|end_of_text|>\n"
            out.by_rule(message.content)
        elif message.role == "assistant_tool_call":
            out += "<|start_of_role|>assistant<|end_of_role|><|tool_call|>", message.content, "<|end_of_text|>\n"
        else:
            role = "tool_response" if message.role == "tool" else message.role
            out += "<|start_of_role|>", role, "<|end_of_role|>", message.content, "<|end_of_text|>\n"
    if messages and chat.add_generation_prompt:
        out.append("<|start_of_role|>assistant<|end_of_role|>")


GRANITE4_PREVIEW = GRANITE3_1.but(
    name="granite-4.0-tiny-preview",
    program=granite4_preview,
    roles=["system", "user", "assistant", "assistant_tool_call", "tool", "tool_response"],
    capabilities=["system", "tools", "parallel_tools"],
    options=["available_tools", "date"],
    stop=["<|end_of_text|>"],
    markers=[*GRANITE3_1.markers, "<tool_call>", "</tool_call>"],
    source="ibm-granite/granite-4.0-tiny-preview, chat_template.jinja",
)
