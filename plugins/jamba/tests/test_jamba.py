"""Jamba against its maker's own templates."""

from lect_kit import AdapterSuite


class TestJamba(AdapterSuite):
    plugin = "jamba"
    goldens = {
        "golden/ai21labs--AI21-Jamba-1.5-Mini.json": "jamba-1.5",
        "golden/ai21labs--AI21-Jamba-Large-1.6.json": "jamba-1.6",
    }
    examples = {
        "ai21labs/AI21-Jamba-1.5-Large": "jamba-1.5",
        "ai21labs/AI21-Jamba-1.5-Mini": "jamba-1.5",
        "ai21labs/AI21-Jamba-Large-1.6": "jamba-1.6",
        "ai21labs/AI21-Jamba-Mini-1.6": "jamba-1.6",
    }
    base = ["ai21labs/Jamba-v0.1"]
    others = ["ai21labs/Jamba-tiny-random"]
