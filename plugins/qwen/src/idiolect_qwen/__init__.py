"""Qwen, by Alibaba Cloud."""

from idiolect.plugin import DEFAULT, Family, Rule
from idiolect_qwen.templates import QWEN1, QWEN1_5, QWEN2_5

__idiolect_api__ = "~=1.0"

NEVER_CHATTED = "a base model: the chat markers were never trained on"

adapter = Family(
    "qwen",
    Rule("qwen 2.5 * instruct|chat", QWEN2_5),
    Rule("qwen 1.5|2 * chat|instruct", QWEN1_5),
    Rule("codeqwen 1.5 * chat", QWEN1_5),
    Rule("qwen 1.8|7|14|72 b chat", QWEN1),
    Rule("qwen 1.8|7|14|72 b", DEFAULT, kind="base", note=NEVER_CHATTED),
)
