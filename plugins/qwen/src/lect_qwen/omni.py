"""Qwen3-Omni: like Qwen3, with images, videos and sounds from every role."""

from functools import partial

from lect.plugin import Chat, Message, Writer
from lect_qwen import media
from lect_qwen.chatml import VISION, kind_of, write_tools
from lect_qwen.qwen3 import NO_THOUGHT, QWEN3, write_turns

MEDIA = VISION | {"Audio": "<|audio_start|><|audio_pad|><|audio_end|>"}


def pieces_of(out: Writer, message: Message) -> list[str]:
    """Return the content of a message in pieces: its text, or its parts in order."""
    pieces = [] if message.parts else [message.content]
    for part in message.parts:
        kind = kind_of(part)
        if kind:
            pieces.append(MEDIA[kind])
            out.used(*part.path)
        elif part.type == "text":
            pieces.append(part.text)
    return pieces


def write_system(chat: Chat, out: Writer, *, thinking: bool) -> None:
    """Write the system turn. Without tools, every part of a system message has its own turn.

    Instruct leaves an empty line before the tools even if there is no system text.
    """
    system = chat.system
    out.turn(system)
    pieces = pieces_of(out, system) if system else []
    if chat.tools:
        out += "<|im_start|>system\n", *pieces, "\n\n" if system or not thinking else ""
        write_tools(chat, out)
    else:
        for piece in pieces:
            out += "<|im_start|>system\n", piece, "<|im_end|>\n"
    out.turn(None)


def qwen3_omni(chat: Chat, out: Writer, *, thinking: bool) -> None:
    """Write Qwen3-Omni. A question in parts does not count as the last one."""
    write_system(chat, out, thinking=thinking)
    write_turns(chat, out, [pieces_of(out, message) for message in chat.messages], questions_in_parts=False)
    if chat.add_generation_prompt:
        out += "<|im_start|>assistant\n", NO_THOUGHT if chat.option("enable_thinking") is False else ""


MARKERS = [
    *QWEN3.markers, "<|audio_start|>", "<|audio_end|>", "<|audio_pad|>", "<tts_pad>", "<tts_text_bos>",
    "<tts_text_eod>", "<tts_text_bos_single>",
]  # fmt: skip
QWEN3_OMNI = QWEN3.but(
    name="qwen3-omni",
    program=partial(qwen3_omni, thinking=False),
    capabilities=["system", "tools", "parallel_tools", "reasoning", "images", "video", "audio"],
    accepts=["parts"],
    markers=MARKERS,
    control_tokens=MARKERS,
    media=media.QWEN3_OMNI,
    source="Qwen/Qwen3-Omni-30B-A3B-Instruct, chat_template.json",
)
QWEN3_OMNI_THINKING = QWEN3_OMNI.but(
    name="qwen3-omni-thinking",
    program=partial(qwen3_omni, thinking=True),
    source="Qwen/Qwen3-Omni-30B-A3B-Thinking, chat_template.json",
)
