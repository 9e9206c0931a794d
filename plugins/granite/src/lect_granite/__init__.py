"""Granite, by IBM."""

from lect.plugin import DEFAULT, Family, Rule
from lect_granite.code import GRANITE_CODE
from lect_granite.granite3 import GRANITE3_0, GRANITE3_1, GRANITE3_2, GRANITE3_3
from lect_granite.granite4 import GRANITE4, GRANITE4_1
from lect_granite.granite4_preview import GRANITE4_PREVIEW
from lect_granite.vision import GRANITE_VISION

__lect_api__ = "~=1.0"

NEVER_CHATTED = "a base model: the chat markers were never trained on"

adapter = Family(
    "granite",
    Rule("granite 3.0|3.1|3.3 # b ?a ?# ?m base", DEFAULT, kind="base", note=NEVER_CHATTED),
    Rule("granite 4.0 ?h small|tiny|micro base", DEFAULT, kind="base", note=NEVER_CHATTED),
    Rule("granite 4.0 ?h # b|m base", DEFAULT, kind="base", note=NEVER_CHATTED),
    Rule("granite 4.1 # b base", DEFAULT, kind="base", note=NEVER_CHATTED),
    Rule("granite # b code base", DEFAULT, kind="base", note=NEVER_CHATTED),
    Rule("granite 4.1 ?# ?b .", GRANITE4_1),
    Rule("granite 4.0 tiny preview .", GRANITE4_PREVIEW),
    Rule("granite 4.0 ?h small|tiny|micro .", GRANITE4),
    Rule("granite vision 3.2 2 b .", GRANITE_VISION),
    Rule("granite 3.3 # b instruct", GRANITE3_3),
    Rule("granite 3.2 # b instruct", GRANITE3_2),
    Rule("granite 3.1 # b ?a ?# ?m instruct", GRANITE3_1),
    Rule("granite 3.0 # b ?a ?# ?m instruct", GRANITE3_0),
    Rule("granite # b code instruct", GRANITE_CODE),
)
