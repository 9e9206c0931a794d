"""MiniMax-M1: every turn says who speaks and under which name."""

from lect.plugin import Chat, Message, Template, Writer
from lect.plugin.grammar import JSON_OBJECT, THINK, Grammar, Section


def texts_of(message: Message) -> list[str]:
    """Return the texts of a message: its content, or its text parts."""
    if not message.parts:
        return [message.content]
    return [part.text for part in message.parts if part.type == "text"]


def write_turn(out: Writer, who: str, *pieces: str) -> None:
    """Write one turn."""
    out += "<beginning_of_sentence>", who, "\n", *pieces, "<end_of_sentence>\n"


def write_tools(chat: Chat, out: Writer) -> None:
    """Write the tools, if there are any; the option `custom_tools` takes precedence, even if it has none."""
    custom = chat.option("custom_tools", kind="mappings")
    tools, path = (chat.tools, ("tools",)) if custom is None else (custom, ("options", "custom_tools"))
    if custom is None and not tools:
        return
    shown = [piece for index, tool in enumerate(tools) for piece in (chat.json(tool, *path, index), "\n")]
    write_turn(
        out,
        "system tool_setting=tools",
        "You are provided with these tools:\n<tools>\n",
        *shown,
        "</tools>\n\nIf you need to call tools, please respond with <tool_calls></tool_calls> XML tags, and provide "
        "tool-name and json-object of arguments, following the format below:\n<tool_calls>\n"
        '{"name": <tool-name>, "arguments": <args-json-object>}\n...\n</tool_calls>',
    )


def m1(chat: Chat, out: Writer) -> None:
    """Write MiniMax-M1. An answer with calls is its calls alone."""
    out.append("<begin_of_document>")
    system = chat.system
    # If a system message is in parts, only the first is read.
    text = (system.parts[0].text if system.parts else system.content).strip() if system else chat.default_system
    if text:
        out.turn(system)
        write_turn(out, "system ai_setting=assistant", text)
        out.turn(None)
    write_tools(chat, out)
    for message in out.turns(chat.without_system):
        role = message.role
        if message.tool_calls:
            pieces = ["<tool_calls>\n"]
            for call in message.tool_calls:
                pieces += '{"name": "', call.name, '", "arguments": ', chat.arguments(call), "}\n"
            write_turn(out, "ai name=assistant", *pieces, "</tool_calls>")
        elif role in ("tool", "ipython"):
            pieces = [piece for text in texts_of(message) for piece in ("tool result: ", text, "\n\n")]
            write_turn(out, "tool name=tools", *pieces)
        elif role in ("user", "assistant"):
            who = "user name=user" if role == "user" else "ai name=assistant"
            write_turn(out, who, *(text.strip() for text in texts_of(message)))
    if chat.add_generation_prompt:
        out.append("<beginning_of_sentence>ai name=assistant\n")


M1 = Template(
    "minimax-m1",
    m1,
    roles=["system", "user", "assistant", "tool", "ipython"],
    default_system="You are a helpful assistant created by Minimax based on MiniMax-M1 model.",
    capabilities=["system", "tools", "parallel_tools", "reasoning"],
    options=["custom_tools"],
    accepts=["parts"],
    stop=["<end_of_sentence>"],
    markers=[
        "<begin_of_document>",
        "<beginning_of_sentence>",
        "<end_of_sentence>",
        "<tool_calls>",
        "</tool_calls>",
    ],
    control_tokens=["<begin_of_document>", "<beginning_of_sentence>"],
    reply=Grammar(
        "minimax_m1",
        # The maker says so in vllm-project/vllm#24653, and its guide to function calls has a reply with it.
        reasoning=THINK.but(written=("\n", "\n</think>\n")),
        sections=(Section((JSON_OBJECT,), ("<tool_calls>",), ("</tool_calls>",)),),
    ),
    source="MiniMaxAI/MiniMax-M1-80k, tokenizer_config.json",
)
