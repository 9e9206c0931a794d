"""Nous Hermes 2 and OpenHermes 2.5: ChatML, with any role."""

from lect.plugin import Turn, TurnTemplate

CHATML = Turn("<|im_start|>{role}\n", "<|im_end|>\n")

NOUS_HERMES2 = TurnTemplate(
    "nous-hermes-2",
    system=CHATML,
    user=CHATML,
    assistant=CHATML,
    other=CHATML,
    generation="<|im_start|>assistant\n",
    bos="<s>",
    stop={"<|im_end|>": 32000, "</s>": 2},
    markers=["<|im_start|>", "<|im_end|>", "<unk>", "<s>", "</s>"],
    control_tokens=["<unk>", "<s>"],
    source="NousResearch/Nous-Hermes-2-Mixtral-8x7B-DPO, tokenizer_config.json",
)
OPENHERMES = NOUS_HERMES2.but(
    name="openhermes-2.5", bos="", source="teknium/OpenHermes-2.5-Mistral-7B, tokenizer_config.json"
)
