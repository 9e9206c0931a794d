"""Kimi K3: everything is an element, whose brackets are tokens: messages, thoughts, texts, calls and arguments."""

from collections.abc import Mapping, Sequence
from typing import Any

from lect.errors import saferepr
from lect.plugin import Call, Chat, Message, Template, Writer
from lect.plugin.grammar import CallSyntax, Grammar, Head, Params, Reasoning, ReplyFormat, Section, Wrapper

END = "<|end_of_msg|>"

KIMI_K3 = ReplyFormat(
    Grammar(
        "kimi_k3",
        reasoning=Reasoning(
            ("<|open|>think<|sep|>",),
            ("<|close|>think<|sep|>",),
            until=("<|open|>response<|sep|>", "<|open|>tools<|sep|>", "<|close|>message<|sep|>"),
            special=True,
            starts=True,
        ),
        wrappers=(
            Wrapper(("<|open|>response<|sep|>",), ("<|close|>response<|sep|>",), special=True),
            Wrapper(("<|open|>message<|sep|>",), ("<|close|>message<|sep|>",), special=True),
        ),
        sections=(
            Section(
                (
                    CallSyntax(
                        Params(
                            "<|open|>argument ",
                            Head(("<|sep|>",), r'\s*key="(?P<key>[^"]*)"(?:\s+type="(?P<type>\w+)")?\s*'),
                            "<|close|>argument<|sep|>",
                        ),
                        ("<|open|>call ",),
                        Head(("<|sep|>",), r'\s*tool="(?P<name>[^"]*)"(?:\s+index="\d+")?\s*'),
                        ("<|close|>call<|sep|>",),
                    ),
                ),
                ("<|open|>tools<|sep|>",),
                ("<|close|>tools<|sep|>",),
                special=True,
            ),
        ),
    ),
    # Replies that others test end with what the tokenizer of K2 calls this token.
    stop=(END, "<|im_end|>"),
    names="Kimi-K3",
    example=(
        'Look.<|close|>think<|sep|><|open|>tools<|sep|><|open|>call tool="get_weather" index="1"<|sep|>'
        '<|open|>argument key="city" type="string"<|sep|>Paris<|close|>argument<|sep|><|close|>call<|sep|>'
        "<|close|>tools<|sep|><|close|>message<|sep|>"
    ),
)

IMAGE = "<|kimi_image_placeholder|>"
"""What stands for an image until its size is known."""
CLOSE = f"<|close|>message<|sep|>{END}"
EFFORTS = ("low", "high", "max")
EFFORT = (
    "`thinking_effort` guides on how much to think in your thinking channel (not including the response channel), "
    "supported values include `low`, `medium`, `high`, and `max`.\nNow the system is invoked with `thinking_effort="
)
TOOLS = "# Tools\nHere are the available tools, described in JSONSchema.\n\n```json\n"
MORE_TOOLS = (
    "## New Tools Available\nThe system dynamically extends the toolset via lazy-loading.\n"
    "You have access to all existing and extended tools.\nHere are the specs for the extended tools.\n\n```json\n"
)
CHOICES = {
    "required": "required`.\nYou MUST call tools in the next message.",
    "none": "none`.\nYou MUST NOT call any tools in the next message.",
}
RAW_JSON = (
    "`.\nYour response must be raw JSON data without markdown code blocks (```json) or any additional formatting."
)


def attribute(chat: Chat, value: str, *path: str | int) -> str:
    """Return a value as it stands in an attribute."""
    if "&" not in value and '"' not in value:
        return value
    return chat.transformed(value, lambda text: text.replace("&", "&amp;").replace('"', "&quot;"), *path)


def opened(chat: Chat, message: Message) -> list[str]:
    """Return the opening of a message, with the name of who speaks if it has one."""
    pieces = ['<|open|>message role="', message.role]
    if message.name:
        pieces += '" name="', attribute(chat, message.name, "messages", message.index, "name")
    return [*pieces, '"<|sep|>']


def write_content(out: Writer, message: Message) -> None:
    """Write the content: its text, or its texts and images in order."""
    if not message.parts:
        out.append(message.content)
    for part in message.parts:
        if part.type == "image":
            out.append(IMAGE)
            out.used(*part.path)
        else:
            out.append(part.text)


