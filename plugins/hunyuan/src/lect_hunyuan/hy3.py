"""Hy3: turns that are only separated by markers; calls in tags that all end with `:opensource`."""

from lect.errors import saferepr
from lect.plugin import Call, Chat, Message, Template, Writer
from lect.plugin.grammar import KEY, KEY_VALUE_TAGS, THINK, CallSyntax, Grammar, Head, Params, ReplyFormat, Section

HUNYUAN_CALLS = Section(
    (CallSyntax(KEY_VALUE_TAGS, ("<tool_call>",), Head(("<tool_sep>",)), ("</tool_call>",)),),
    ("<tool_calls>",),
    ("</tool_calls>",),
)

# The public checkpoints write a suffix in every tag.
OPEN_PAIRS = Params(
    "<arg_key:opensource>",
    Head(("</arg_key:opensource>",), KEY),
    "</arg_value:opensource>",
    value="<arg_value:opensource>",
)

OPEN_HUNYUAN_CALLS = Section(
    (
        CallSyntax(
            OPEN_PAIRS, ("<tool_call:opensource>",), Head(("<tool_sep:opensource>",)), ("</tool_call:opensource>",)
        ),
    ),
    ("<tool_calls:opensource>",),
    ("</tool_calls:opensource>",),
)

HUNYUAN_V3_XML = ReplyFormat(
    Grammar(
        "hunyuan_v3_xml",
        reasoning=THINK.but(open=("<think>", "<think:opensource>"), close=("</think>", "</think:opensource>")),
        sections=(HUNYUAN_CALLS, OPEN_HUNYUAN_CALLS),
    ),
    stop=("<|eos|>", "<｜hy_eos:opensource｜>"),
    names="Hy3",
    example="<tool_calls><tool_call>get_weather<tool_sep><arg_key>city</arg_key><arg_value>Paris</arg_value></tool_call></tool_calls>",
)

EFFORTS = ("high", "low", "no_think")
"""How hard the model can be asked to think."""
BOS, EOS = "<｜hy_begin_of_sentence:opensource｜>", "<｜hy_eos:opensource｜>"
USER, ASSISTANT = "<｜hy_User:opensource｜>", "<｜hy_Assistant:opensource｜>"
MODE = "<｜reasoning_mode:opensource｜>reasoning_effort:"
THINK_OPENS, THINK_CLOSES = "<think:opensource>", "</think:opensource>"


def effort_of(chat: Chat) -> str:
    """Return how hard the model is to think: the option `reasoning_effort`.

    Raises:
        RefusedError: If there is no such effort.
    """
    effort = chat.option("reasoning_effort", "no_think")
    if effort not in EFFORTS:
        chat.refuse(f"reasoning_effort is {saferepr(effort)}", instead=", ".join(map(repr, EFFORTS)))
    return "high" if retries(chat) else str(effort)


def retries(chat: Chat) -> bool:
    """Return whether the model is to think again about the calls that it has begun."""
    return bool(chat.option("fallback_strategy") == "reasoning_toolcall_retry")


def write_head(chat: Chat, out: Writer, effort: str) -> None:
    """Write all system texts, the tools and the effort."""
    out.append(BOS)
    texts = [message for message in chat.messages if message.role == "system"]
    for message in texts:
        out.turn(message)
        out.append(message.content)
    out.turn(None)
    if chat.tools:
        out += (
            "\n\n" if any(message.content for message in texts) else "",
            "# Tools\n\nYou may call one or more functions to assist with the user query."
            "\n\nYou are provided with function signatures within <tools></tools> XML tags:\n<tools>\n",
        )
        for index, tool in enumerate(chat.tools):
            out += "\n" if index else "", chat.json(tool, "tools", index)
        out.append(
            "\n</tools>\n\n"
            "For function call returns, you should first print <tool_calls:opensource>\n"
            "For each function call, you should return object like:\n"
            "<tool_call:opensource>{function-name}<tool_sep:opensource>\n"
            "<arg_key:opensource>{arg-key-1}</arg_key:opensource>\n"
            "<arg_value:opensource>{arg-value-1}</arg_value:opensource>\n"
            "<arg_key:opensource>{arg-key-2}</arg_key:opensource>\n"
            "<arg_value:opensource>{arg-value-2}</arg_value:opensource>\n"
            "...\n</tool_call:opensource>\n"
            "At the end of function call returns, you should print </tool_calls:opensource>"
        )
    out += MODE, effort


