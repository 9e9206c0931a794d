"""OpenBuddy, from version 21 on: Llama 3, Yi and others, tuned with its own tokens for turns."""

from lect.plugin import Family, Rule, Turn, TurnTemplate

__lect_api__ = "~=1.0"

OPENBUDDY = TurnTemplate(
    "openbuddy",
    system=Turn("<|role|>system<|says|>", "<|end|>\n"),
    user=Turn("<|role|>user<|says|>", "<|end|>\n"),
    assistant=Turn("<|role|>assistant<|says|>", "<|end|>\n"),
    other=Turn("<|role|>{role}<|says|>", "<|end|>\n"),
    stop=["<|end|>"],
    markers=["<|role|>", "<|says|>", "<|end|>", "<|pad|>"],
    source="OpenBuddy/openbuddy-llama3-8b-v21.1-8k, tokenizer_config.json",
)

adapter = Family("openbuddy", Rule("openbuddy * v 21.1|21.3|22.1|23.2|24.3 # k .", OPENBUDDY))
