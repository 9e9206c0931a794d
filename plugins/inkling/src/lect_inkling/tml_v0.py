"""Inkling: each thought, text, image and call is a message of its own, and the model opens its answers itself."""

from itertools import takewhile

from lect.errors import saferepr
from lect.plugin import Chat, Message, Template, Writer
from lect.plugin.grammar import JSON_OBJECT, Channels, Grammar, ReplyFormat

END, ANSWERED = "<|end_message|>", "<|content_model_end_sampling|>"

INKLING = ReplyFormat(
    Grammar(
        "inkling",
        channels=Channels(
            start=("<|message_model|>",),
            bodies=(
                ("<|content_text|>", "content"),
                ("<|content_thinking|>", "reasoning"),
                ("<|content_invoke_tool_json|>", "call"),
            ),
            end=(END,),
            shape=r"[^<\n]*",
            characters=r"[^<\n]",
            opening=("<|content_text|>", "<|content_thinking|>", "<|content_invoke_tool_json|>"),
            call=JSON_OBJECT,
            joint="",
        ),
        tokens=("<|message_user|>", "<|message_system|>", "<|message_tool|>"),
    ),
    stop=(ANSWERED,),
    names="Inkling",
    example='<|message_model|>get_weather<|content_invoke_tool_json|>{"name": "get_weather", "args": {"city": '
    '"Paris"}}<|end_message|>',
)

SPEAKERS = {
    "system": "<|message_system|>",
    "developer": "<|message_system|>",
    "user": "<|message_user|>",
    "assistant": "<|message_model|>",
    "tool": "<|message_tool|>",
}
MEDIA = {
    "image": "<|content_image|><|unused_200054|>",
    "audio": "<|content_audio_input|><|unused_200053|><|audio_end|>",
}
"""What stands for an image and for a sound until their size is known."""
EFFORTS = {"none": 0.0, "minimal": 0.1, "low": 0.2, "medium": 0.7, "high": 0.9, "xhigh": 0.99, "max": 0.99}
"""The names of efforts, as SGLang and llama.cpp take them."""
NAMED = {
    199998: "unused", 199999: "endoftext", 200000: "message_user", 200001: "message_model", 200002: "message_system",
    200003: "message_tool", 200004: "content_text", 200005: "content_image", 200006: "content_model_end_sampling",
    200008: "content_thinking", 200010: "end_message", 200020: "content_audio_input", 200022: "content_tool_error",
    200023: "audio", 200024: "content_xml", 200028: "begin_of_text", 200043: "audio_end",
    200049: "content_invoke_tool_json", 200057: "content_invoke_tool_text",
}  # fmt: skip


def effort(chat: Chat) -> str:
    """Return how hard to think, between 0 and 1, with at most two digits.

    Raises:
        RefusedError: If it is neither such a number nor the name of one.
    """
    given = chat.option("reasoning_effort")
    value = EFFORTS.get(given, given) if isinstance(given, str) else EFFORTS["high"] if given is None else given
    if isinstance(value, bool | str) or not isinstance(value, int | float) or not 0 <= value <= 1:
        chat.refuse(f"reasoning_effort is {saferepr(given)}", instead=f"0 to 1, or one of {', '.join(EFFORTS)}")
    # It is rounded twice: to thousandths, and these to hundredths.
    return f"{round(round(value * 1000) / 1000 * 100) / 100:.2f}".rstrip("0").rstrip(".")


def write_parts(chat: Chat, out: Writer, message: Message, *header: str) -> None:
    """Write the content: a message for its text, or one for each of its parts; beside calls, none for empty texts."""
    if not message.parts:
        out += *header, "<|content_text|>", message.content, END
    for part in message.parts:
        if part.type == "text" and not part.text and message.tool_calls:
            continue
        if part.type == "text":
            out += *header, "<|content_text|>", part.text, END
        elif part.type in MEDIA:
            out += *header, MEDIA[part.type], END
            out.used(*part.path)


def write_tools(chat: Chat, out: Writer) -> None:
    """Write the tools as JSON with sorted keys."""
    out.append("<|message_system|>tool_declare<|content_xml|>[")
    for index, tool in enumerate(chat.tools):
        function, path = chat.function(index)
        kind = tool.get("type") if "function" in tool else None
        shown = {
            "description": function.get("description") or "",
            "name": function.get("name"),
            "parameters": function.get("parameters") or {},
            "type": kind or "function",
        }
        out += "," if index else "", chat.json(shown, *path, separators=(",", ":"), sort_keys=True)
    out += "]", END


def write_answer(chat: Chat, out: Writer, message: Message) -> None:
    """Write an answer: its thought, its text unless that is empty beside something else, its calls, and its end."""
    if message.reasoning:
        out += "<|message_model|><|content_thinking|>", message.reasoning, END
    if message.content or message.parts or not (message.reasoning or message.tool_calls):
        write_parts(chat, out, message, "<|message_model|>")
    for call in message.tool_calls:
        if isinstance(call.arguments, str):
            chat.refuse(f"the arguments of a call of {saferepr(call.name)} are no JSON object", instead="a mapping")
        # Only the names of arguments are sorted, not the keys within them.
        named = {name: call.arguments[name] for name in sorted(call.arguments)}
        arguments = chat.json(named, *call.path, "arguments", separators=(",", ":"))
        out += "<|message_model|>", call.name, '<|content_invoke_tool_json|>{"name":'
        out += chat.json(call.name, *call.path, "name"), ',"args":', arguments, "}", END
    out.append(ANSWERED)


def inkling(chat: Chat, out: Writer) -> None:
    """Write Inkling: tools and effort follow the system texts with which messages open; all thoughts are kept."""
    names = {call.id: call.name for message in chat.messages for call in message.tool_calls if call.id}
    opening = list(takewhile(lambda message: message.role in ("system", "developer"), chat.messages))
    for message in out.turns(opening):
        write_parts(chat, out, message, "<|message_system|>")
    if chat.tools:
        write_tools(chat, out)
    out += "<|message_system|><|content_text|>Thinking effort level: ", effort(chat), END
    for message in out.turns(chat.messages[len(opening) :]):
        if message.role == "assistant":
            write_answer(chat, out, message)
        elif message.role == "tool":
            name = message.name or names.get(message.raw.get("tool_call_id") or "", "")
            write_parts(chat, out, message, "<|message_tool|>", name)
        elif message.role in SPEAKERS:
            write_parts(chat, out, message, SPEAKERS[message.role])
        else:
            chat.refuse(f"there is no message for the role {message.role!r}", instead="system, user, assistant or tool")


INKLING_TML_V0 = Template(
    "inkling",
    inkling,
    roles=["system", "developer", "user", "assistant", "tool"],
    capabilities=["system", "tools", "parallel_tools", "reasoning", "images", "audio"],
    options={"reasoning_effort": None},
    accepts=["parts"],
    stop={ANSWERED: 200006},
    markers={f"<|{NAMED.get(token, f'unused_{token}')}|>": token for token in range(199998, 200058)},
    reply=INKLING.grammar,
    source=(
        "Thinking Machines' package tml-renderers 0.2.1, tml_renderers.v0; the order of messages as sgl-project/sglang "
        "0.5.23 gives them to it"
    ),
)
