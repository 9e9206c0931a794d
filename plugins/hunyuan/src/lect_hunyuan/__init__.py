"""Hunyuan, by Tencent."""

from lect.plugin import DEFAULT, Family, Rule
from lect_hunyuan.a13b import A13B
from lect_hunyuan.dense import DENSE
from lect_hunyuan.hy3 import HUNYUAN_V3_XML, HY3

__lect_api__ = "~=1.0"

NEVER_CHATTED = "a base model: the chat markers were never trained on"

adapter = Family(
    "hunyuan",
    Rule("hunyuan # b pretrain", DEFAULT, kind="base", note=NEVER_CHATTED),
    Rule("hunyuan a 13 b pretrain", DEFAULT, kind="base", note=NEVER_CHATTED),
    Rule("hy 3 preview base", DEFAULT, kind="base", note=NEVER_CHATTED),
    Rule("hy 3 .", HY3),
    Rule("hy 3", HUNYUAN_V3_XML),
    Rule("hunyuan a 13 b instruct", A13B),
    Rule("hunyuan 0.5|1.8|4 b instruct", DENSE),
    Rule("hunyuan 7 b", None, note="it has other markers than its sisters, and its sources disagree about later turns"),
)
