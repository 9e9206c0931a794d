"""LFM2, by Liquid AI."""

from lect.plugin import DEFAULT, Family, Rule
from lect_lfm2.lfm2 import LFM2, LFM2_CALLS, LFM2_PYTHONIC
from lect_lfm2.lfm2_5 import LFM2_5, LFM2_5_8B, LFM2_5_230M, LFM2_5_FIRST, LFM2_5_VL, LFM2_5_VL_450M

__lect_api__ = "~=1.0"

adapter = Family(
    "lfm2",
    Rule("lfm 2 # b|m base", DEFAULT, kind="base", note="a base model: the chat markers were never trained on"),
    Rule("lfm 2.5 8 b a 1 b base", DEFAULT, kind="base", note="a base model: the chat markers were never trained on"),
    Rule("lfm 2.5 # b|m base", DEFAULT, kind="base", note="a base model: the chat markers were never trained on"),
    Rule("lfm 2 1.2 b .", LFM2_CALLS),
    Rule("lfm 2 8 b a 1 b .", LFM2),
    Rule("lfm 2.5 vl 450 m .", LFM2_5_VL_450M),
    Rule("lfm 2.5 vl 3 b .", LFM2_5_VL),
    Rule("lfm 2.5 1.2 b instruct", LFM2_5),
    Rule("lfm 2.5 8 b a 1 b .", LFM2_5_8B),
    Rule("lfm 2.5 230 m .", LFM2_5_230M),
    Rule("lfm 2|2.5", LFM2_PYTHONIC),
    templates=[LFM2_5_FIRST],
)
