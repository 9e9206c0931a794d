"""MiniMax-M3: a root role before the developer, images and videos, and calls in nested tags."""

from collections.abc import Mapping
from typing import Any

from lect.plugin import Chat, Message, Template, Writer
from lect.plugin.grammar import QUOTED_NAME, CallSyntax, Grammar, Head, Params, Reasoning, ReplyFormat, Section
from lect_minimax.m2 import require_call, result_of, write_tools

NS = "]<]minimax[>["
"""What precedes every tag of a call."""
MEDIA = {"image": "]<]image[>[", "video": "]<]video[>["}

MINIMAX_M3 = ReplyFormat(
    Grammar(
        "minimax_m3",
        reasoning=Reasoning(("<mm:think>",), ("</mm:think>",)),
        sections=(
            Section(
                (
                    CallSyntax(
                        Params(f"{NS}<", Head((">",), r"(?P<key>[^/\s<>][^<>]*)"), f"{NS}</{{key}}>", nested=True),
                        (f"{NS}<invoke ",),
                        Head((">",), QUOTED_NAME),
                        (f"{NS}</invoke>",),
                    ),
                ),
                (f"{NS}<tool_call>",),
                (f"{NS}</tool_call>",),
                special=True,
            ),
        ),
        tokens=(NS,),
    ),
    stop=("[e~[",),
    names="MiniMax-M3",
    example=(
        f'{NS}<tool_call>\n{NS}<invoke name="get_weather">{NS}<city>Paris{NS}</city>{NS}</invoke>\n{NS}</tool_call>'
    ),
)

IDENTITY = (
    "Your model version is MiniMax-M3, developed by MiniMax. Knowledge cutoff: January 2026. Founded in early 2022, "
    "MiniMax is a global AI foundation model company committed to advancing the frontiers of AI towards AGI."
)
MODES = {
    "enabled": (
        "Current thinking mode: enabled. You MUST think step by step before every response, including after receiving "
        "function/tool results.\n"
    ),
    "disabled": "Current thinking mode: disabled. Do not output any thinking process.\n",
    "adaptive": (
        "Current thinking mode: adaptive. You are encouraged to think for complex decision-making, multi-step "
        "reasoning, or when analyzing function/tool results.\n"
    ),
}
EXAMPLE = (
    f"\n{NS}<tool_call>\n"
    f'{NS}<invoke name="tool-name-1">{NS}<param-1>value-1{NS}</param-1>{NS}<param-2>{NS}<item>{NS}<key-a>val-a'
    f"{NS}</key-a>{NS}<key-b>val-b{NS}</key-b>{NS}</item>{NS}</param-2>{NS}</invoke>\n"
    f'{NS}<invoke name="tool-name-2">{NS}<param-1>value-1{NS}</param-1>{NS}</invoke>\n'
    f"{NS}</tool_call>"
)


def visible(out: Writer, message: Message) -> list[str]:
    """Return the content of a message in pieces, with a mark for each image and video."""
    if not message.parts:
        return [message.content]
    for part in message.parts:
        if part.type in MEDIA:
            out.used(*part.path)
    return [MEDIA.get(part.type, part.text) for part in message.parts]


def preamble_of(chat: Chat) -> tuple[Message | None, Message | None]:
    """Return the messages of the root and of the developer, or system, at the beginning of the conversation."""
    messages = chat.messages
    root = messages[0] if messages and messages[0].role == "root" else None
    developer = next(iter(messages[1:] if root else messages), None)
    return root, developer if developer and developer.role in ("system", "developer") else None


def write_preamble(chat: Chat, out: Writer, root: Message | None, developer: Message | None) -> None:
    """Write the turns of the root, which says how to think, and of the developer, which has the tools."""
    out += chat.bos, "]~b]system\n"
    out.turn(root)
    out += visible(out, root) if root and (root.content or root.parts) else [IDENTITY]
    out.turn(None)
    mode = chat.option("thinking_mode", "adaptive")
    out += (
        "\n\n<thinking_instructions>\n"
        "You have a thinking capability that allows you to reason step by step before responding. When thinking is "
        "enabled, wrap your reasoning in <mm:think></mm:think> tags before your response. When thinking is disabled, "
        "begin your response directly after the </mm:think> prefix. When thinking is adaptive, decide on your own "
        "whether to think for the current turn.\n",
        MODES.get(mode, "") if isinstance(mode, str) else "",
        "</thinking_instructions>[e~[\n]~b]developer\n",
    )
    out.turn(developer)
    if developer and (developer.content or developer.parts):
        out += visible(out, developer)
    else:
        out.append(chat.text_option("model_identity", chat.default_system))
    out.turn(None)
    if chat.tools:
        write_tools(chat, out)
        out += (
            f"To call tools, wrap all invocations in a single {NS}<tool_call>{NS}</tool_call> block. Parameter values "
            "containing nested objects or arrays are recursively expanded into XML elements. Example:\n",
            EXAMPLE,
        )
    out.append("[e~[\n")


