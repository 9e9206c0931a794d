"""Vicuna and LongChat, by LMSYS.

FastChat is the maker's own code, so its templates are the official ones and keep their names.
"""

from lect.plugin import Family, Rule
from lect_vicuna.templates import ONE_SHOT, VICUNA

__lect_api__ = "~=1.0"

adapter = Family(
    "vicuna",
    Rule("vicuna * v 0", ONE_SHOT, note="v0 was trained on the older format"),
    Rule("vicuna", VICUNA),
    Rule("longchat", VICUNA),
)
