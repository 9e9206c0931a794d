"""Spark-X2.5: sentences that say who speaks; every answer has a thought, or closes one that was never opened."""

from lect.plugin import Call, Chat, Message, Template, Writer
from lect.plugin.grammar import KEY_VALUE_CALL, THINK, Grammar, ReplyFormat, Section

START, END = "<｜start▁of▁sentence｜>", "<｜end▁of▁sentence｜>"

SPARK = ReplyFormat(
    Grammar(
        "spark",
        reasoning=THINK.but(lead="", trail="", after="", written=("", "</think>")),
        sections=(Section((KEY_VALUE_CALL,)),),
    ),
    stop=(END,),
    names="Spark-X2.5",
    example="</think><tool_call>get_weather<arg_key>city</arg_key><arg_value>Paris</arg_value></tool_call>",
)

BEFORE_TOOLS = "## Tools\nYou have access to the following functions:\n<tools>"
TAGS = ("<tool_response>", "</tool_response>", "</arg_key>", "<arg_value>", "</arg_value>")


def write_content(chat: Chat, out: Writer, message: Message) -> None:
    """Write the content of a message: its text, or its texts in order.

    Raises:
        RefusedError: If a part is no text.
    """
    if not message.parts:
        out.append(message.content)
    for part in message.parts:
        if part.type != "text":
            chat.refuse(f"a part of messages[{message.index}] is of the type {part.type!r}", instead="text alone")
        out.append(part.text)


def write_system(chat: Chat, out: Writer) -> None:
    """Write the opening sentence: the maker's words, the tools, and the system text with which messages open."""
    out += START, "<|System|>\n", chat.default_system
    if chat.tools:
        out.append(BEFORE_TOOLS)
        for index in range(len(chat.tools)):
            function, path = chat.function(index)
            out += "\n", chat.json(function, *path)
        out.append("\n</tools>")
    if chat.system is not None and (chat.system.content or chat.system.parts):
        out.turn(chat.system)
        out.append("\n\n")
        write_content(chat, out, chat.system)
        out.turn(None)
    out.append(END)


def write_call(chat: Chat, out: Writer, call: Call) -> None:
    """Write a call: texts as they are, and the rest as JSON."""
    out += "<tool_call>", call.name
    for name, value, where in chat.named_arguments(call):
        text = chat.text(value, *where) if isinstance(value, str) else chat.json(value, *where)
        out += "<arg_key>", name, "</arg_key><arg_value>", text, "</arg_value>"
    out.append("</tool_call>")


def spark(chat: Chat, out: Writer) -> None:
    """Write Spark-X2.5: all thoughts are kept, and consecutive results share a sentence."""
    if not chat.messages:
        chat.refuse("there are no messages", instead="one message at least")
    write_system(chat, out)
    for message in out.turns(chat.without_system):
        if message.role == "tool":
            out.append(START + "<|Tool|>" if chat.begins_run(message) else "")
            out += "<tool_response>", chat.content(message), "</tool_response>"
            out.append(END if chat.ends_run(message) else "")
        elif message.role == "assistant":
            out += START, "<|Bot|>"
            if message.reasoning:
                out += "<think>", message.reasoning
            out.append("</think>")
            write_content(chat, out, message)
            for call in message.tool_calls:
                write_call(chat, out, call)
            out.append(END)
        elif message.role in ("system", "user"):
            out += START, "<|System|>\n" if message.role == "system" else "<|User|>"
            write_content(chat, out, message)
            out.append(END)
        else:
            chat.refuse(f"there is no turn for the role {message.role!r}", instead="system, user, assistant or tool")
    if chat.add_generation_prompt:
        out += START, "<|Bot|>", "<think>" if chat.option("enable_thinking", True) else "</think>"


SPARK_X2_5 = Template(
    "spark-x2.5",
    spark,
    roles=["system", "user", "assistant", "tool"],
    default_system="you are a helpful assistant.",
    capabilities=["system", "tools", "parallel_tools", "reasoning"],
    options={"enable_thinking": bool},
    accepts=["parts", "null"],
    stop={END: 1},
    markers={
        START: 0, END: 1, "<think>": 3, "</think>": 4, "<tool_call>": 130977, "<arg_key>": 130980,
        "</tool_call>": 130984,
        **dict.fromkeys(("<|System|>", "<|User|>", "<|Bot|>", "<|Tool|>", *TAGS, "<tools>", "</tools>")),
    },
    control_tokens=TAGS,
    reply=SPARK.grammar,
    source="XHToken/Spark-X2.5-4B, chat_template.jinja, as ggml-org/llama.cpp at de3ff815 has it",
    evidence="second-hand",
)  # fmt: skip