def write_tools(chat: Chat, out: Writer, tools: Any, words: str, *path: str | int) -> None:
    """Write tools as JSON with sorted keys."""
    out += '<|open|>message role="system" type="tool-declare"<|sep|>', words
    out += chat.json(tools, *path, separators=(",", ":"), sort_keys=True), "\n```", CLOSE


def kind_of(value: Any) -> str:
    """Return the type of an argument, as JSON calls it."""
    if isinstance(value, str):
        return "string"
    if isinstance(value, bool) or value is None:
        return "null" if value is None else "boolean"
    if isinstance(value, int | float):
        return "number"
    return "object" if isinstance(value, Mapping) else "array"


def write_call(chat: Chat, out: Writer, call: Call, number: int) -> None:
    """Write a call: each argument with its type, texts as they are and the rest as JSON.

    Arguments that are no JSON object are written as they are.
    """
    out += '<|open|>call tool="', attribute(chat, call.name, *call.path, "name"), f'" index="{number}"<|sep|>'
    if isinstance(call.arguments, str):
        out += '<|open|>json type="object"<|sep|>', call.arguments, "<|close|>json<|sep|>"
    else:
        for name, value, where in chat.named_arguments(call):
            out += '<|open|>argument key="', attribute(chat, name, *where), f'" type="{kind_of(value)}"<|sep|>'
            out.append(chat.text(value, *where) if isinstance(value, str) else chat.json(value, *where))
            out.append("<|close|>argument<|sep|>")
    out.append("<|close|>call<|sep|>")


def write_answer(chat: Chat, out: Writer, message: Message, *, thinks: bool) -> None:
    """Write an answer: its thought, even if empty, unless the model does not think; its text and its calls."""
    out += opened(chat, message)
    if thinks:
        thought = message.reasoning or ""
        out += "<|open|>think<|sep|>", thought if thought.strip() else "", "<|close|>think<|sep|>"
    else:
        out.by_rule(message.reasoning)
    out.append("<|open|>response<|sep|>")
    write_content(out, message)
    out.append("<|close|>response<|sep|>")
    if message.tool_calls:
        out.append("<|open|>tools<|sep|>")
        for number, call in enumerate(message.tool_calls, 1):
            write_call(chat, out, call, number)
        out.append("<|close|>tools<|sep|>")
    out.append(CLOSE)


def call_id(message: Message) -> Any:
    """Return the id of the call that a result answers."""
    return message.raw.get("tool_call_id", message.raw.get("id"))


def results_in_order(results: Sequence[Message], calls: Sequence[Call]) -> list[tuple[Message, Call | None]]:
    """Return results in the order of their calls, each with its call; as they are if one answers none of them."""
    by_id: dict[str, Call] = {}
    for call in calls:
        if call.id is not None:
            by_id.setdefault(call.id, call)
    if not all(call_id(result) in by_id for result in results):
        return [(result, None) for result in results]
    return [(result, call) for each, call in by_id.items() for result in results if call_id(result) == each]


def write_result(
    chat: Chat, out: Writer, message: Message, number: int, calls: Sequence[Call], call: Call | None
) -> None:
    """Write the result of a tool, named after its call, by its own fields, or after the call at its place."""
    where = ("messages", message.index)
    given = message.raw.get("tool") if "tool" in message.raw else message.name
    if call is None and given is None and number <= len(calls):
        call = calls[number - 1]
    if call is not None:
        name = attribute(chat, call.name, *call.path, "name")
    elif given is not None:
        name = attribute(chat, chat.text(given, *where, "tool" if "tool" in message.raw else "name"), *where)
    else:
        chat.refuse(f"messages[{message.index}] answers no call, and names no tool", instead="give it the name of one")
    out += '<|open|>message role="tool" tool="', name, f'" index="{number}"<|sep|>'
    write_content(out, message)
    out.append(CLOSE)


