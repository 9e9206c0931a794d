"""LLaVA 1.5 and 1.6, by Haotian Liu and others: the formats of its own code."""

from collections.abc import Mapping
from functools import partial

from lect.plugin import DEFAULT, Chat, Family, Message, Rule, Template, Turn, Writer
from lect_llava.hf import HF_1_5, NEXT_MISTRAL, NEXT_VICUNA, NEXT_VIDEO, NEXT_VIDEO_34B, ONEVISION

__lect_api__ = "~=1.0"


def write_content(out: Writer, message: Message) -> None:
    """Write the text of a message after its images, each on its own line."""
    for part in message.parts:
        if part.type == "image":
            out.append("<image>\n")
            out.used(*part.path)
    out.append(message.content)


def llava(chat: Chat, out: Writer, *, turns: Mapping[str, Turn]) -> None:
    """Write LLaVA of Vicuna and Yi: always a system text; a message without text is only the name of its role."""
    out.append(turns["system"].prefix)
    out.turn(chat.system)
    out += chat.system.content if chat.system else chat.default_system, turns["system"].suffix
    for message in out.turns(chat.without_system):
        if message.role not in ("user", "assistant"):
            chat.refuse(f"there is no turn for the role {message.role!r}", instead="system first, user, assistant")
        turn = turns[message.role]
        if message.content or message.parts:
            out.append(turn.prefix)
            write_content(out, message)
            out.append(turn.suffix)
        else:
            out.append(turn.prefix.rstrip(" "))
    if chat.add_generation_prompt:
        out.append(turns["assistant"].prefix.rstrip(" "))


def llava_mistral(chat: Chat, out: Writer) -> None:
    """Write LLaVA of Mistral: the system text is in the first question."""
    messages = chat.without_system
    chat.require_alternation(messages)
    for message in out.turns(messages):
        if message.role == "user":
            out.append("[INST] ")
            if message is messages[0] and chat.system and chat.system.content:
                out += "<<SYS>>\n", chat.system.content, "\n<</SYS>>\n\n"
            write_content(out, message)
            out.append(" [/INST]")
        elif message.content:
            out += " ", message.content, " </s>"


# The maker's code replaces `<image>` with the tokens of an image.
MARKERS = ["<unk>", "<s>", "</s>", "<image>"]
LLAVA_V1 = Template(
    "llava-v1",
    partial(
        llava,
        turns={"system": Turn("", " "), "user": Turn("USER: ", " "), "assistant": Turn("ASSISTANT: ", "</s>")},
    ),
    roles=["system", "user", "assistant"],
    capabilities=["system", "images"],
    default_system=(
        "A chat between a curious human and an artificial intelligence assistant. "
        "The assistant gives helpful, detailed, and polite answers to the human's questions."
    ),
    accepts=["parts"],
    stop={"</s>": 2},
    markers=[*MARKERS, "USER:", "ASSISTANT:"],
    control_tokens=MARKERS,
    text_separators=True,
    source="haotian-liu/LLaVA at c121f04, llava/conversation.py: llava_v1",
)
LLAVA_MISTRAL = LLAVA_V1.but(
    name="llava-mistral",
    program=llava_mistral,
    default_system="",
    markers=[*MARKERS, "[INST]", "[/INST]", "<<SYS>>", "<</SYS>>"],
    control_tokens=MARKERS,
    source="haotian-liu/LLaVA at c121f04, llava/conversation.py: mistral_instruct",
)
LLAVA_34B = LLAVA_V1.but(
    name="llava-34b",
    program=partial(
        llava,
        turns={role: Turn(f"<|im_start|>{role}\n", "<|im_end|>") for role in ("system", "user", "assistant")},
    ),
    default_system="Answer the questions.",
    stop=["<|im_end|>"],
    markers=["<|im_start|>", "<|im_end|>", "<image>"],
    control_tokens=["<image>"],
    text_separators=False,
    source="haotian-liu/LLaVA at c121f04, llava/conversation.py: chatml_direct",
)

OTHER_TEMPLATE = "what is packed for transformers has a template of its own, which reads nothing but parts"

adapter = Family(
    "llava",
    Rule("llava ?v 1.5 7|13 b hf .", HF_1_5),
    Rule("llava v 1.6 vicuna 7|13 b hf .", NEXT_VICUNA),
    Rule("llava v 1.6 mistral 7 b hf .", NEXT_MISTRAL),
    Rule("llava v 1.5|1.6 ?vicuna|mistral # b hf", None, note=OTHER_TEMPLATE),
    Rule("llava next video 7 b ?dpo hf .", NEXT_VIDEO),
    Rule("llava next video 34 b ?dpo hf .", NEXT_VIDEO_34B),
    Rule("llava onevision qwen 2 0.5|7|72 b ov|si ?chat hf .", ONEVISION),
    Rule("llava onevision 1.5 # b base", DEFAULT, kind="base", note="a base model: it was not tuned for chats"),
    Rule("llava v 1.5 7|13 b .", LLAVA_V1),
    Rule("llava v 1.6 vicuna 7|13 b .", LLAVA_V1),
    Rule("llava v 1.6 mistral 7 b .", LLAVA_MISTRAL),
    Rule("llava v 1.6 34 b .", LLAVA_34B),
)
