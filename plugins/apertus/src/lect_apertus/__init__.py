"""Apertus, by the Swiss AI Initiative."""

from lect.plugin import DEFAULT, Family, Rule
from lect_apertus.apertus import APERTUS

__lect_api__ = "~=1.0"

adapter = Family(
    "apertus",
    Rule("apertus 8|70 b instruct 2509", APERTUS),
    Rule("apertus 8|70 b 2509", DEFAULT, kind="base", note="a base model: the chat markers were never trained on"),
)
