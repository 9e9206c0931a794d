"""The formats of Laguna: turns, thoughts, calls and arguments in tags."""

from functools import partial

from lect.plugin import Call, Chat, Template, Writer, think_tags
from lect.plugin.grammar import KEY_VALUE_CALL, THINK, Grammar, ReplyFormat, Section

POOLSIDE_V1 = ReplyFormat(
    Grammar(
        "poolside_v1",
        reasoning=THINK,
        sections=(Section((KEY_VALUE_CALL,), before=("\n",)),),
    ),
    stop=("</assistant>", "<|endoftext|>"),
    names="Laguna",
    example="<tool_call>get_weather\n<arg_key>city</arg_key>\n<arg_value>Paris</arg_value>\n</tool_call>",
)

WHO_IT_IS = (
    "You are a helpful, conversationally-fluent assistant made by Poolside. You are here to be helpful to users "
    "through natural language conversations."
)
TOOLS = (
    "### Tools\n\nYou may call functions to assist with the user query.\n"
    "All available function signatures are listed below:\n<available_tools>\n"
)
THINK_FIRST = "Wrap your thinking in '<think>', '</think>' tags, followed by a function call. "
HOW_TO_CALL = (
    "For each function call, return an unescaped XML-like object with function name and arguments within '<tool_call>' "
    "and '</tool_call>' tags, like here:\n"
)
A_THOUGHT = "<think> your thoughts here </think>\n"
A_CALL = (
    "<tool_call>function-name\n<arg_key>argument-key</arg_key>\n<arg_value>value-of-argument-key</arg_value>\n"
    "</tool_call>"
)


def write_tools(chat: Chat, out: Writer) -> None:
    """Write the tools, one per line."""
    out.append(TOOLS)
    for index, tool in enumerate(chat.tools):
        out += chat.json(tool, "tools", index), "\n"
    out.append("</available_tools>")


def write_call(chat: Chat, out: Writer, call: Call, line: str) -> None:
    """Write one call: each argument in a pair of tags, texts as they are and the rest as JSON."""
    out += "<tool_call>", call.name, line
    for name, value, where in chat.named_arguments(call):
        text = chat.text(value, *where) if isinstance(value, str) else chat.json(value, *where)
        out += "<arg_key>", name, "</arg_key>", line, "<arg_value>", text, "</arg_value>", line
    out += "</tool_call>", line


def write_raw(out: Writer, content: str, *, thinking: bool) -> None:
    """Write an answer as the model wrote it, adding missing tags at both ends."""
    opening = "<think>" if thinking else "</think>"
    if not content.startswith(opening):
        out.append(opening)
    out.append(content)
    if not content.endswith(("</assistant>\n", "</assistant>")):
        out.append("\n</assistant>")
    out.append("\n")


def laguna_xs(chat: Chat, out: Writer, *, opening: str = "<assistant>\n") -> None:
    """Write Laguna XS: everything is on its own line; it does not think unless `enable_thinking` is true."""
    thinking = bool(chat.option("enable_thinking", False))
    raw = bool(chat.option("render_assistant_messages_raw", False))
    system = chat.system
    text = (system.content if system else chat.default_system).rstrip()
    out.append("〈|EOS|〉")
    if text or chat.tools:
        out.turn(system)
        out.append("<system>\n")
        if text:
            out += "\n", text
        out.turn(None)
        if chat.tools:
            out.append("\n\n")
            write_tools(chat, out)
            out += "\n\n", *((THINK_FIRST, HOW_TO_CALL, A_THOUGHT) if thinking else (HOW_TO_CALL,)), A_CALL
        out.append("\n</system>\n")
    for message in out.turns(chat.without_system):
        role = message.role
        if role in ("user", "system"):
            out += "<", role, ">\n", message.content, "\n</", role, ">\n"
        elif role == "tool":
            out += "<tool_response>\n", message.content, "\n</tool_response>\n"
        elif role == "assistant":
            out.append(opening)
            if raw:
                write_raw(out, message.content, thinking=thinking)
                continue
            # Tags are removed from the content even if reasoning is given separately.
            thought, answer = think_tags(message.content)
            thought = message.reasoning or thought
            if thought:
                out += "<think>\n", thought.strip(), "\n</think>\n"
            else:
                out.append("</think>\n")
            if answer.strip():
                out += answer.strip(), "\n"
            for call in message.tool_calls:
                write_call(chat, out, call, "\n")
            out.append("</assistant>\n")
    if chat.add_generation_prompt:
        out += opening, "<think>" if thinking else "</think>"


def laguna_s(chat: Chat, out: Writer) -> None:
    """Write Laguna S: nothing is on its own line; it thinks unless `enable_thinking` is false."""
    thinking = bool(chat.option("enable_thinking", True))
    keeps = thinking or bool(chat.option("preserve_thinking", False))
    system = chat.system
    text = (system.content if system else chat.default_system).rstrip()
    out.append("〈|EOS|〉")
    if text or chat.tools or thinking:
        out.turn(system)
        out.append("<system>")
        if text:
            out.append(text)
        out.turn(None)
        if chat.tools:
            if text:
                out.append("\n\n")
            write_tools(chat, out)
        out.append("</system>\n")
    for message in out.turns(chat.without_system):
        role = message.role
        if role in ("user", "system"):
            out += "<", role, ">", message.content, "</", role, ">\n"
        elif role == "tool":
            out += "<tool_response>", message.content, "</tool_response>\n"
        elif role == "assistant":
            if keeps:
                out += "<assistant><think>", message.reasoning or "", "</think>"
            else:
                out.append("<assistant></think>")
                out.by_rule(message.reasoning)
            out.append(message.content)
            for call in message.tool_calls:
                write_call(chat, out, call, "")
            out.append("</assistant>\n")
    if chat.add_generation_prompt:
        out += "<assistant>", "<think>" if thinking else "</think>"


LAGUNA_XS2 = Template(
    "laguna-xs.2",
    laguna_xs,
    default_system=WHO_IT_IS,
    roles=["system", "user", "assistant", "tool"],
    capabilities=["system", "tools", "parallel_tools", "reasoning"],
    options={"enable_thinking": bool, "render_assistant_messages_raw": bool},
    reply=POOLSIDE_V1.grammar,
    stop=["</assistant>", "〈|EOS|〉"],
    markers=[
        "〈|EOS|〉", "<system>", "</system>", "<user>", "</user>", "<assistant>", "</assistant>", "<think>", "</think>",
        "<tool_call>", "</tool_call>", "<tool_response>", "</tool_response>", "<arg_key>", "</arg_key>", "<arg_value>",
        "</arg_value>", "<available_tools>", "</available_tools>",
    ],
    source="poolside/Laguna-XS.2, chat_template.jinja",
)  # fmt: skip
LAGUNA_XS2_1 = LAGUNA_XS2.but(
    name="laguna-xs-2.1", default_system="", source="poolside/Laguna-XS-2.1, chat_template.jinja"
)
LAGUNA_S2_1 = LAGUNA_XS2.but(
    name="laguna-s-2.1",
    program=laguna_s,
    options={"enable_thinking": bool, "preserve_thinking": bool},
    source="poolside/Laguna-S-2.1, chat_template.jinja",
)
LAGUNA_M1 = LAGUNA_XS2.but(
    name="laguna-m.1",
    program=partial(laguna_xs, opening="<assistant>"),
    source="poolside/Laguna-M.1, as poolside's request to ggml-org/llama.cpp has it, models/templates/laguna-v8.jinja",
    evidence="second-hand",
)
