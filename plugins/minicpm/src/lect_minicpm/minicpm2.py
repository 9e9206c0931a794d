"""The first MiniCPM: a tag before what the user says, and one after it."""

from lect.plugin import Turn, TurnTemplate

MINICPM2 = TurnTemplate(
    "minicpm-2b",
    system=Turn(),
    user=Turn("<用户>", "<AI>"),
    assistant=Turn(),
    tool=Turn(),
    other=Turn(),
    trim=True,
    stop={"</s>": 2},
    markers={"<用户>": None, "<AI>": None, "<unk>": None, "<s>": 1, "</s>": 2},
    control_tokens=["<unk>"],
    source="openbmb/MiniCPM-2B-dpo-bf16, tokenizer_config.json",
)
# White space is kept.
MINICPM2_FP32 = MINICPM2.but(
    name="minicpm-2b-fp32",
    trim=False,
    source="openbmb/MiniCPM-2B-sft-fp32, tokenizer_config.json",
)
