"""Bielik against its maker's own templates."""

from lect_kit import AdapterSuite


class TestBielik(AdapterSuite):
    plugin = "bielik"
    goldens = {
        "golden/speakleash--Bielik-7B-Instruct-v0.1.json": "bielik",
        "golden/speakleash--Bielik-11B-v3.0-Instruct.json": "bielik-v3",
    }
    examples = {
        "speakleash/Bielik-7B-Instruct-v0.1": "bielik",
        "speakleash/Bielik-11B-v3.0-Instruct-GGUF": "bielik-v3",
        "speakleash/Bielik-7B-v0.1": "default",
    }
    base = ["speakleash/Bielik-7B-v0.1"]
    others = ["speakleash/Bielik-11B-v2.3-Instruct", "speakleash/Bielik-4.5B-v3.0-Instruct"]
