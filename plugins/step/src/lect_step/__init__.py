"""Step, by StepFun."""

from lect.plugin import DEFAULT, Family, Rule
from lect_step.replies import STEP3
from lect_step.step3_5 import STEP3_5

__lect_api__ = "~=1.0"

adapter = Family(
    "step",
    Rule("step 3.5 flash .", STEP3_5),
    Rule("step 3 vl # b base", DEFAULT, kind="base", note="a base model: the chat markers were never trained on"),
    Rule("step 3 .", STEP3),
)
