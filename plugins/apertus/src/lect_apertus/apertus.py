"""Apertus: what the model may do is in a developer turn; calls and their results are inside the answer."""

from lect.plugin import Chat, Message, Template, Writer
from lect.plugin.grammar import CallSyntax, Grammar, JsonMap, Reasoning, ReplyFormat, Section
from lect_apertus.typescript import write_function

APERTUS_REPLIES = ReplyFormat(
    Grammar(
        "apertus",
        # The maker's template writes the blocks `thoughts` and `response` with nothing but the marks round them.
        reasoning=Reasoning(
            ("<|inner_prefix|>",), ("<|inner_suffix|>",), special=True, written=("", "<|inner_suffix|>")
        ),
        sections=(
            Section(
                (CallSyntax(JsonMap()),),
                (("<|tools_prefix|>", "["),),
                (("]", "<|tools_suffix|>"),),
                between=",",
                gap="",
                special=True,
            ),
        ),
    ),
    stop=("<|assistant_end|>", "</s>"),
    names="Apertus",
    example='<|inner_prefix|>Look.<|inner_suffix|><|tools_prefix|>[{"get_weather": {"city": "Paris"}}]<|tools_suffix|>',
    model_types=("apertus",),
)


def is_null(message: Message) -> bool:
    """Return whether a message has no content at all, not even an empty one."""
    return message.raw.get("content") is None


def write_system(chat: Chat, out: Writer) -> None:
    """Write the system text, or who the model is and the date."""
    out.append("<|system_start|>")
    if chat.system is None:
        out.append(
            "You are Apertus, a helpful assistant created by the SwissAI initiative.\nKnowledge cutoff: 2024-04\n"
            f"Current date: {chat.date().isoformat()}"
        )
    elif is_null(chat.system):
        chat.refuse("the system message has no content", instead="a text, or no system message")
    else:
        out.turn(chat.system)
        out.append(chat.system.content)
        out.turn(None)
    out.append("<|system_end|>")


def write_abilities(chat: Chat, out: Writer) -> None:
    """Write whether the model is to think, and the tools that it has."""
    thinks = "enabled" if chat.option("enable_thinking") else "disabled"
    out.append(f"<|developer_start|>Deliberation: {thinks}\nTool Capabilities:")
    for index in range(len(chat.tools)):
        out.append("\n")
        write_function(chat, out, index)
    out += "" if chat.tools else " disabled", "<|developer_end|>"


def write_calls(chat: Chat, out: Writer, message: Message) -> None:
    """Write the calls of an answer, each as an object that maps the name to the arguments."""
    out.append("<|tools_prefix|>[")
    for index, call in enumerate(message.tool_calls):
        if call.raw.get("type") != "function":
            chat.refuse("a call must be of a function", instead='"type": "function" in each call')
        out += ", " if index else "", '{"', call.name, '": ', chat.arguments(call), "}"
    out.append("]<|tools_suffix|>")


def apertus(chat: Chat, out: Writer) -> None:
    """Write Apertus: an answer continues through calls and results until the user speaks; the last is left open."""
    out.append(chat.bos)
    write_system(chat, out)
    write_abilities(chat, out)
    answering = results = False
    for message in out.turns(chat.without_system):
        role = message.role
        if role == "user":
            out += "]" if results else "", "<|assistant_end|>" if answering else ""
            answering = results = False
            if "content" in message.raw:
                if is_null(message):
                    chat.refuse("a user's message has no content", instead="a text")
                out += "<|user_start|>", message.content, "<|user_end|>"
        elif role == "assistant":
            out.append("" if answering else "<|assistant_start|>")
            answering = True
            if not is_null(message):
                out += "]" if results else "", message.content
                results = False
            elif not message.tool_calls:
                chat.refuse("an answer has neither content nor calls", instead="a text, or tool_calls")
            if message.tool_calls:
                write_calls(chat, out, message)
        elif role == "tool" and answering:
            out += ", " if results else "[", "None" if message.raw.get("content", "") is None else message.content
            results = True
        else:
            where = "before any answer" if role == "tool" else "after the first message"
            chat.refuse(
                f"there is no turn for the role {role!r} {where}", instead="user, assistant, or tool after calls"
            )
    out.append("]" if results else "")
    if chat.add_generation_prompt:
        out.append("<|assistant_start|>")


APERTUS = Template(
    "apertus",
    apertus,
    roles=["system", "user", "assistant", "tool"],
    bos="<s>",
    capabilities=["system", "tools", "parallel_tools", "reasoning"],
    options={"enable_thinking": bool, "date": None},
    accepts=["null"],
    stop=["<|assistant_end|>", "</s>"],
    markers=[
        "<s>", "</s>", "<|system_start|>", "<|system_end|>", "<|developer_start|>", "<|developer_end|>",
        "<|user_start|>", "<|user_end|>", "<|assistant_start|>", "<|assistant_end|>", "<|inner_prefix|>",
        "<|inner_suffix|>", "<|tools_prefix|>", "<|tools_suffix|>",
    ],
    reply=APERTUS_REPLIES.grammar,
    source="swiss-ai/Apertus-8B-Instruct-2509, chat_template.jinja",
)  # fmt: skip
