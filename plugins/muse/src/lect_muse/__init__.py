"""Muse, by Meta."""

from lect.plugin import DEFAULT, Family, Rule
from lect_muse.glimmer import GLIMMER, MUSE_GLIMMER

__lect_api__ = "~=1.0"

adapter = Family(
    "muse",
    Rule("muse glimmer 30 b base", DEFAULT, kind="base", note="a base model: the chat markers were never trained on"),
    Rule("muse glimmer 30 b .", GLIMMER),
    Rule("muse glimmer", MUSE_GLIMMER),
)
