"""What several generations of Qwen share: ChatML turns, tools as JSON, tool results inside user turns."""

from collections import Counter
from collections.abc import Mapping

from lect.plugin import Call, Chat, Message, Part, Writer

STOP = {"<|im_end|>": 151645, "<|endoftext|>": 151643}
# Up to Qwen3, every generation has the tokens of the one before, with the same ids, and adds its own.
QWEN1_5_MARKERS = {"<|endoftext|>": 151643, "<|im_start|>": 151644, "<|im_end|>": 151645}
QWEN2_5_MARKERS = QWEN1_5_MARKERS | {
    "<|object_ref_start|>": 151646, "<|object_ref_end|>": 151647, "<|box_start|>": 151648, "<|box_end|>": 151649,
    "<|quad_start|>": 151650, "<|quad_end|>": 151651, "<|vision_start|>": 151652, "<|vision_end|>": 151653,
    "<|vision_pad|>": 151654, "<|image_pad|>": 151655, "<|video_pad|>": 151656, "<tool_call>": 151657,
    "</tool_call>": 151658, "<|fim_prefix|>": 151659, "<|fim_middle|>": 151660, "<|fim_suffix|>": 151661,
    "<|fim_pad|>": 151662, "<|repo_name|>": 151663, "<|file_sep|>": 151664,
}  # fmt: skip
QWEN3_MARKERS = QWEN2_5_MARKERS | {
    "<tool_response>": 151665, "</tool_response>": 151666, "<think>": 151667, "</think>": 151668,
}  # fmt: skip


def write_tools(chat: Chat, out: Writer) -> None:
    """Write the tools, one JSON object a line, and how to call them; this ends the system turn."""
    out.append(
        "# Tools\n\nYou may call one or more functions to assist with the user query.\n\n"
        "You are provided with function signatures within <tools></tools> XML tags:\n<tools>"
    )
    for index, tool in enumerate(chat.tools):
        out += "\n", chat.json(tool, "tools", index)
    out.append(
        "\n</tools>\n\nFor each function call, return a json object with function name and arguments within "
        "<tool_call></tool_call> XML tags:\n"
        '<tool_call>\n{"name": <function-name>, "arguments": <args-json-object>}\n</tool_call><|im_end|>\n'
    )


def write_call(out: Writer, call: Call, arguments: str) -> None:
    """Write one call as a JSON object."""
    out += '<tool_call>\n{"name": "', call.name, '", "arguments": ', arguments, "}\n</tool_call>"


def write_result(chat: Chat, out: Writer, message: Message, *content: str) -> None:
    """Write the result of a tool. Consecutive results share one user turn."""
    if chat.begins_run(message):
        out.append("<|im_start|>user")
    out += "\n<tool_response>\n", *content, "\n</tool_response>"
    if chat.ends_run(message):
        out.append("<|im_end|>\n")


VISION = {
    "Picture": "<|vision_start|><|image_pad|><|vision_end|>",
    "Video": "<|vision_start|><|video_pad|><|vision_end|>",
}
"""The placeholders for an image and a video, by the word that precedes their numbers."""


def kind_of(part: Part) -> str:
    """Return the word that precedes the number of an image, a video or a sound; empty for text."""
    if part.type == "image" or "image" in part.raw or "image_url" in part.raw:
        return "Picture"
    if part.type == "audio" or "audio" in part.raw or "audio_url" in part.raw:
        return "Audio"
    return "Video" if part.type == "video" or "video" in part.raw else ""


def write_content(
    chat: Chat,
    out: Writer,
    message: Message,
    count: Counter[str],
    media: Mapping[str, str] = VISION,
    *,
    step: int = 1,
) -> None:
    """Write the content of a message: its text, or its parts in order.

    The options `add_vision_id` and `add_audio_id` number images, videos and sounds throughout the conversation; `count`
    holds the numbers so far, and grows by `step`.
    """
    if not message.parts:
        out.append(message.content)
    for part in message.parts:
        kind = kind_of(part)
        if kind not in media:
            out.append(part.text)
            continue
        count[kind] += step
        if chat.option("add_audio_id" if kind == "Audio" else "add_vision_id", False):
            out.append(f"{kind} {count[kind]}: ")
        out.append(media[kind])
        out.used(*part.path)


def as_one(chat: Chat, message: Message, pieces: list[str]) -> str:
    """Return the pieces of a message's content as one text, whose origin is still that content."""
    if len(pieces) == 1:
        return pieces[0]
    return chat.printed("".join(pieces), "messages", message.index, "content")


def is_question(message: Message, content: str) -> bool:
    """Return whether a message is a user's own, and not the result of a tool in a user turn."""
    return message.role == "user" and not (
        content.startswith("<tool_response>") and content.endswith("</tool_response>")
    )
