"""MiniCPM-V-2.6: the text format of Qwen2, which it is built on; each part of a message is on its own line."""

from lect.plugin import Chat, Message, Template, Writer
from lect_minicpm.media import SLICES

IMAGE = str(SLICES["image"]["placeholder"])


def write_parts(out: Writer, message: Message) -> None:
    """Write the content of a message as the maker's code makes it of images and texts."""
    if not message.parts:
        out.append(message.content)
    # What it does not read, it leaves out.
    for index, part in enumerate(part for part in message.parts if part.type in ("text", "image")):
        out.append("\n" if index else "")
        if part.type == "text":
            out.append(part.text)
        else:
            out.append(IMAGE)
            out.used(*part.path)


def minicpm_v2_6(chat: Chat, out: Writer) -> None:
    """Write MiniCPM-V-2.6: a default system text unless there is another."""
    messages = chat.messages
    if messages and messages[0].role != "system":
        out += "<|im_start|>system\n", chat.default_system, "<|im_end|>\n"
    for message in out.turns(messages):
        out += "<|im_start|>", message.role, "\n"
        write_parts(out, message)
        out.append("<|im_end|>\n")
    if chat.add_generation_prompt:
        out.append("<|im_start|>assistant\n")


MINICPM_V2_6 = Template(
    "minicpm-v-2.6",
    minicpm_v2_6,
    capabilities=["system", "images"],
    default_system="You are a helpful assistant.",
    accepts=["parts"],
    stop={"<|im_end|>": 151645, "<|endoftext|>": 151643},
    markers=["<|im_start|>", "<|im_end|>", "<|endoftext|>", "<image>", "</image>", "<unk>"],
    control_tokens=["<image>", "</image>", "<unk>"],
    media=SLICES,
    source=(
        "openbmb/MiniCPM-V-2_6, tokenizer_config.json, as xorbitsai/inference at 7ecec16 copies it; images as in its "
        "copy of chat() of modeling_minicpmv.py; modelscope/ms-swift at 3602360, "
        "swift/template/templates/minicpm.py, has the same turns"
    ),
    evidence="second-hand",
)
