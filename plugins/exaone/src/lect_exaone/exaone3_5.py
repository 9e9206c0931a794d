"""EXAONE 3.5: a tag for each role."""

from lect.plugin import Turn, TurnTemplate

# Only a user's turn has no end marker, and there is always a system turn.
EXAONE3_5 = TurnTemplate(
    "exaone-3.5",
    system=Turn("[|{role}|]", "[|endofturn|]\n"),
    user=Turn("[|{role}|]", "\n"),
    assistant=Turn("[|{role}|]", "[|endofturn|]\n"),
    other=Turn("[|{role}|]", "[|endofturn|]\n"),
    without_system="[|system|][|endofturn|]\n",
    empty="generation",
    stop={"[|endofturn|]": 361},
    markers=["[|system|]", "[|user|]", "[|assistant|]", "[|endofturn|]", "[BOS]", "[PAD]", "[UNK]"],
    source="LGAI-EXAONE/EXAONE-3.5-2.4B-Instruct, tokenizer_config.json",
)
