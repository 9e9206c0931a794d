"""Laguna, by Poolside."""

from lect.plugin import Family, Rule
from lect_laguna.laguna import LAGUNA_M1, LAGUNA_S2_1, LAGUNA_XS2, LAGUNA_XS2_1

__lect_api__ = "~=1.0"

adapter = Family(
    "laguna",
    Rule("laguna s 2.1 .", LAGUNA_S2_1),
    Rule("laguna xs 2.1 .", LAGUNA_XS2_1),
    Rule("laguna xs 2 .", LAGUNA_XS2),
    Rule("laguna m 1 .", LAGUNA_M1),
)
