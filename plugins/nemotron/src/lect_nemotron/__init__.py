"""Nemotron and ChatQA, by NVIDIA."""

from lect.plugin import DEFAULT, Family, Rule
from lect_nemotron.chatqa import CHATQA
from lect_nemotron.mini import MINI, MINITRON
from lect_nemotron.nano_v2 import NANO_V2
from lect_nemotron.nemotron3 import NEMOTRON3, NEMOTRON3_5, NEMOTRON3_SUPER, NEMOTRON3_ULTRA
from lect_nemotron.omni import OMNI
from lect_nemotron.super_v1_5 import SUPER_V1_5

__lect_api__ = "~=1.0"

NEVER_CHATTED = "a base model: the chat markers were never trained on"

adapter = Family(
    "nemotron",
    Rule("?nvidia nemotron 3|3.5 nano|super|ultra|lightning # b a # b base", DEFAULT, kind="base", note=NEVER_CHATTED),
    Rule("?nvidia nemotron 3.5 lightning ?# ?b ?a ?# ?b .", NEMOTRON3_5),
    Rule("?nvidia nemotron 3 ultra ?# ?b ?a ?# ?b .", NEMOTRON3_ULTRA),
    Rule("?nvidia nemotron 3 super ?# ?b ?a ?# ?b .", NEMOTRON3_SUPER),
    Rule("?nvidia nemotron 3 nano # b a # b .", NEMOTRON3),
    Rule("?nvidia nemotron 3 nano omni ?30 ?b ?a ?3 ?b ?reasoning .", OMNI),
    Rule("?nvidia nemotron nano 9|12 b v 2 base", DEFAULT, kind="base", note=NEVER_CHATTED),
    Rule("?nvidia nemotron nano 9|12 b v 2 .", NANO_V2),
    Rule("?llama 3.3 nemotron super 49 b v 1.5 .", SUPER_V1_5),
    Rule("nemotron mini 4 b instruct .", MINI),
    Rule("?mistral nemo minitron 8 b instruct .", MINITRON),
    Rule("nemotron 4 # b base", DEFAULT, kind="base", note=NEVER_CHATTED),
    Rule("nemotron h # b base", DEFAULT, kind="base", note=NEVER_CHATTED),
    Rule("?llama ?3 chatqa 1.5 # b .", CHATQA),
)
