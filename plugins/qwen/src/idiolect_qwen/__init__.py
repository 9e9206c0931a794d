"""Qwen, by Alibaba Cloud."""

from idiolect.plugin import DEFAULT, Family, Rule
from idiolect_qwen.coder import QWEN3_CODER
from idiolect_qwen.qwen2 import QWEN1, QWEN1_5, QWEN2_5, QWEN2_VL, QWQ
from idiolect_qwen.qwen3 import QWEN3, QWEN3_FIRST, QWEN3_INSTRUCT, QWEN3_THINKING, QWEN3_VL
from idiolect_qwen.qwen3_5 import QWEN3_5, QWEN3_6, QWEN3_8

__idiolect_api__ = "~=1.0"

NEVER_CHATTED = "a base model: the chat markers were never trained on"

adapter = Family(
    "qwen",
    Rule("qwen 3.8", QWEN3_8),
    Rule("qwen 3.6", QWEN3_6),
    Rule("qwen 3.5 27 b", QWEN3_5),
    Rule("qwen 3.5", QWEN3_6, note="all but the 27B have the template of Qwen3.6"),
    Rule("qwen 3 coder", QWEN3_CODER),
    Rule("qwen 3 vl * instruct", QWEN3_VL),
    Rule("qwen 3 * thinking", QWEN3_THINKING),
    Rule("qwen 3 * instruct", QWEN3_INSTRUCT),
    Rule("qwen 3 * base", DEFAULT, kind="base", note=NEVER_CHATTED),
    Rule("qwen 3 4 b", QWEN3_FIRST, note="the 4B has the first template of Qwen3"),
    Rule("qwen 3", QWEN3),
    Rule("qwq * preview", QWEN2_5, note="the preview speaks Qwen2.5"),
    Rule("qwq", QWQ),
    Rule("qwen 2|2.5 vl * instruct", QWEN2_VL),
    Rule("qwen 2.5 * instruct|chat", QWEN2_5),
    Rule("qwen 1.5|2 * chat|instruct", QWEN1_5),
    Rule("codeqwen 1.5 * chat", QWEN1_5),
    Rule("qwen 1.8|7|14|72 b chat", QWEN1),
    Rule("qwen 1.8|7|14|72 b", DEFAULT, kind="base", note=NEVER_CHATTED),
)
