"""Kimi K2, by Moonshot AI."""

from lect.plugin import DEFAULT, Family, Rule
from lect_kimi.templates import K2, K2_THINKING

__lect_api__ = "~=1.0"

adapter = Family(
    "kimi",
    Rule("kimi k 2 thinking", K2_THINKING),
    Rule("kimi k 2 instruct 0905", None, note="the model of September 2025 has another template"),
    Rule("kimi k 2 instruct", K2),
    Rule("kimi k 2 base", DEFAULT, kind="base", note="a base model: the chat markers were never trained on"),
)
