"""GLM-4.1V and GLM-4.5V, which see and think."""

from collections.abc import Iterator, Sequence

from lect.plugin import Chat, Message, Part, Writer, stripped
from lect_chatglm.glm4 import GLM4
from lect_chatglm.glm4_5 import (
    GLM4_5,
    GLM4_XML,
    ON_LINES,
    last_question,
    thinks,
    write_call,
    write_result,
    write_tools,
)
from lect_chatglm.media import GLM4_1V as GLM4_1V_MEDIA

IMAGE = "<|begin_of_image|><|image|><|end_of_image|>"
VIDEO = "<|begin_of_video|><|video|><|end_of_video|>"


def medium(part: Part) -> str:
    """Return the placeholder for an image or a video; empty for any other part."""
    for kind, placeholder in (("video", VIDEO), ("image", IMAGE)):
        if part.type == kind or kind in part.raw:
            return placeholder
    return ""


def glm4_1v(chat: Chat, out: Writer) -> None:
    """Write GLM-4.1V: the `metadata` of an answer follows its role; only users send images and videos."""
    out.append("[gMASK]<sop>")
    for message in out.turns(chat.messages):
        if message.role == "user":
            out += "<|user|>\n", "" if message.parts else message.content
            for part in message.parts:
                if placeholder := medium(part):
                    out.append(placeholder)
                    out.used(*part.path)
                else:
                    out.append(part.text)
        elif message.role == "system":
            out += "<|system|>\n", chat.content(message)
        elif message.role == "assistant":
            metadata = chat.text(message.raw.get("metadata") or "", "messages", message.index, "metadata")
            out += "<|assistant|>", metadata, "\n", chat.content(message)
    if chat.add_generation_prompt:
        out.append("<|assistant|>\n")


GLM4_1V = GLM4.but(
    name="glm-4.1v",
    program=glm4_1v,
    roles=["system", "user", "assistant"],
    capabilities=["system", "images", "video", "reasoning"],
    accepts=["parts"],
    markers=[
        *GLM4.markers, "<|image|>", "<|video|>", "<think>", "</think>", "<answer>", "</answer>", "<|begin_of_box|>",
        "<|end_of_box|>",
    ],
    reply=GLM4_XML.grammar,
    media=GLM4_1V_MEDIA,
    source="zai-org/GLM-4.1V-9B-Thinking, chat_template.jinja",
)  # fmt: skip


def visible(out: Writer, message: Message) -> list[str]:
    """Return the content of a message in pieces: texts, and placeholders for images and videos."""
    if not message.parts:
        return [message.content]
    pieces = []
    for part in message.parts:
        if placeholder := medium(part):
            out.used(*part.path)
        pieces.append(placeholder or part.text)
    return pieces


def before_first(pieces: Sequence[str], mark: str) -> Iterator[str]:
    """Yield what precedes the first `mark`."""
    for piece in pieces:
        yield piece.partition(mark)[0]
        if mark in piece:
            return


def after_last(pieces: Sequence[str], mark: str) -> list[str]:
    """Return what follows the last `mark`; all of it where there is none."""
    rest: list[str] = []
    for piece in reversed(pieces):
        rest.insert(0, piece.rpartition(mark)[2])
        if mark in piece:
            break
    return rest


def write_answer(chat: Chat, out: Writer, message: Message, *, keeps_thought: bool) -> None:
    """Write an answer: its thought, even if empty, its text and its calls."""
    answer = visible(out, message)
    thought = [message.reasoning or ""]
    if message.reasoning is None and any("</think>" in piece for piece in answer):
        thought = after_last(list(before_first(answer, "</think>")), "<think>")
        answer = after_last(answer, "</think>")
    out.append("<|assistant|>\n<think>")
    if keeps_thought:
        out += stripped(thought)
    else:
        out.by_rule(message.reasoning)
    out.append("</think>")
    if answer := stripped(answer):
        out += "\n", *answer
    for call in message.tool_calls:
        write_call(chat, out, call, "\n")


def write_outputs(chat: Chat, out: Writer, message: Message) -> None:
    """Write the result of a tool; each part has its own response."""
    if not message.parts:
        write_result(chat, out, message, "\n")
        return
    out.append("<|observation|>")
    for part in message.parts:
        output = part.raw.get("output", part.raw)
        shown = chat.text(output, *part.path, "output") if isinstance(output, str) else chat.printed(output, *part.path)
        out += "<tool_response>\n", shown, "\n</tool_response>"


def glm4_5v(chat: Chat, out: Writer) -> None:
    """Write GLM-4.5V: like GLM-4.5, with images and videos in every turn."""
    out.append("[gMASK]<sop>")
    if chat.tools:
        schemas = [chat.json(tool, "tools", index) for index, tool in enumerate(chat.tools)]
        write_tools(out, schemas, ON_LINES, gap="\n")
    question = last_question(chat)
    for message in out.turns(chat.messages):
        if message.role == "user":
            pieces = visible(out, message)
            last = next((piece for piece in reversed(pieces) if piece), "")
            out += "<|user|>\n", *pieces, "" if thinks(chat) or last.endswith("/nothink") else "/nothink"
        elif message.role == "assistant":
            write_answer(chat, out, message, keeps_thought=message.index > question)
        elif message.role == "tool":
            write_outputs(chat, out, message)
        elif message.role == "system":
            out += "<|system|>\n", *visible(out, message)
    if chat.add_generation_prompt:
        out += "<|assistant|>\n", "" if thinks(chat) else "<think></think>\n"


GLM4_5V = GLM4_5.but(
    name="glm-4.5v",
    program=glm4_5v,
    capabilities=[*GLM4_5.capabilities, "images", "video"],
    markers=[*GLM4_5.markers, "<|image|>", "<|video|>", "<|begin_of_box|>", "<|end_of_box|>"],
    media=GLM4_1V_MEDIA,
    source="zai-org/GLM-4.5V, chat_template.jinja",
)
