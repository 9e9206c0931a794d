"""Mistral, Mixtral and their like, by Mistral AI."""

from lect.plugin import DEFAULT, Family, Rule
from lect_mistral.instruct import LARGE_2411, NEMO, V1, V3
from lect_mistral.small import SMALL_3_2

__lect_api__ = "~=1.0"

PLAIN_TEXT = "a base model, but the markers are plain text, as XTuner's table has it"
CONTROL_TOKENS = "a base model: the markers are control tokens, which only the models for instructions were trained on"

adapter = Family(
    "mistral",
    Rule("mistral small 3.2 # b instruct", SMALL_3_2),
    Rule("mistral nemo ?# ?b instruct", NEMO),
    Rule("mistral nemo wissenschaft", NEMO, note="somebody's, with the template of Mistral Nemo"),
    Rule("mistral nemo ?# ?b base", DEFAULT, kind="base", note=CONTROL_TOKENS),
    Rule("mistral large ?instruct 2411", LARGE_2411),
    Rule("mistral large ?instruct 2407", V3),
    Rule("mistral 7 b instruct v 0.3", V3),
    Rule("mistral 7 b instruct v 0.1|0.2", V1),
    Rule("mistral 7 b instruct v", None, note="a version that was not seen"),
    Rule("mistral 7 b instruct", V1, note="without a version the first is meant"),
    Rule("mixtral 8 x 7 b instruct", V1),
    Rule("mixtral 8 x 22 b instruct", V3, note="its tokenizer is the third"),
    Rule("mistral 7 b v 0.1|0.2", V1, kind="base", note=PLAIN_TEXT),
    Rule("mistral 7 b v 0.3", DEFAULT, kind="base", note=CONTROL_TOKENS),
    Rule("mixtral 8 x 7 b v 0.1", V1, kind="base", note=PLAIN_TEXT),
)
