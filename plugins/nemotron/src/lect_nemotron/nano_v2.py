"""Nemotron Nano v2: thinking that words in the messages switch on and off."""

from collections.abc import Sequence

from lect.plugin import Call, Chat, Message, Template, Writer
from lect.plugin.grammar import JSON_OBJECT, THINK, Grammar, ReplyFormat, Section

NEMOTRON_NANO_V2 = ReplyFormat(
    Grammar(
        "nemotron_nano_v2",
        # So the maker's ThinkingBudgetClient ends a thought that is too long ("Now Serving NVIDIA Nemotron with vLLM").
        reasoning=THINK.but(written=("\n", "\n</think>\n\n")),
        sections=(Section((JSON_OBJECT,), (("<TOOLCALL>", "["),), (("]", "</TOOLCALL>"),), between=","),),
    ),
    stop=("<SPECIAL_12>", "</s>"),
    names="Nemotron-Nano-v2, Llama-Nemotron-Super-v1.5",
    example='<TOOLCALL>[{"name": "get_weather", "arguments": {"city": "Paris"}}]</TOOLCALL>',
)


def thinks(chat: Chat) -> bool:
    """Return whether the model is to think: the last system or user message that switches it decides."""
    think = True
    for message in chat.messages:
        if message.role in ("user", "system"):
            if "/think" in message.content:
                think = True
            elif "/no_think" in message.content:
                think = False
    return think


def without_words(text: str) -> str:
    """Return a text without the words that switch thinking."""
    return text.replace("/think", "").replace("/no_think", "").strip()


def write_system(chat: Chat, out: Writer) -> None:
    """Write the system text and the tools."""
    system = chat.system
    text = without_words(system.content) if system else ""
    out.append("<SPECIAL_10>System\n")
    out.turn(system)
    out.append(text)
    out.turn(None)
    if chat.tools:
        out += (
            "\n\n" if text else "",
            "You can use the following tools to assist the user if required:\n<AVAILABLE_TOOLS>[",
        )
        for index in range(len(chat.tools)):
            function, path = chat.function(index)
            out += ", " if index else "", chat.json(function, *path)
        out.append(
            "]</AVAILABLE_TOOLS>\n\nIf you decide to call any tool(s), use the following format:\n"
            '<TOOLCALL>[{{"name": "tool_name1", "arguments": "tool_args1"}}, '
            '{{"name": "tool_name2", "arguments": "tool_args2"}}]</TOOLCALL>\n\n'
            "The user will execute tool-calls and return responses from tool(s) in this format:\n"
            '<TOOL_RESPONSE>[{{"tool_response1"}}, {{"tool_response2"}}]</TOOL_RESPONSE>\n\n'
            "Based on the tool responses, you can call additional tools if needed, correct tool calls if any errors "
            "are found, or just respond to the user."
        )
    out.append("\n\n")


def write_calls(chat: Chat, out: Writer, calls: Sequence[Call]) -> None:
    """Write the calls of an answer as one list."""
    out.append("<TOOLCALL>[")
    for index, call in enumerate(calls):
        out += ", " if index else "", '{"name": "', call.name, '", "arguments": ', chat.arguments_as_given(call), "}"
    out.append("]</TOOLCALL>")


def write_end(chat: Chat, out: Writer, last: Message | None) -> None:
    """Write a final answer, if there is one, and the opening of an answer, if requested."""
    answer = last.content.strip() if last else ""
    if answer or chat.add_generation_prompt:
        out += "<SPECIAL_11>Assistant\n", "<think>\n" if thinks(chat) else "<think></think>", answer
    if chat.add_generation_prompt:
        return
    if answer:
        out.append("\n<SPECIAL_12>\n")
    if last and last.tool_calls:
        out.append("<SPECIAL_11>Assistant\n")
        write_calls(chat, out, last.tool_calls)
        out.append("<SPECIAL_12>\n\n")


def nano_v2(chat: Chat, out: Writer) -> None:
    """Write Nemotron Nano v2.

    A final answer is written as the model gives it, with a thought before it, and left open if a generation prompt is
    requested.
    """
    if not chat.without_system:
        chat.refuse("there are no messages besides the system's", instead="add a user message")
    write_system(chat, out)
    messages = chat.without_system
    last = messages[-1] if messages[-1].role == "assistant" else None
    if last:
        messages = messages[:-1]
    for message in out.turns(messages):
        role, content = message.role, message.content
        if role == "user":
            out += "<SPECIAL_11>User\n", without_words(content), "\n"
        elif role == "tool":
            out += "<SPECIAL_11>User\n<TOOL_RESPONSE>[" if chat.begins_run(message) else "", content
            out.append("]</TOOL_RESPONSE>" if chat.ends_run(message) else ", ")
        elif role == "assistant":
            if "</think>" in content:
                content = content.split("</think>")[1]
            out += "<SPECIAL_11>Assistant\n", content.strip()
            if message.tool_calls:
                out.append("\n" if content.strip() else "")
                write_calls(chat, out, message.tool_calls)
            out.append("\n<SPECIAL_12>\n")
    out.turn(last)
    write_end(chat, out, last)
    out.turn(None)


NANO_V2 = Template(
    "nemotron-nano-v2",
    nano_v2,
    roles=["system", "user", "assistant", "tool"],
    capabilities=["system", "tools", "parallel_tools", "reasoning"],
    accepts=["null"],
    stop=["<SPECIAL_12>", "</s>"],
    markers=[
        "<SPECIAL_{}>",
        "<s>",
        "</s>",
        "<unk>",
        "<think>",
        "</think>",
        "<AVAILABLE_TOOLS>",
        "</AVAILABLE_TOOLS>",
        "<TOOLCALL>",
        "</TOOLCALL>",
        "<TOOL_RESPONSE>",
        "</TOOL_RESPONSE>",
    ],
    control_tokens=["<s>", "<unk>"],
    reply=NEMOTRON_NANO_V2.grammar,
    source="nvidia/NVIDIA-Nemotron-Nano-9B-v2, tokenizer_config.json",
)
