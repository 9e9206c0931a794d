"""Bielik against its maker's own templates."""

from family import FamilySuite


class TestBielik(FamilySuite):
    family = "bielik"
    goldens = {
        "speakleash--Bielik-7B-Instruct-v0.1": "bielik",
        "speakleash--Bielik-11B-v3.0-Instruct": "bielik-v3",
    }
    names = [
        ("speakleash/Bielik-7B-Instruct-v0.1", "bielik", "chat"),
        ("speakleash/Bielik-11B-v3.0-Instruct-GGUF", "bielik-v3", "chat"),
        ("speakleash/Bielik-7B-v0.1", "default", "base"),
    ]
    others = ["speakleash/Bielik-11B-v2.3-Instruct", "speakleash/Bielik-4.5B-v3.0-Instruct"]
