"""SmolLM and SmolVLM, by Hugging Face."""

from lect.plugin import DEFAULT, Family, Rule
from lect_smollm.smollm2 import SMOLLM, SMOLLM2
from lect_smollm.smollm3 import SMOLLM3
from lect_smollm.smolvlm import SMOLVLM, SMOLVLM_500M

__lect_api__ = "~=1.0"

NEVER_CHATTED = "a base model: the chat markers were never trained on"

adapter = Family(
    "smollm",
    Rule("smollm 3 3 b base", DEFAULT, kind="base", note=NEVER_CHATTED),
    Rule("smollm 3 3 b .", SMOLLM3),
    Rule("smollm 2 1.7|135|360 b|m instruct .", SMOLLM2),
    Rule("smollm 1.7|135|360 b|m instruct ?v ?0.2 .", SMOLLM),
    Rule("smolvlm ?2 256|500 m ?video instruct .", SMOLVLM_500M),
    Rule("smolvlm ?2 2.2 b instruct .", SMOLVLM),
    Rule("smolvlm instruct .", SMOLVLM),
    Rule("smolvlm ?2 ?2.2|256|500 ?b|m base", DEFAULT, kind="base", note=NEVER_CHATTED),
    Rule("smollm ?2 1.7|135|360 b|m", DEFAULT, kind="base", note=NEVER_CHATTED),
)
