"""Jamba, by AI21."""

from lect.plugin import Family, Rule
from lect_jamba.jamba1_5 import JAMBA1_5, JAMBA1_6

__lect_api__ = "~=1.0"

adapter = Family(
    "jamba",
    Rule("?ai ?21 jamba 1.5 mini|large .", JAMBA1_5),
    Rule("?ai ?21 jamba mini|large 1.6 .", JAMBA1_6),
)
