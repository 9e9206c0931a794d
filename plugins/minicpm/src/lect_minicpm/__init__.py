"""MiniCPM, by OpenBMB."""

from lect.plugin import DEFAULT, Family, Rule
from lect_minicpm.minicpm2 import MINICPM2, MINICPM2_FP32
from lect_minicpm.minicpm3 import MINICPM3
from lect_minicpm.minicpm5 import MINICPM5, MINICPM5_2B, MINICPM5_XML
from lect_minicpm.v2_6 import MINICPM_V2_6
from lect_minicpm.v4_5 import MINICPM_V4_5

__lect_api__ = "~=1.0"

adapter = Family(
    "minicpm",
    Rule("minicpm 5 # b base", DEFAULT, kind="base", note="a base model: the chat markers were never trained on"),
    Rule("minicpm 5 2 b .", MINICPM5_2B),
    Rule("minicpm 5 1 b .", MINICPM5),
    Rule("minicpm 5", MINICPM5_XML),
    Rule("minicpm 3 4 b .", MINICPM3),
    Rule("minicpm v 4.5 .", MINICPM_V4_5),
    Rule("minicpm v 2.6 .", MINICPM_V2_6),
    Rule("minicpm 2 b sft fp 32", MINICPM2_FP32),
    Rule("minicpm 1|2 b sft|dpo", MINICPM2),
    # The miniature model that OpenVINO's tests run; it keeps the template.
    Rule("optimum-intel-internal-testing/tiny-random-minicpm", MINICPM2),
)
