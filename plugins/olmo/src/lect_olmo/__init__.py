"""OLMo and Tulu, by the Allen Institute for AI."""

from lect.plugin import DEFAULT, Family, Rule
from lect_olmo.olmo3 import OLMO3_1_INSTRUCT, OLMO3_1_THINK, OLMO3_INSTRUCT, OLMO3_THINK, OLMO3_THINK_7B
from lect_olmo.tulu import OLMO, OLMO2, OLMOE, OLMOE_0125, TULU2, TULU3

__lect_api__ = "~=1.0"

NEVER_CHATTED = "a base model: the chat markers were never trained on"

adapter = Family(
    "olmo",
    Rule("olmo 3.1 32 b instruct ?sft|dpo .", OLMO3_1_INSTRUCT),
    Rule("olmo 3.1 32 b think .", OLMO3_1_THINK),
    Rule("olmo 3 7 b instruct ?sft|dpo .", OLMO3_INSTRUCT),
    Rule("olmo 3 32 b think .", OLMO3_THINK),
    Rule("olmo 3 7 b think .", OLMO3_THINK_7B),
    Rule("olmo 3 1025|1125 # b", DEFAULT, kind="base", note=NEVER_CHATTED),
    Rule("olmo 2 0325|0425|1124 # b instruct .", OLMO2),
    Rule("olmo 2 0325|0425|1124 # b", DEFAULT, kind="base", note=NEVER_CHATTED),
    Rule("olmo 7 b ?0724 instruct .", OLMO),
    Rule("olmo 1|7 b ?0424|0724", DEFAULT, kind="base", note=NEVER_CHATTED),
    Rule("olmoe 1 b 7 b 0924 instruct .", OLMOE),
    Rule("olmoe 1 b 7 b 0125 instruct .", OLMOE_0125),
    Rule("olmoe 1 b 7 b ?0125|0924 instruct|sft|dpo", None, note="the template of its maker was not seen"),
    Rule("olmoe 1 b 7 b ?0125|0924", DEFAULT, kind="base", note=NEVER_CHATTED),
    Rule("?llama ?3.1 tulu 3|3.1 # b ?sft|dpo .", TULU3),
    Rule("tulu 2 ?dpo # b .", TULU2),
)
