"""Phi, by Microsoft."""

from lect.plugin import DEFAULT, Family, Rule
from lect_phi.phi3 import PHI3_5, PHI3_5_MOE, PHI3_MEDIUM, PHI3_MINI, PHI3_SMALL, PHI3_VISION
from lect_phi.phi4 import PHI4, PHI4_MINI, PHI4_MINI_REASONING, PHI4_MULTIMODAL, PHI4_REASONING

__lect_api__ = "~=1.0"

adapter = Family(
    "phi",
    Rule("FairMind/Phi-3-mini-4k-instruct-bnb-4bit-Ita", None, note="it keeps an early template of Phi-3"),
    Rule("phi 1|1.5|2", DEFAULT, kind="base", note="a base model: it was tuned on no instructions"),
    Rule("phi 4 mini instruct", PHI4_MINI),
    Rule("phi 4 mini reasoning .", PHI4_MINI_REASONING),
    Rule("phi 4 multimodal instruct", PHI4_MULTIMODAL),
    Rule("phi 4 reasoning ?plus .", PHI4_REASONING),
    Rule("phi 4 .", PHI4),
    Rule("phi 3.5 mini instruct", PHI3_5),
    Rule("phi 3.5 moe instruct", PHI3_5_MOE),
    Rule("phi 3 vision # k instruct", PHI3_VISION),
    Rule("phi 3.5 vision instruct .", PHI3_VISION),
    Rule("phi 3 small # k instruct", PHI3_SMALL),
    Rule("phi 3 medium # k instruct", PHI3_MEDIUM),
    Rule("phi 3 mini # k instruct", PHI3_MINI),
)
