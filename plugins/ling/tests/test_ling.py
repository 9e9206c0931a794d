"""Ling against its maker's own templates."""

from lect_kit import AdapterSuite


class TestLing(AdapterSuite):
    plugin = "ling"
    goldens = {"golden/inclusionAI--Ling-lite.json": "ling"}
    examples = {
        "inclusionAI/Ling-lite": "ling",
        "inclusionAI/Ling-plus": "ling",
        "inclusionAI/Ling-lite-base": "default",
        "inclusionAI/Ling-mini-base-2.0": "default",
    }
    base = ["inclusionAI/Ling-lite-base", "inclusionAI/Ling-mini-base-2.0"]
    others = [
        "inclusionAI/Ling-lite-1.5",
        "inclusionAI/Ling-mini-2.0",
        "inclusionAI/Ring-mini-2.0",
        "inclusionAI/Ling-1T",
        "lingua-7b",
    ]
