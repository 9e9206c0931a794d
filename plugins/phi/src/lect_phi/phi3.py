"""Phi-3 and Phi-3.5: a tag for each role, and the eos where no answer is requested."""

from lect.plugin import Chat, Template, Turn, TurnTemplate, Writer
from lect_phi import media

PHI3_MINI = TurnTemplate(
    "phi-3-mini",
    system=Turn("<|{role}|>\n", "<|end|>\n"),
    user=Turn("<|{role}|>\n", "<|end|>\n"),
    assistant=Turn("<|{role}|>\n", "<|end|>\n"),
    closing="{eos}",
    eos="<|endoftext|>",
    # The maker also stops where the model opens another turn of its own.
    stop={"<|end|>": 32007, "<|assistant|>": 32001, "<|endoftext|>": 32000},
    markers=[
        "<|system|>", "<|user|>", "<|assistant|>", "<|end|>", "<|endoftext|>", "<|placeholder{}|>", "<unk>", "<s>",
        "</s>",
    ],
    control_tokens=["<unk>", "<s>", "</s>"],
    source="microsoft/Phi-3-mini-4k-instruct, tokenizer_config.json",
)  # fmt: skip
# Without empty system turns.
PHI3_5 = PHI3_MINI.but(
    name="phi-3.5",
    system=Turn("<|{role}|>\n", "<|end|>\n", bare=""),
    source="microsoft/Phi-3.5-mini-instruct, tokenizer_config.json",
)
# What two projects state; that the eos ends a prompt without a question is not among it.
PHI3_5_MOE = PHI3_MINI.but(
    name="phi-3.5-moe",
    closing="",
    eos="",
    source=(
        "hiyouga/LLaMA-Factory, src/llamafactory/data/template.py: the template phi; modelscope/ms-swift, "
        "swift/template/templates/microsoft.py: the template phi3"
    ),
    evidence="attested",
)
# No system turns, and the opening of the answer follows every user turn, asked for or not.
PHI3_MEDIUM = TurnTemplate(
    "phi-3-medium",
    user=Turn("<|user|>\n", "<|end|>\n<|assistant|>\n"),
    assistant=Turn("", "<|end|>\n"),
    stop=PHI3_MINI.stop,
    markers=PHI3_MINI.markers,
    control_tokens=PHI3_MINI.control_tokens,
    source="microsoft/Phi-3-medium-128k-instruct, tokenizer_config.json",
)
# A tag for any role.
PHI3_SMALL = PHI3_MINI.but(
    name="phi-3-small",
    other=Turn("<|{role}|>\n", "<|end|>\n"),
    bos="<|endoftext|>",
    stop={"<|end|>": 100266, "<|endoftext|>": 100257},
    markers=["<|system|>", "<|user|>", "<|assistant|>", "<|end|>", "<|endoftext|>"],
    source="microsoft/Phi-3-small-8k-instruct, tokenizer_config.json",
)


def phi3_vision(chat: Chat, out: Writer) -> None:
    """Write Phi-3-vision: a tag for any role. Images are the tags `<|image_1|>`, ... in the caller's own text."""
    for message in out.turns(chat.messages):
        out += "<|", message.role, "|>\n", message.content, "<|end|>\n"
    if chat.add_generation_prompt and chat.messages and chat.messages[-1].role != "assistant":
        out.append("<|assistant|>\n")


PHI3_VISION = Template(
    "phi-3-vision",
    phi3_vision,
    stop=PHI3_MINI.stop,
    markers=[*PHI3_MINI.markers, "<|image|>", "<|image_{}|>"],
    control_tokens=PHI3_MINI.control_tokens,
    media=media.VISION_3_5,
    source="microsoft/Phi-3-vision-128k-instruct, tokenizer_config.json",
)
