"""Step against its maker's own templates."""

from family import FamilySuite


class TestStep(FamilySuite):
    family = "step"
    goldens = {
        "stepfun-ai--Step-3.5-Flash": "step-3.5",
    }
    names = [
        ("stepfun-ai/Step-3.5-Flash", "step-3.5", "chat"),
        ("stepfun-ai/Step-3.5-Flash-FP8", "step-3.5", "chat"),
    ]
    others = [
        "stepfun-ai/step3",
        "stepfun-ai/Step-3.7-Flash",
        "stepfun-ai/Step-Audio-2-mini",
    ]
