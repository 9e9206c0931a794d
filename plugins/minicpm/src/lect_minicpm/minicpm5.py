"""MiniCPM5: ChatML with calls in XML tags."""

from lect.plugin import Call, Chat, Message, Template, Writer, thought_and_answer
from lect.plugin.grammar import QUOTED_KEY, QUOTED_NAME, THINK, CallSyntax, Grammar, Head, Params, ReplyFormat, Section
from lect_minicpm.chatml import last_question, write_generation, write_result, write_thought

MINICPM5_XML = ReplyFormat(
    Grammar(
        "minicpm5_xml",
        reasoning=THINK,
        sections=(
            Section(
                (
                    CallSyntax(
                        Params(
                            "<param",
                            Head((">",), QUOTED_KEY),
                            "</param>",
                            cdata=True,
                        ),
                        ("<function",),
                        Head((">",), QUOTED_NAME),
                        ("</function>",),
                    ),
                ),
            ),
        ),
    ),
    stop=("<|im_end|>", "<|endoftext|>"),
    names="MiniCPM5",
    example='<function name="get_weather"><param name="city">Paris</param></function>',
)

HOW_TO_CALL = (
    "\n</tools>\n\n"
    "Tool usage guidelines:\n"
    "- You may call zero or more functions. If no function calls are needed, just answer normally and do not include "
    "any <function ... </function>.\n"
    "- When calling a function, return an XML object within <function ... </function> using:\n"
    '<function name="function-name"><param name="param-name">param-value</param></function>\n'
    "- param-value may be multi-line. If it contains <, & or newline characters, wrap it in a CDATA block: "
    '<param name="param-name"><![CDATA[...multi-line value...]]></param>'
)
NEED_CDATA = ("<", "&", "\n")
TOOLS_HERE = "<tool_def_sep>"
"""Marks where the tools go in a system text."""


def write_tools(chat: Chat, out: Writer) -> None:
    """Write the tools, one JSON object per line, and how to call them."""
    out.append("# Tools\n\nYou are provided with function signatures within <tools></tools> XML tags:\n<tools>")
    for index, tool in enumerate(chat.tools):
        out += "\n", chat.json(tool, "tools", index)
    out.append(HOW_TO_CALL)


def write_system(chat: Chat, out: Writer) -> None:
    """Write the system turn where there is a system text or a tool."""
    system = chat.system
    if not (system or chat.tools):
        return
    out.append("<|im_start|>system\n")
    out.turn(system)
    if system and chat.tools and TOOLS_HERE in system.content:
        first, *others = system.content.split(TOOLS_HERE)
        out.append(first)
        for text in others:
            write_tools(chat, out)
            out.append(text)
    else:
        if system:
            out += system.content, "\n\n" if chat.tools else ""
        if chat.tools:
            write_tools(chat, out)
    out.turn(None)
    out.append("<|im_end|>\n")


def write_call(chat: Chat, out: Writer, call: Call) -> None:
    """Write a call, with each argument in its own tag.

    Raises:
        RefusedError: If the arguments are not a mapping.
    """
    out += '<function name="', call.name, '">'
    for name, value, where in chat.named_arguments(call):
        text = chat.text(value, *where)
        out += '<param name="', name, '">'
        if isinstance(value, str) and any(each in value for each in NEED_CDATA):
            out += "<![CDATA[", text, "]]>"
        else:
            out.append(text)
        out.append("</param>")
    out.append("</function>")


def write_calls(chat: Chat, out: Writer, message: Message, *, after_text: bool) -> None:
    """Write the calls of a message, each on its own line, and end the turn."""
    for index, call in enumerate(message.tool_calls):
        out.append("\n" if index or after_text else "")
        write_call(chat, out, call)
    out.append("<|im_end|>\n")


def answer_of(message: Message) -> tuple[str, str]:
    """Return the reasoning and the answer; if there are calls, only what precedes the first `<tool_sep>`."""
    thought, content = thought_and_answer(message)
    return thought, content.split("<tool_sep>")[0] if message.tool_calls else content


def write_kept(out: Writer, message: Message, thought: str, content: str, *, is_after_question: bool) -> None:
    """Write an answer of MiniCPM5-1B: thoughts are kept only after the last question."""
    if is_after_question and thought:
        write_thought(out, thought, content)
    else:
        out.append(content)
        out.by_rule(message.reasoning)


def write_always(out: Writer, thought: str, content: str) -> None:
    """Write an answer of MiniCPM5-2B: there is always a thought, even if empty."""
    if thought or not ("<think>" in content or "</think>" in content):
        write_thought(out, thought, content)
    else:
        out.append(content)


def write_turns(chat: Chat, out: Writer, *, keeps_thoughts: bool) -> None:
    """Write all turns; with `keeps_thoughts`, earlier answers keep their thoughts too."""
    out.append(chat.bos)
    write_system(chat, out)
    messages = chat.messages
    question = last_question(messages)
    for position, message in enumerate(out.turns(messages)):
        role = message.role
        if role == "user" or (role == "system" and position):
            out += "<|im_start|>", role, "\n", message.content, "<|im_end|>\n"
        elif role == "assistant":
            thought, content = answer_of(message)
            out += "<|im_start|>", role, "\n"
            if keeps_thoughts:
                write_always(out, thought, content)
            else:
                write_kept(out, message, thought, content, is_after_question=position > question)
            write_calls(chat, out, message, after_text=bool(content))
        elif role == "tool":
            write_result(chat, out, message)
    write_generation(chat, out)


def minicpm5(chat: Chat, out: Writer) -> None:
    """Write MiniCPM5-1B."""
    write_turns(chat, out, keeps_thoughts=False)


def minicpm5_2b(chat: Chat, out: Writer) -> None:
    """Write MiniCPM5-2B."""
    write_turns(chat, out, keeps_thoughts=True)


MINICPM5 = Template(
    "minicpm5",
    minicpm5,
    roles=["system", "user", "assistant", "tool"],
    bos="<s>",
    capabilities=["system", "tools", "parallel_tools", "reasoning"],
    options={"enable_thinking": bool},
    stop={"<|im_end|>": 130073, "</s>": 1},
    markers=[
        *("<s>", "</s>", "<|im_start|>", "<|im_end|>", "<think>", "</think>", "<tool_response>", "</tool_response>"),
        *("<function", "</function>", "<param", "</param>", "<tool_sep>", TOOLS_HERE),
    ],
    reply=MINICPM5_XML.grammar,
    source="openbmb/MiniCPM5-1B, chat_template.jinja",
)
MINICPM5_2B = MINICPM5.but(
    name="minicpm5-2b",
    program=minicpm5_2b,
    source="openbmb/MiniCPM5-2B, chat_template.jinja",
)