def write_call(chat: Chat, out: Writer, call: Call) -> None:
    """Write a call, each argument in a pair of tags.

    Raises:
        RefusedError: If the arguments are not a mapping.
    """
    out += "<tool_call:opensource>", call.name, "<tool_sep:opensource>\n"
    for name, value, where in chat.named_arguments(call):
        text = chat.text(value, *where) if isinstance(value, str) else chat.json(value, *where)
        out += "<arg_key:opensource>", name, "</arg_key:opensource>\n"
        out += "<arg_value:opensource>", text, "</arg_value:opensource>\n"
    out.append("</tool_call:opensource>\n")


def write_answer(chat: Chat, out: Writer, message: Message, *, thinks: bool) -> None:
    """Write an answer: its thought, even if empty, its text and its calls.

    The last answer stays open unless the option `is_training` is true.
    """
    is_last = message.index + 1 == len(chat.messages)
    out.append(ASSISTANT)
    if is_last and not message.tool_calls and chat.option("raw_last_assistant"):
        out.append(message.content)
        return
    out.append(THINK_OPENS)
    if thinks:
        out.append(message.reasoning or "")
    else:
        out.by_rule(message.reasoning)
    out += THINK_CLOSES, message.content
    if message.tool_calls:
        out.append("<tool_calls:opensource>\n")
        for call in message.tool_calls:
            write_call(chat, out, call)
        out += "</tool_calls:opensource>", EOS
    elif not is_last or chat.option("is_training"):
        out.append(EOS)


def hy3(chat: Chat, out: Writer) -> None:
    """Write Hy3: thoughts are kept after the last question, and everywhere if there are tools."""
    effort = effort_of(chat)
    write_head(chat, out, effort)
    messages = chat.messages
    question = max((message.index for message in messages if message.role == "user"), default=-1)
    keeps = chat.option("is_training") or chat.option("preserved_thinking", bool(chat.tools))
    # Results that follow calls share one pair of tags, which the next turn closes.
    is_first_result, has_results = True, False
    for message in out.turns(messages):
        if message.role in ("user", "assistant") and has_results:
            out.append("</tool_responses:opensource>")
            has_results = False
        if message.role == "user":
            out += USER, message.content
        elif message.role == "assistant":
            write_answer(chat, out, message, thinks=bool(keeps) or message.index > question)
            is_first_result = is_first_result or bool(message.tool_calls)
        elif message.role == "tool":
            out.append("<tool_responses:opensource>\n" if is_first_result else "")
            is_first_result, has_results = False, True
            out += "<tool_response:opensource>\n", message.content, "\n</tool_response:opensource>\n"
    if has_results:
        out.append("</tool_responses:opensource>")
    if chat.add_generation_prompt and not retries(chat) and not (messages and messages[-1].role == "assistant"):
        out += ASSISTANT, THINK_OPENS, THINK_CLOSES if effort == "no_think" else ""


HY3 = Template(
    "hy3",
    hy3,
    roles=["system", "user", "assistant", "tool"],
    bos=BOS,
    capabilities=["system", "tools", "parallel_tools", "reasoning"],
    options={
        "reasoning_effort": str,
        "preserved_thinking": bool,
        "is_training": bool,
        "raw_last_assistant": bool,
        "fallback_strategy": str,
    },
    accepts=["parts", "null"],
    stop=[EOS],
    markers=[
        *(BOS, EOS, USER, ASSISTANT, "<｜hy_pad:opensource｜>", "<｜reasoning_mode:opensource｜>"),
        *(THINK_OPENS, THINK_CLOSES, "<tool_calls:opensource>", "</tool_calls:opensource>"),
        *("<tool_call:opensource>", "</tool_call:opensource>", "<tool_sep:opensource>", "<arg_key:opensource>"),
        *("</arg_key:opensource>", "<arg_value:opensource>", "</arg_value:opensource>", "<tool_responses:opensource>"),
        *("</tool_responses:opensource>", "<tool_response:opensource>", "</tool_response:opensource>"),
        *("<｜hy_begin▁of▁sentence｜>", "<｜hy_place▁holder▁no▁{}｜>"),
    ],
    reply=HUNYUAN_V3_XML.grammar,
    source="tencent/Hy3, chat_template.jinja",
)
