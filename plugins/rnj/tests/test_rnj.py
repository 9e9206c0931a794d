"""Rnj-1 against its maker's own template."""

from lect_kit import AdapterSuite


class TestRnj(AdapterSuite):
    plugin = "rnj"
    goldens = {"golden/EssentialAI--rnj-1-instruct.json": "rnj-1"}
    examples = {"EssentialAI/rnj-1-instruct": "rnj-1", "EssentialAI/rnj-1-instruct-GGUF": "rnj-1"}
    others = ["EssentialAI/rnj-1", "EssentialAI/rnj-2-instruct"]
