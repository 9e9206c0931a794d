"""LongCat, by Meituan."""

from lect.plugin import Family, Rule
from lect_longcat.flash import LONGCAT, LONGCAT_FLASH

__lect_api__ = "~=1.0"

adapter = Family(
    "longcat",
    Rule("longcat flash chat .", LONGCAT_FLASH),
    Rule("longcat flash", LONGCAT),
)
