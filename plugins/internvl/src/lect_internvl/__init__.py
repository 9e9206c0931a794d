"""InternVL, by OpenGVLab: the formats of its own code, which its training uses too, and of what transformers runs.

The tokenizers have the chat templates of the language models that InternVL is built on, with other system texts.
"""

from functools import partial

from lect.plugin import DEFAULT, Chat, Family, Rule, Template, Writer

__lect_api__ = "~=1.0"

CHATML = ("<|im_start|>", "\n")
# The maker's code replaces `<image>` with these.
OF_IMAGES = ["<img>", "</img>", "<IMG_CONTEXT>", "<quad>", "</quad>", "<ref>", "</ref>", "<box>", "</box>"]
MEDIA = {"image": "<IMG_CONTEXT>\n", "video": "<video>\n"}


def internvl(chat: Chat, out: Writer, *, tag: tuple[str, str], end: str) -> None:
    """Write InternVL: always a system turn, and images before the text of a turn. An empty text leaves a turn open."""
    before, after = tag
    out += before, "system", after
    out.turn(chat.system)
    out += chat.system.content if chat.system else chat.default_system, end
    for message in out.turns(chat.without_system):
        if message.role not in ("user", "assistant"):
            chat.refuse(f"there is no turn for the role {message.role!r}", instead="system first, user, assistant")
        out += before, message.role, after
        shown = [part for part in message.parts if part.type == "image"]
        for part in shown:
            out.append("<image>\n")
            out.used(*part.path)
        if message.content or shown:
            out += message.content, end
    if chat.add_generation_prompt:
        out += before, "assistant", after


def internvl_hf(chat: Chat, out: Writer) -> None:
    """Write InternVL as packed for transformers: ChatML without a default system text, and parts in order."""
    for message in out.turns(chat.messages):
        out += "<|im_start|>", message.role, "\n"
        if not message.parts:
            out.append(message.content)
        for part in message.parts:
            if part.type in MEDIA:
                out.append(MEDIA[part.type])
                out.used(*part.path)
            else:
                out.append(part.text)
        out.append("<|im_end|>\n")
    if chat.add_generation_prompt:
        out.append("<|im_start|>assistant\n")


TILES: dict[str, object] = {
    "rule": "tiles",
    "pad": "<IMG_CONTEXT>",
    "start": "<img>",
    "end": "</img>",
    "size": 448,
    "min_patches": 1,
    "max_patches": 12,
    "image_seq_length": 256,
    # The processor cuts images into tiles, although its own file says that it does not.
    "crop_to_patches": True,
    "kept": ["crop_to_patches"],
}
COUNTED: dict[str, dict[str, object]] = {"image": {**TILES, "placeholder": "<image>"}}
COUNTED_HF: dict[str, dict[str, object]] = {
    "image": {**TILES, "placeholder": "<IMG_CONTEXT>"},
    "video": {
        **TILES,
        "rule": "tile_frames",
        "source": "huggingface/transformers at d56c55b: the processor internvl",
        "placeholder": "<video>",
        "timestamp": "Frame{number}: ",
        "between": "\n",
    },
}
INTERNVL2 = Template(
    "internvl2",
    partial(internvl, tag=CHATML, end="<|im_end|>"),
    roles=["system", "user", "assistant"],
    capabilities=["system", "images"],
    default_system=(
        "你是由上海人工智能实验室联合商汤科技开发的书生多模态大模型，英文名叫InternVL, 是一个有用无害的人工智能助手。"
    ),
    accepts=["parts"],
    # Each size has the vocabulary of a different language model: no ids are right for all.
    stop=["<|im_end|>"],
    markers=["<|im_start|>", "<|im_end|>", "<image>", *OF_IMAGES],
    control_tokens=OF_IMAGES,
    media=COUNTED,
    source="OpenGVLab/InternVL at 2410d1d, internvl_chat/internvl/conversation.py: internlm2-chat, Hermes-2",
)
INTERNVL2_PHI3 = INTERNVL2.but(
    name="internvl2-phi3",
    program=partial(internvl, tag=("<|", "|>\n"), end="<|end|>"),
    stop={"<|end|>": 32007},
    markers=["<|system|>", "<|user|>", "<|assistant|>", "<|end|>", "<|endoftext|>", "<image>", *OF_IMAGES],
    source="OpenGVLab/InternVL at 2410d1d, internvl_chat/internvl/conversation.py: phi3-chat",
)
INTERNVL2_5 = INTERNVL2.but(
    name="internvl2.5",
    program=partial(internvl, tag=CHATML, end="<|im_end|>\n"),
    default_system=(
        "你是书生·万象，英文名是InternVL，是由上海人工智能实验室、清华大学及多家合作单位联合开发的多模态大语言模型。"
    ),
    source="OpenGVLab/InternVL at 2410d1d, internvl_chat/internvl/conversation.py: internvl2_5",
)
INTERNVL_HF = Template(
    "internvl-hf",
    internvl_hf,
    capabilities=["system", "images", "video"],
    accepts=["parts"],
    stop=["<|im_end|>"],
    markers=[*INTERNVL2.markers, "<video>"],
    control_tokens=OF_IMAGES,
    media=COUNTED_HF,
    source=(
        "OpenGVLab/InternVL3-1B-hf, chat_template.jinja, as huggingface/transformers at d56c55bf564d writes it: "
        "src/transformers/models/internvl/convert_internvl_weights_to_hf.py"
    ),
    evidence="second-hand",
)

NEVER_CHATTED = "a base model: it was not tuned to follow instructions"
DISAGREE = "the code that trains InternVL3.5 writes a default system text, and the templates of its tokenizers do not"
OTHER_TEMPLATE = "not among the models that transformers converts, which have a template of their own"

SENSENOVA = ["InternVL3-2B", "InternVL3-8B", "1.1-InternVL3-2B", "1.1-InternVL3-8B", "1.2-InternVL3-8B"]

adapter = Family(
    "internvl",
    Rule("internvl 3 1|2|8|9|14|38|78 b hf .", INTERNVL_HF),
    Rule("internvl 2.5 1|2|4|8|26|38|78 b mpo hf .", INTERNVL_HF),
    Rule("internvl 2|2.5|3 # b ?instruct|mpo hf", None, note=OTHER_TEMPLATE),
    Rule("internvl 3|3.5 # b ?a ?# ?b pretrained", DEFAULT, kind="base", note=NEVER_CHATTED),
    Rule("internvl 3.5", None, note=DISAGREE),
    Rule("internvl 2.5|3 # b ?instruct|mpo .", INTERNVL2_5),
    Rule("internvl 2 pretrain", DEFAULT, kind="base", note=NEVER_CHATTED),
    Rule("internvl 2 4 b .", INTERNVL2_PHI3),
    Rule("internvl 2 # b ?mpo .", INTERNVL2),
    Rule("internvl 2 llama 3 76 b .", INTERNVL2),
    Rule("mini internvl chat 4 b v 1 5 .", INTERNVL2_PHI3),
    Rule("mini internvl chat 2 b v 1 5 .", INTERNVL2),
    Rule("internvl chat v 1 5 ?int ?8 .", INTERNVL2),
    # Trained further by SenseTime, whose code asks InternVL3's own `chat`: OpenSenseNova/SenseNova-SI.
    *(Rule(f"sensenova/SenseNova-SI-{name}", INTERNVL2_5) for name in SENSENOVA),
)
