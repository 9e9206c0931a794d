"""Kimi K2, by Moonshot AI."""

from lect.plugin import DEFAULT, Family, Rule
from lect_kimi.replies import KIMI_K3, KIMI_VL_THINK
from lect_kimi.templates import K2, K2_THINKING

__lect_api__ = "~=1.0"

adapter = Family(
    "kimi",
    Rule("kimi k 2 thinking", K2_THINKING),
    Rule("kimi k 2 instruct 0905", None, note="the model of September 2025 has another template"),
    Rule("kimi k 2 instruct", K2),
    Rule("kimi k 3", KIMI_K3),
    Rule("kimi vl * thinking", KIMI_VL_THINK),
    Rule("kimi k 2 base", DEFAULT, kind="base", note="a base model: the chat markers were never trained on"),
)
