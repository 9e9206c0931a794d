"""MiniCPM, by OpenBMB."""

from lect.plugin import Family, Rule
from lect_minicpm.minicpm2 import MINICPM2, MINICPM2_FP32

__lect_api__ = "~=1.0"

adapter = Family(
    "minicpm",
    Rule("minicpm 2 b sft fp 32", MINICPM2_FP32),
    Rule("minicpm 1|2 b sft|dpo", MINICPM2),
    # The model in small that OpenVINO's tests run; they keep its template.
    Rule("optimum-intel-internal-testing/tiny-random-minicpm", MINICPM2),
)
