"""LLaVA as packed for transformers, by llava-hf: in every turn images come first, then videos, then text."""

from collections.abc import Sequence
from functools import partial

from lect.plugin import Chat, Message, Template, Writer
from lect_llava import media

CHATML = ["<|im_start|>", "<|im_end|>"]


def write_media(out: Writer, message: Message, kinds: Sequence[str]) -> None:
    """Write a placeholder on its own line for each image and video, one kind after the other."""
    for kind in kinds:
        for part in message.parts:
            if part.type == kind:
                out += "<", kind, ">\n"
                out.used(*part.path)


def texts(message: Message) -> list[str]:
    """Return the texts of a message; a content that is a text is its only one."""
    return [part.text for part in message.parts if part.type == "text"] if message.parts else [message.content]


def vicuna(chat: Chat, out: Writer, *, system_twice: bool) -> None:
    """Write LLaVA of Vicuna: a space after every text; LLaVA-NeXT-Video has a system text twice, as its maker does."""
    for message in out.turns(chat.messages):
        if message.role != "system":
            out += message.role.upper(), ": "
        elif system_twice:
            out += texts(message)[:1]
        write_media(out, message, ["image"])
        for text in texts(message):
            out += text, " "
    if chat.add_generation_prompt:
        out.append("ASSISTANT:")


def chatml(chat: Chat, out: Writer, *, kinds: Sequence[str]) -> None:
    """Write LLaVA-OneVision of Qwen2 and LLaVA-NeXT-Video of Yi: ChatML without a default system text."""
    for message in out.turns(chat.messages):
        out += "<|im_start|>", message.role, "\n"
        write_media(out, message, kinds)
        out += *texts(message), "<|im_end|>\n"
    if chat.add_generation_prompt:
        out.append("<|im_start|>assistant\n")


def mistral(chat: Chat, out: Writer) -> None:
    """Write LLaVA 1.6 of Mistral: of a system text and an answer only the first part."""
    for message in out.turns(chat.messages):
        if message.role == "system":
            out += "<<SYS>>\n", *texts(message)[:1], "\n<</SYS>>\n\n"
        elif message.role == "user":
            out.append("[INST] ")
            write_media(out, message, ["image"])
            out += *texts(message), " [/INST]"
        elif message.role == "assistant":
            out += " ", *texts(message)[:1], "</s> "
        else:
            chat.refuse(f"there is no turn for the role {message.role!r}", instead="system, user, assistant")


MARKERS = ["<unk>", "<s>", "</s>", "<image>"]
VIDEO = "src/transformers/models/llava_next_video/convert_llava_next_video_weights_to_hf.py"
NEXT_VIDEO = Template(
    "llava-next-video-hf",
    partial(vicuna, system_twice=True),
    capabilities=["system", "images"],
    accepts=["parts"],
    stop={"</s>": 2},
    markers=[*MARKERS, "<video>", "USER:", "ASSISTANT:"],
    control_tokens=[*MARKERS, "<video>"],
    text_separators=True,
    media=media.NEXT,
    source=f"llava-hf/LLaVA-NeXT-Video-7B-hf, as huggingface/transformers at d56c55bf564d writes it: {VIDEO}",
    evidence="second-hand",
)
NEXT_VIDEO_34B = NEXT_VIDEO.but(
    name="llava-next-video-34b-hf",
    program=partial(chatml, kinds=["image"]),
    stop=["<|im_end|>"],
    markers=[*CHATML, "<image>", "<video>"],
    control_tokens=["<image>", "<video>"],
    text_separators=False,
    source=f"llava-hf/LLaVA-NeXT-Video-34B-hf, as huggingface/transformers at d56c55bf564d writes it: {VIDEO}",
)
ONEVISION = NEXT_VIDEO_34B.but(
    name="llava-onevision-hf",
    program=partial(chatml, kinds=["image", "video"]),
    capabilities=["system", "images", "video"],
    media=media.ONEVISION,
    source=(
        "llava-hf/llava-onevision-qwen2-7b-ov-hf, as huggingface/transformers at d56c55bf564d writes it: "
        "src/transformers/models/llava_onevision/convert_llava_onevision_weights_to_hf.py"
    ),
)
TESTS = "as the tests of its processor in huggingface/transformers have it: tests/models/"
HF_1_5 = NEXT_VIDEO.but(
    name="llava-1.5-hf",
    program=partial(vicuna, system_twice=False),
    markers=[*MARKERS, "USER:", "ASSISTANT:"],
    control_tokens=MARKERS,
    media=media.HF_1_5,
    source=f"llava-hf/llava-1.5-7b-hf, {TESTS}llava/test_processing_llava.py at d56c55bf564d",
)
NEXT_VICUNA = HF_1_5.but(
    name="llava-1.6-vicuna-hf",
    media=media.NEXT,
    source=f"llava-hf/llava-v1.6-vicuna-7b-hf, {TESTS}llava_next/test_processing_llava_next.py at 1ed7c56",
)
NEXT_MISTRAL = NEXT_VIDEO.but(
    name="llava-1.6-mistral-hf",
    program=mistral,
    roles=["system", "user", "assistant"],
    markers=[*MARKERS, "[INST]", "[/INST]", "<<SYS>>", "<</SYS>>"],
    control_tokens=MARKERS,
    source="llava-hf/llava-v1.6-mistral-7b-hf, as huggingface/trl 1.16.0 has it: trl/chat_templates/llava_next.jinja",
)
