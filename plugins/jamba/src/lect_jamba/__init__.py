"""Jamba, by AI21."""

from lect.plugin import DEFAULT, Family, Rule
from lect_jamba.jamba1_5 import JAMBA1_5, JAMBA1_6

__lect_api__ = "~=1.0"

adapter = Family(
    "jamba",
    Rule("jamba v 0.1", DEFAULT, kind="base", note="a base model: its maker gave it no chat format"),
    Rule("?ai ?21 jamba 1.5 mini|large .", JAMBA1_5),
    Rule("?ai ?21 jamba mini|large 1.6 .", JAMBA1_6),
)
