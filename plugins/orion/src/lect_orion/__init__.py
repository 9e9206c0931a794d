"""Orion, by OrionStar, and Llamion, by vaiv, which is Orion in the architecture of Llama."""

from lect.plugin import DEFAULT, Family, Rule, Turn, TurnTemplate

__lect_api__ = "~=1.0"

# The maker writes the eos before each answer too, and leaves a system text out.
ORION = TurnTemplate(
    "orion",
    user=Turn("Human: ", "\n\nAssistant: {eos}"),
    assistant=Turn("", "{eos}"),
    empty="nothing",
    bos="<s>",
    eos="</s>",
    stop={"</s>": 2},
    markers=["<unk>", "<s>", "</s>", "Human:", "Assistant:"],
    control_tokens=["<unk>"],
    text_separators=True,
    source="OrionStarAI/Orion-14B-Chat, tokenizer_config.json",
)

adapter = Family(
    "orion",
    Rule("orion 14 b chat .", ORION),
    Rule("llamion 14 b chat .", ORION),
    Rule("orion 14 b base", DEFAULT, kind="base", note="a base model: its maker gave it no chat format"),
)
