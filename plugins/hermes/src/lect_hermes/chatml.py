"""Nous Hermes 2, OpenHermes 2 and 2.5: ChatML, with any role."""

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
NOUS_HERMES2_SOLAR = OPENHERMES.but(
    name="nous-hermes-2-solar", source="NousResearch/Nous-Hermes-2-SOLAR-10.7B, tokenizer_config.json at 254409b"
)
OPENHERMES2 = OPENHERMES.but(
    name="openhermes-2",
    evidence="attested",
    source=(
        "teknium/OpenHermes-2-Mistral-7B, README.md, as YinanWusoymilk/hf-readme at 1ab39f2 keeps it, and "
        "lmstudio-ai/configs at 9421299, config.map.json and chatml.preset.json"
    ),
)
