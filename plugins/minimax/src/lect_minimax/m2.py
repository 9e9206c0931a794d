"""MiniMax-M2, 2.1, 2.5 and 2.7: they differ in the name that the system text gives the model."""

from lect.plugin import Chat, Message, Part, Template, Writer, think_tags
from lect.plugin.grammar import QUOTED_KEY, QUOTED_NAME, THINK, CallSyntax, Grammar, Head, Params, ReplyFormat, Section

MINIMAX_M2_XML = ReplyFormat(
    Grammar(
        "minimax_m2_xml",
        reasoning=THINK,
        sections=(
            Section(
                (
                    CallSyntax(
                        Params("<parameter ", Head((">",), QUOTED_KEY), "</parameter>", untyped="string"),
                        ("<invoke ",),
                        Head((">",), QUOTED_NAME),
                        ("</invoke>",),
                    ),
                ),
                ("<minimax:tool_call>",),
                ("</minimax:tool_call>",),
                before=("\n",),
            ),
        ),
    ),
    stop=("[e~[",),
    names="MiniMax-M2",
    example='<minimax:tool_call>\n<invoke name="get_weather">\n<parameter name="city">Paris</parameter>\n</invoke>\n'
    "</minimax:tool_call>",
    model_types=("minimax_m2",),
)
# The prompt opens the reasoning, and the content is to include that opening.
MINIMAX_APPEND_THINK = ReplyFormat(
    Grammar("minimax_append_think", prefix="<think>"),
    stop=("[e~[",),
    names="MiniMax-M2, for clients that want reasoning in the content",
    example="Two and two.</think>Four.",
)


def write_tools(chat: Chat, out: Writer) -> None:
    """Write the tools, one per line."""
    out.append(
        "\n\n# Tools\nYou may call one or more tools to assist with the user query.\n"
        "Here are the tools available in JSONSchema format:\n\n<tools>\n"
    )
    for index in range(len(chat.tools)):
        function, path = chat.function(index)
        out += "<tool>", chat.json(function, *path), "</tool>\n"
    out.append("</tools>\n\n")


def result_of(chat: Chat, part: Part) -> str:
    """Return a part of a tool's result: its field `output`, its text, or all of it as Python prints it."""
    if "output" in part.raw:
        return chat.text(part.raw["output"], *part.path, "output")
    return part.text if part.type == "text" else chat.printed(part.raw, *part.path)


def require_call(chat: Chat, message: Message, answer: Message | None) -> None:
    """Refuse the result of a tool where `answer`, the last before it, has no calls.

    Raises:
        RefusedError: If the answer has none, or there is no answer.
    """
    if answer is None or not answer.tool_calls:
        chat.refuse(f"messages[{message.index}] is a tool's result, and no call precedes it", instead="add the call")


def write_system(chat: Chat, out: Writer) -> None:
    """Write the system turn: the caller's text, or who the model is; its place and time; the tools."""
    system = chat.system
    out += chat.bos, "]~b]system\n"
    out.turn(system)
    if system and (system.content or system.parts):
        out.append(system.content)
    else:
        out.append(chat.text_option("model_identity", chat.default_system))
    for name, label in (("current_date", "\nCurrent date: "), ("current_location", "\nCurrent location: ")):
        value = system.raw.get(name) if system else None
        if value:
            path = ("messages", 0, name)
            out += label, chat.text(chat.expect("text", value, *path), *path)
    out.turn(None)
    if chat.tools:
        write_tools(chat, out)
        out.append(
            "When making tool calls, use XML format to invoke tools and pass parameters:\n\n<minimax:tool_call>\n"
            '<invoke name="tool-name-1">\n<parameter name="param-key-1">param-value-1</parameter>\n'
            '<parameter name="param-key-2">param-value-2</parameter>\n...\n</invoke>\n</minimax:tool_call>'
        )
    out.append("[e~[\n")


def write_calls(chat: Chat, out: Writer, message: Message) -> None:
    """Write the calls of an answer: texts as they are, other values as JSON."""
    out.append("\n<minimax:tool_call>\n")
    for call in message.tool_calls:
        out += '<invoke name="', call.name, '">\n'
        for name, value, where in chat.named_arguments(call):
            text = chat.text(value, *where) if isinstance(value, str) else chat.json(value, *where)
            out += '<parameter name="', name, '">', text, "</parameter>\n"
        out.append("</invoke>\n")
    out.append("</minimax:tool_call>")


def write_result(chat: Chat, out: Writer, message: Message) -> None:
    """Write the result of a tool. Consecutive results share one turn."""
    if chat.begins_run(message):
        out.append("]~b]tool")
    if message.parts:
        for part in message.parts:
            out += "\n<response>", result_of(chat, part), "\n</response>"
    else:
        out += "\n<response>", message.content, "</response>"
    if chat.ends_run(message):
        out.append("[e~[\n")


def m2(chat: Chat, out: Writer) -> None:
    """Write MiniMax-M2: thoughts are kept only after the last question."""
    write_system(chat, out)
    messages = chat.without_system
    question = max((message.index for message in messages if message.role == "user"), default=-1)
    answer = None
    for message in out.turns(messages):
        if message.role == "user":
            out += "]~b]user\n", message.content, "[e~[\n"
        elif message.role == "assistant":
            answer = message
            thought, content = message.reasoning, message.content
            if thought is None and "</think>" in content:
                thought, content = think_tags(content)
                content = content.rstrip("\n")
            out.append("]~b]ai\n")
            if thought and message.index > question:
                out += "<think>\n", thought, "\n</think>\n\n"
            else:
                out.by_rule(message.reasoning)
            out.append(content)
            if message.tool_calls:
                write_calls(chat, out, message)
            out.append("[e~[\n")
        elif message.role == "tool":
            require_call(chat, message, answer)
            write_result(chat, out, message)
    if chat.add_generation_prompt:
        out.append("]~b]ai\n<think>\n")


M2 = Template(
    "minimax-m2",
    m2,
    roles=["system", "user", "assistant", "tool"],
    default_system="You are a helpful assistant.",
    capabilities=["system", "tools", "parallel_tools", "reasoning"],
    options={"model_identity": str},
    accepts=["parts"],
    bos="]~!b[",
    stop={"[e~[": 200020},
    markers=[
        "]~!b[",
        "]~b]",
        "[e~[",
        "<think>",
        "</think>",
        "<minimax:tool_call>",
        "</minimax:tool_call>",
        "</invoke>",
        "<tool>",
        "</tool>",
        "<response>",
        "</response>",
    ],
    reply=MINIMAX_M2_XML.grammar,
    source="MiniMaxAI/MiniMax-M2, chat_template.jinja",
)
M2_1 = M2.but(
    name="minimax-m2.1",
    default_system="You are a helpful assistant. Your name is MiniMax-M2.1 and is built by MiniMax.",
    source="MiniMaxAI/MiniMax-M2.1, README.md: the default system prompt",
)
M2_5 = M2.but(
    name="minimax-m2.5",
    default_system="You are a helpful assistant. Your name is MiniMax-M2.5 and is built by MiniMax.",
    source="MiniMaxAI/MiniMax-M2.5, chat_template.jinja",
)
M2_7 = M2.but(
    name="minimax-m2.7",
    default_system="You are a helpful assistant. Your name is MiniMax-M2.7 and is built by MiniMax.",
    source="MiniMaxAI/MiniMax-M2.7, chat_template.jinja",
)
