"""Inkling, by Thinking Machines."""

from lect.plugin import Family, Rule
from lect_inkling.tml_v0 import INKLING_TML_V0

__lect_api__ = "~=1.0"

adapter = Family(
    "inkling",
    *(Rule(f"thinkingmachines/{name}", INKLING_TML_V0) for name in ("Inkling", "Inkling-NVFP4")),
)
