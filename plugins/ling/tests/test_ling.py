"""Ling against its maker's own templates."""

from lect_kit import AdapterSuite


class TestLing(AdapterSuite):
    plugin = "ling"
    goldens = {
        "golden/inclusionAI--Ling-lite.json": "ling",
        "golden/inclusionAI--Ling-V2--sft.json": "ling-2.0",
        "golden/inclusionAI--Ling-3.0-flash.json": "ling-3.0",
    }
    examples = {
        "inclusionAI/Ling-lite": "ling",
        "inclusionAI/Ling-plus": "ling",
        "inclusionAI/Ling-mini-2.0": "ling-2.0",
        "inclusionAI/Ling-flash-2.0": "ling-2.0",
        "inclusionAI/Ling-1T": "ling-2.0",
        "inclusionAI/Ling-1T-FP8": "ling-2.0",
        "inclusionAI/Ling-3.0-flash": "ling-3.0",
        "inclusionAI/Ling-3.0-tiny-fp8": "ling-3.0",
        "inclusionAI/Ling-lite-base": "default",
        "inclusionAI/Ling-mini-base-2.0": "default",
        "inclusionAI/Ling-1T-base": "default",
    }
    base = ["inclusionAI/Ling-lite-base", "inclusionAI/Ling-mini-base-2.0", "inclusionAI/Ling-1T-base"]
    others = [
        "inclusionAI/Ling-lite-1.5",
        "inclusionAI/Ling-mini-2.5",
        "inclusionAI/Ling-2.5-1T",
        "inclusionAI/Ling-2.6-flash",
        "inclusionAI/Ling-3.0-flash-VL",
        "inclusionAI/Ring-mini-2.0",
        "inclusionAI/Ring-1T",
        "lingua-7b",
    ]
