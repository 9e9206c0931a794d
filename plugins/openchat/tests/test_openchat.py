"""OpenChat and TenyxChat against their makers' own templates."""

from lect_kit import AdapterSuite


class TestOpenChat(AdapterSuite):
    plugin = "openchat"
    goldens = {
        "golden/openchat--openchat-3.5-0106.json": "openchat-3.5",
        "golden/openchat--openchat-3.6-8b-20240522.json": "openchat-3.6",
        "golden/tenyx--TenyxChat-7B-v1.json": "tenyxchat",
    }
    examples = {
        "openchat/openchat-3.5-0106": "openchat-3.5",
        "openchat/openchat_3.5": "openchat-3.5",
        "TheBloke/openchat_3.5-GGUF": "openchat-3.5",
        "TheBloke/openchat-3.5-1210-GGUF": "openchat-3.5",
        "openchat/openchat-3.6-8b-20240522": "openchat-3.6",
        "berkeley-nest/Starling-LM-7B-alpha": "openchat-3.5",
        "Nexusflow/Starling-LM-7B-beta": "openchat-3.5",
        "tenyx/TenyxChat-7B-v1": "tenyxchat",
    }
    others = [
        "openchat/openchat-3.5-0106-gemma",
        "openchat/openchat_v3.2",
        "berkeley-nest/Starling-RM-7B-alpha",
        "tenyx/TenyxChat-8x7B-v1",
    ]
