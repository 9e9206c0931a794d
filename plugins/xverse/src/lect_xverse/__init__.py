"""XVERSE, by XVERSE Technology."""

from lect.plugin import DEFAULT, Family, Rule, Turn, TurnTemplate

__lect_api__ = "~=1.0"

XVERSE = TurnTemplate(
    "xverse",
    user=Turn("Human: ", "\n\n"),
    assistant=Turn("Assistant: ", "<|endoftext|>"),
    refuses=True,
    stop={"<|endoftext|>": 3},
    markers={"<|endoftext|>": 3, "Human:": None, "Assistant:": None},
    text_separators=True,
    source="xverse/XVERSE-13B-Chat, modeling_xverse.py, as in xusenlinzy/api-for-open-llm at cd313e8",
    evidence="second-hand",
)

NEVER_CHATTED = "a base model: its maker gave it no chat format"

adapter = Family(
    "xverse",
    Rule("xverse 13 b 256 k", None, note="its maker fine-tuned it, and does not say in which format"),
    Rule("xverse 7|13|65 b chat .", XVERSE),
    Rule("xverse 7|13|65 b .", DEFAULT, kind="base", note=NEVER_CHATTED),
    Rule("xverse moe a 4.2 b .", DEFAULT, kind="base", note=NEVER_CHATTED),
)
