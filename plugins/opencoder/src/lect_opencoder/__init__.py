"""OpenCoder, by INF and M-A-P."""

from lect.plugin import DEFAULT, Family, Rule, Turn, TurnTemplate

__lect_api__ = "~=1.0"

OPENCODER = TurnTemplate(
    "opencoder",
    system=Turn("<|im_start|>{role}\n", "<|im_end|>\n"),
    user=Turn("<|im_start|>{role}\n", "<|im_end|>\n"),
    assistant=Turn("<|im_start|>{role}\n", "<|im_end|>\n"),
    other=Turn("<|im_start|>{role}\n", "<|im_end|>\n"),
    default_system="You are OpenCoder, created by OpenCoder Team.",
    empty="generation",
    stop=["<|im_end|>"],
    markers=["<|im_start|>", "<|im_end|>"],
    source="infly/OpenCoder-8B-Instruct, tokenizer_config.json",
)

adapter = Family(
    "opencoder",
    Rule("opencoder 1.5|8 b instruct", OPENCODER),
    Rule("opencoder # b base", DEFAULT, kind="base", note="a base model: the chat markers were never trained on"),
)
