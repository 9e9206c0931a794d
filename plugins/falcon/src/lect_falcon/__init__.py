"""Falcon, by the Technology Innovation Institute."""

from lect.plugin import DEFAULT, Family, Rule
from lect_falcon.falcon import FALCON_11B, FALCON_180B, FALCON_INSTRUCT
from lect_falcon.falcon3 import FALCON3, FALCON_H1

__lect_api__ = "~=1.0"

NEVER_CHATTED = "a base model: the chat markers were never trained on"

adapter = Family(
    "falcon",
    Rule("falcon h 1 # b ?deep base", DEFAULT, kind="base", note=NEVER_CHATTED),
    Rule("falcon h 1 # b ?deep instruct .", FALCON_H1),
    Rule("falcon 3 # b base", DEFAULT, kind="base", note=NEVER_CHATTED),
    Rule("falcon 3 # b instruct .", FALCON3),
    Rule("falcon 180 b chat .", FALCON_180B),
    Rule("falcon 7 b instruct .", FALCON_INSTRUCT),
    Rule("falcon 11 b", FALCON_11B, kind="base", note="a base model, with a chat template from its maker"),
    Rule("falcon ?rw|mamba 1|7|40|180 b", DEFAULT, kind="base", note=NEVER_CHATTED),
)
