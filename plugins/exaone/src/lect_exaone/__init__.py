"""EXAONE, by LG AI Research."""

from lect.plugin import Family, Rule
from lect_exaone.deep import EXAONE_DEEP
from lect_exaone.exaone3_5 import EXAONE3_5
from lect_exaone.exaone4 import EXAONE4

__lect_api__ = "~=1.0"

adapter = Family(
    "exaone",
    Rule("exaone 4.0 # b .", EXAONE4),
    Rule("exaone deep 2.4|7.8|32 b .", EXAONE_DEEP),
    Rule("exaone 3.5 # b instruct", EXAONE3_5),
)
