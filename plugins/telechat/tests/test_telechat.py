"""TeleChat against a copy of its maker's own template."""

from lect_kit import AdapterSuite


class TestTeleChat(AdapterSuite):
    plugin = "telechat"
    goldens = {"golden/Tele-AI--telechat-7B.json": "telechat"}
    examples = {
        "Tele-AI/telechat-7B": "telechat",
        "TeleAI/TeleChat-12B": "telechat",
        "Tele-AI/TeleChat-12B-v2": "telechat",
    }
    others = ["Tele-AI/TeleChat2-7B", "TeleAI/TeleChat-52B", "CofeAI/Tele-FLM"]
