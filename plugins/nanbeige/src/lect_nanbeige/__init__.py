"""Nanbeige, by the Nanbeige LLM Lab of Kanzhun."""

from lect.plugin import DEFAULT, Family, Rule
from lect_nanbeige.nanbeige4_2 import NANBEIGE4_2

__lect_api__ = "~=1.0"

adapter = Family(
    "nanbeige",
    Rule("nanbeige 4.2 3 b base", DEFAULT, kind="base", note="a base model: the chat markers were never trained on"),
    Rule("nanbeige 4.2 3 b .", NANBEIGE4_2),
)
