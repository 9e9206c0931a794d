"""Phi against its maker's own templates."""

from family import FamilySuite


class TestPhi(FamilySuite):
    family = "phi"
    goldens = {
        "microsoft--Phi-3-vision-128k-instruct": "phi-3-vision",
        "microsoft--Phi-3-mini-4k-instruct": "phi-3-mini",
        "microsoft--Phi-3-medium-128k-instruct": "phi-3-medium",
        "microsoft--Phi-3-small-8k-instruct": "phi-3-small",
        "microsoft--Phi-3.5-mini-instruct": "phi-3.5",
        "microsoft--phi-4": "phi-4",
        "microsoft--Phi-4-mini-instruct": "phi-4-mini",
        "microsoft--Phi-4-reasoning": "phi-4-reasoning",
    }
    names = [
        ("microsoft/Phi-3-vision-128k-instruct", "phi-3-vision", "chat"),
        ("microsoft/Phi-3-mini-128k-instruct", "phi-3-mini", "chat"),
        ("microsoft/Phi-3-medium-4k-instruct", "phi-3-medium", "chat"),
        ("microsoft/Phi-3-small-128k-instruct", "phi-3-small", "chat"),
        ("microsoft/Phi-3.5-mini-instruct", "phi-3.5", "chat"),
        ("unsloth/phi-4-bnb-4bit", "phi-4", "chat"),
        ("microsoft/Phi-4-mini-instruct", "phi-4-mini", "chat"),
        ("microsoft/Phi-4-reasoning-plus", "phi-4-reasoning", "chat"),
    ]
    others = ["phillama", "microsoft/phi-2", "dolphin-phi"]
