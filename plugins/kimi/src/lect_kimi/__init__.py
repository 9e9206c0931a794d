"""Kimi and Moonlight, by Moonshot AI."""

from lect.plugin import DEFAULT, Family, Rule
from lect_kimi.k3 import K3
from lect_kimi.templates import K2, K2_5, K2_THINKING, MOONLIGHT, VL, VL_THINKING

__lect_api__ = "~=1.0"

NEVER_CHATTED = "a base model: the chat markers were never trained on"

adapter = Family(
    "kimi",
    Rule("kimi k 2 thinking", K2_THINKING),
    Rule("kimi k 2 instruct 0905", None, note="the model of September 2025 has another template"),
    Rule("kimi k 2 instruct", K2),
    Rule("kimi k 3 .", K3),
    Rule("kimi k 2.5|2.6 .", K2_5),
    Rule("kimi k 2.7 code", K2_5),
    Rule("kimi vl a # b thinking ?2506", VL_THINKING),
    Rule("kimi vl a # b instruct", VL),
    Rule("moonlight # b a # b instruct", MOONLIGHT),
    Rule("kimi dev", None, note="a Qwen2.5 that was tuned for software; its template was not seen"),
    Rule("kimi k 2 base", DEFAULT, kind="base", note=NEVER_CHATTED),
    Rule("kimi linear # b a # b base", DEFAULT, kind="base", note=NEVER_CHATTED),
    Rule("moonlight # b a # b .", DEFAULT, kind="base", note=NEVER_CHATTED),
)