def write_value(chat: Chat, out: Writer, value: Any, *path: str | int) -> None:
    """Write a value of a call, with each item in its own tags."""
    if isinstance(value, Mapping):
        for key, item in value.items():
            write_item(chat, out, chat.printed(key, *path, key), item, *path, key)
    elif isinstance(value, list | tuple):
        for index, item in enumerate(value):
            out += NS, "<item>"
            write_value(chat, out, item, *path, index)
            out += NS, "</item>"
    elif value is not None:
        out.append(chat.json(value, *path) if isinstance(value, bool) else chat.text(value, *path))


def write_item(chat: Chat, out: Writer, name: str, value: Any, *path: str | int) -> None:
    """Write a value in tags; a null is left out."""
    if value is not None:
        out += NS, "<", name, ">"
        write_value(chat, out, value, *path)
        out += NS, "</", name, ">"


def write_answer(chat: Chat, out: Writer, message: Message) -> None:
    """Write an answer: its thought, or a marker that there is none; its text and its calls."""
    thought, content = message.reasoning, visible(out, message)
    text = content[0] if len(content) == 1 else chat.printed("".join(content), "messages", message.index, "content")
    if thought is None and "</mm:think>" in text:
        pieces = text.split("</mm:think>")
        thought = pieces[0].strip("\n").split("<mm:think>")[-1].strip("\n")
        content = [pieces[-1].strip("\n")]
    out.append("]~b]ai\n")
    if thought:
        out += "<mm:think>", thought
    out += "</mm:think>", *content
    if message.tool_calls:
        out += NS, "<tool_call>\n"
        for call in message.tool_calls:
            out += NS, '<invoke name="', call.name, '">'
            for name, value, where in chat.named_arguments(call):
                write_item(chat, out, name, value, *where)
            out += NS, "</invoke>\n"
        out += NS, "</tool_call>"
    out.append("[e~[\n")


def write_result(chat: Chat, out: Writer, message: Message) -> None:
    """Write the result of a tool. Consecutive results share one turn."""
    out += "]~b]tool" if chat.begins_run(message) else "", "\n<response>"
    if not message.parts:
        out.append(message.content)
    for part in message.parts:
        if part.type in MEDIA:
            out.append(MEDIA[part.type])
            out.used(*part.path)
        else:
            out.append(result_of(chat, part))
    out += "</response>", "[e~[\n" if chat.ends_run(message) else ""


def m3(chat: Chat, out: Writer) -> None:
    """Write MiniMax-M3, which thinks as the option `thinking_mode` says: enabled, disabled or adaptive."""
    root, developer = preamble_of(chat)
    write_preamble(chat, out, root, developer)
    answer = None
    for message in out.turns(chat.messages[bool(root) + bool(developer) :]):
        if message.role == "user":
            out += "]~b]user\n", *visible(out, message), "[e~[\n"
        elif message.role == "assistant":
            answer = message
            write_answer(chat, out, message)
        elif message.role == "tool":
            require_call(chat, message, answer)
            write_result(chat, out, message)
    if chat.add_generation_prompt:
        opens = {"disabled": "</mm:think>", "enabled": "<mm:think>"}
        out += "]~b]ai\n", opens.get(chat.option("thinking_mode"), "")


COUNTED: dict[str, dict[str, object]] = {
    "image": {
        "rule": "grid",
        "placeholder": "]<]image[>[",
        "start": "]<]start of image[>[",
        "end": "]<]end of image[>[",
        "patch_size": 14,
        "merge_size": 2,
        "size": {"shortest_edge": 3136, "longest_edge": 451584},
    }
}
M3 = Template(
    "minimax-m3",
    m3,
    roles=["root", "system", "developer", "user", "assistant", "tool"],
    default_system="You are a helpful assistant.",
    capabilities=["system", "tools", "parallel_tools", "reasoning", "images", "video"],
    options={"thinking_mode": str, "model_identity": str},
    accepts=["parts", "null"],
    bos="]~!b[",
    stop={"[e~[": 200020},
    markers=[
        "]~!b[",
        "]~b]",
        "[e~[",
        NS,
        *MEDIA.values(),
        "<mm:think>",
        "</mm:think>",
        "<tool_call>",
        "</tool_call>",
        "</invoke>",
        "<item>",
        "</item>",
        "<tool>",
        "</tool>",
        "<response>",
        "</response>",
        "<thinking_instructions>",
        "</thinking_instructions>",
    ],
    reply=MINIMAX_M3.grammar,
    media=COUNTED,
    source="MiniMaxAI/MiniMax-M3, chat_template.jinja",
)
