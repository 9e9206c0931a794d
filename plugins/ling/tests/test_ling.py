"""Ling against its maker's own templates."""

from family import FamilySuite


class TestLing(FamilySuite):
    family = "ling"
    goldens = {
        "inclusionAI--Ling-lite": "ling",
    }
    names = [
        ("inclusionAI/Ling-lite", "ling", "chat"),
        ("inclusionAI/Ling-plus", "ling", "chat"),
        ("inclusionAI/Ling-lite-base", "default", "base"),
        ("inclusionAI/Ling-mini-base-2.0", "default", "base"),
    ]
    others = [
        "inclusionAI/Ling-lite-1.5",
        "inclusionAI/Ling-mini-2.0",
        "inclusionAI/Ring-mini-2.0",
        "inclusionAI/Ling-1T",
        "lingua-7b",
    ]
