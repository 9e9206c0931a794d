"""Mistral, Mixtral and their like, by Mistral AI."""

from idiolect.plugin import Family, Rule
from idiolect_mistral.instruct import LARGE_2411, NEMO, V1, V3
from idiolect_mistral.small import SMALL_3_2

__idiolect_api__ = "~=1.0"

PLAIN_TEXT = "a base model, but the markers are plain text, as XTuner's table has it"

adapter = Family(
    "mistral",
    Rule("mistral small 3.2", SMALL_3_2),
    Rule("mistral nemo", NEMO),
    Rule("mistral large * 2411", LARGE_2411),
    Rule("mistral large * 2407", V3),
    Rule("mistral 7 b instruct v 0.3", V3),
    Rule("mistral 7 b instruct", V1),
    Rule("mixtral 8 x 7|22 b instruct", V1),
    Rule("mistral 7 b v 0.1|0.2", V1, kind="base", note=PLAIN_TEXT),
    Rule("mixtral 8 x 7 b v 0.1", V1, kind="base", note=PLAIN_TEXT),
)
