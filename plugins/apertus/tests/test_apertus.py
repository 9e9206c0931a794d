"""Apertus against its maker's own template."""

from lect_kit import AdapterSuite


class TestApertus(AdapterSuite):
    plugin = "apertus"
    goldens = {"golden/swiss-ai--Apertus-8B-Instruct-2509.json": "apertus"}
    examples = {
        "swiss-ai/Apertus-8B-Instruct-2509": "apertus",
        "unsloth/Apertus-70B-Instruct-2509-GGUF": "apertus",
        "swiss-ai/Apertus-8B-2509": "default",
    }
    base = ["swiss-ai/Apertus-8B-2509"]
    others = ["swiss-ai/Apertus-8B-Instruct-2512", "apertura-8b-instruct"]
