"""GigaChat 3 and 3.1: the maker's own instructions come first, and one call follows an answer."""

from functools import partial

from lect.plugin import Chat, Message, Template, Writer
from lect.plugin.grammar import JSON_OBJECT, Grammar, ReplyFormat, Section, Wrapper
from lect_gigachat.preamble import DEVELOPER_SYSTEM
from lect_gigachat.typescript import write_namespace

GIGACHAT3 = ReplyFormat(
    Grammar(
        "gigachat3",
        # In GigaChat 3 it is also what separates an answer from its call.
        wrappers=(Wrapper((), ("<|message_sep|>\n\n", "<|message_sep|>"), special=True),),
        sections=(
            Section(
                (JSON_OBJECT,), ("<|message_sep|>\n\nfunction call<|role_sep|>", "<|function_call|>"), special=True
            ),
        ),
    ),
    stop=("</s>", "<|message_sep|>\n\n"),
    names="GigaChat3",
    example='Look.<|function_call|>{"name": "get_weather", "arguments": {"city": "Paris"}}',
)

NAMED, END, CALL = "<|role_sep|>\n", "<|message_sep|>\n\n", "<|function_call|>"


def write_turn(chat: Chat, out: Writer, message: Message, call_opens: str) -> None:
    """Write a turn and its first call: the format has no place for others."""
    out += "function result" if message.role == "tool" else message.role, NAMED, message.content
    if message.tool_calls and (message.role == "assistant" or call_opens == CALL):
        call = message.tool_calls[0]
        out += call_opens, '{"name": "', call.name, '", "arguments": ', chat.arguments_as_given(call), "}"
    out.append(END)


def gigachat3(chat: Chat, out: Writer, *, call_opens: str) -> None:
    """Write GigaChat 3, in which a call is a turn of its own, or 3.1, in which it follows a marker."""
    out += chat.bos, "developer system", NAMED, DEVELOPER_SYSTEM, END
    if chat.system:
        out.turn(chat.system)
        write_turn(chat, out, chat.system, call_opens)
        out.turn(None)
    if chat.tools:
        out += "function descriptions", NAMED
        write_namespace(chat, out)
        out.append(END)
    for message in out.turns(chat.without_system):
        write_turn(chat, out, message, call_opens)
    if chat.add_generation_prompt and chat.without_system and chat.messages[-1].role != "assistant":
        out += "assistant", NAMED


GIGACHAT_3 = Template(
    "gigachat-3",
    partial(gigachat3, call_opens=f"{END}function call{NAMED}"),
    roles=["system", "user", "assistant", "tool", "user memory", "added files"],
    bos="<s>",
    capabilities=["system", "tools"],
    # An engine that stopped at the end of a turn would never see a call, which is a turn of its own.
    stop=["</s>"],
    markers=["<s>", "</s>", "<|role_sep|>", "<|message_sep|>"],
    reply=GIGACHAT3.grammar,
    source="ai-sage/GigaChat3-10B-A1.8B, chat_template.jinja, as ggml-org/llama.cpp at b21e4de has it",
    evidence="second-hand",
)
GIGACHAT_3_1 = GIGACHAT_3.but(
    name="gigachat-3.1",
    program=partial(gigachat3, call_opens=CALL),
    stop=["</s>", "<|message_sep|>"],
    markers=[*GIGACHAT_3.markers, CALL],
    source="ai-sage/GigaChat3.1-10B-A1.8B, chat_template.jinja, as ggml-org/llama.cpp at b21e4de has it",
    evidence="second-hand",
)
