"""Bielik against its maker's own template."""

from family import FamilySuite


class TestBielik(FamilySuite):
    family = "bielik"
    goldens = {"speakleash--Bielik-7B-Instruct-v0.1": "bielik"}
    names = [
        ("speakleash/Bielik-7B-Instruct-v0.1", "bielik", "chat"),
        ("speakleash/Bielik-7B-v0.1", "default", "base"),
    ]
    others = ["speakleash/Bielik-11B-v2.3-Instruct", "speakleash/Bielik-4.5B-v3.0-Instruct"]
