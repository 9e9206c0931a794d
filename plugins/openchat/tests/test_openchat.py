"""OpenChat and TenyxChat against their makers' own templates."""

from family import FamilySuite


class TestOpenChat(FamilySuite):
    family = "openchat"
    goldens = {
        "openchat--openchat-3.5-0106": "openchat-3.5",
        "openchat--openchat-3.6-8b-20240522": "openchat-3.6",
        "tenyx--TenyxChat-7B-v1": "tenyxchat",
    }
    names = [
        ("openchat/openchat-3.5-0106", "openchat-3.5", "chat"),
        ("openchat/openchat_3.5", "openchat-3.5", "chat"),
        ("TheBloke/openchat_3.5-GGUF", "openchat-3.5", "chat"),
        ("TheBloke/openchat-3.5-1210-GGUF", "openchat-3.5", "chat"),
        ("openchat/openchat-3.6-8b-20240522", "openchat-3.6", "chat"),
        ("berkeley-nest/Starling-LM-7B-alpha", "openchat-3.5", "chat"),
        ("Nexusflow/Starling-LM-7B-beta", "openchat-3.5", "chat"),
        ("tenyx/TenyxChat-7B-v1", "tenyxchat", "chat"),
    ]
    others = [
        "openchat/openchat-3.5-0106-gemma",
        "openchat/openchat_v3.2",
        "berkeley-nest/Starling-RM-7B-alpha",
        "tenyx/TenyxChat-8x7B-v1",
    ]
