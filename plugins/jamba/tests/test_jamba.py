"""Jamba against its maker's own templates."""

from lect.testing import AdapterSuite


class TestJamba(AdapterSuite):
    plugin = "jamba"
    goldens = {"golden/ai21labs--AI21-Jamba-1.5-Mini.json": "jamba-1.5"}
    examples = {"ai21labs/AI21-Jamba-1.5-Large": "jamba-1.5", "ai21labs/AI21-Jamba-1.5-Mini": "jamba-1.5"}
    others = [
        "ai21labs/Jamba-v0.1",
        "ai21labs/Jamba-tiny-random",
    ]