def write_rest(chat: Chat, out: Writer) -> None:
    """Write what follows the messages: whether tools must be called, and the format of the answer."""
    choice = chat.option("tool_choice")
    if isinstance(choice, str) and choice in CHOICES:
        out.append('<|open|>message role="system" type="tool-choice"<|sep|>The system is invoked with `tool_choice=')
        out += CHOICES[choice], CLOSE
    form = chat.option("response_format")
    kind = form.get("type") if isinstance(form, Mapping) else form
    if kind not in ("json_object", "json_schema"):
        return
    out.append(
        '<|open|>message role="system" type="response-format"<|sep|>The system is invoked with `response_format='
    )
    out += str(kind), RAW_JSON
    if kind == "json_schema":
        schema = form.get("json_schema") if isinstance(form, Mapping) else None
        if isinstance(schema, Mapping):
            schema = schema.get("schema", schema.get("json_schema", schema))
        schema = chat.option("response_schema", schema)
        text = chat.json(schema, "options", "response_format", separators=(",", ":"), sort_keys=True)
        out += "\nThe JSON data must match the following schema:\n```json\n", text, "\n```"
    out.append(CLOSE)


def k3(chat: Chat, out: Writer) -> None:
    """Write Kimi K3: all thoughts are kept, and results are in the order of their calls, by which they are numbered.

    Raises:
        RefusedError: If there is no such effort, or if the tool of a result is not known.
    """
    thinks = bool(chat.option("thinking", True))
    effort = chat.option("thinking_effort", EFFORTS[-1])
    if thinks and effort is not None and effort not in EFFORTS:
        chat.refuse(f"thinking_effort is {saferepr(effort)}", instead=f"one of {', '.join(EFFORTS)}")
    if chat.tools:
        write_tools(chat, out, chat.tools, TOOLS, "tools")
    if thinks and effort is not None:
        out += '<|open|>message role="system" type="thinking-effort"<|sep|>', EFFORT, effort, "`.", CLOSE
    calls: Sequence[Call] = ()
    number = 0
    for message in out.turns(chat.messages):
        role = message.role
        if role == "system" and message.raw.get("tools"):
            write_tools(chat, out, message.raw["tools"], MORE_TOOLS, "messages", message.index, "tools")
        elif role in ("system", "user"):
            out += opened(chat, message)
            write_content(out, message)
            out.append(CLOSE)
        elif role == "assistant":
            calls, number = message.tool_calls, 0
            write_answer(chat, out, message, thinks=thinks)
        elif role == "tool" and chat.begins_run(message):
            end = message.index
            while end < len(chat.messages) and chat.messages[end].role == "tool":
                end += 1
            for result, call in results_in_order(chat.messages[message.index : end], calls):
                number += 1
                out.turn(result)
                write_result(chat, out, result, number, calls, call)
    write_rest(chat, out)
    if chat.add_generation_prompt:
        out += '<|open|>message role="assistant"<|sep|><|open|>', "think" if thinks else "response", "<|sep|>"


K3 = Template(
    "kimi-k3",
    k3,
    roles=["system", "user", "assistant", "tool"],
    capabilities=["system", "tools", "parallel_tools", "reasoning", "images"],
    options={
        "thinking": bool,
        "thinking_effort": str,
        "tool_choice": str,
        "response_format": None,
        "response_schema": None,
    },
    accepts=["parts", "null"],
    stop={END: 163586},
    markers={
        "[BOS]": 163584, "[EOS]": 163585, END: 163586, "<|open|>": 163587, "<|close|>": 163588, "<|sep|>": 163589,
        "[start_header_id]": 163590, "[end_header_id]": 163591, "[EOT]": 163593, "<|media_begin|>": 163602,
        "<|media_content|>": 163603, "<|media_end|>": 163604, "<|media_pad|>": 163605, "<osagent_mode>": 163649,
        "[UNK]": 163838, "[PAD]": 163839, "<|reserved_token_{}|>": None, IMAGE: None,
    },
    reply=KIMI_K3.grammar,
    source="moonshotai/Kimi-K3, encoding_k3.py, as ggml-org/llama.cpp at 03efbfe converts it into Jinja",
    evidence="second-hand",
)  # fmt: skip
