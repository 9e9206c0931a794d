"""Step against its maker's own templates."""

from lect_kit import AdapterSuite


class TestStep(AdapterSuite):
    plugin = "step"
    goldens = {"golden/stepfun-ai--Step-3.5-Flash.json": "step-3.5"}
    examples = {"stepfun-ai/Step-3.5-Flash": "step-3.5", "stepfun-ai/Step-3.5-Flash-FP8": "step-3.5"}
    base = ["stepfun-ai/Step3-VL-10B-Base"]
    others = [
        "stepfun-ai/Step3-VL-10B",
        "stepfun-ai/step3",
        "stepfun-ai/Step-3.7-Flash",
        "stepfun-ai/Step-Audio-2-mini",
    ]
