"""Phi against its maker's own templates."""

from lect_kit import AdapterSuite


class TestPhi(AdapterSuite):
    plugin = "phi"
    goldens = {
        "golden/microsoft--Phi-3-vision-128k-instruct.json": "phi-3-vision",
        "golden/microsoft--Phi-3-mini-4k-instruct.json": "phi-3-mini",
        "golden/microsoft--Phi-3-medium-128k-instruct.json": "phi-3-medium",
        "golden/microsoft--Phi-3-small-8k-instruct.json": "phi-3-small",
        "golden/microsoft--Phi-3.5-mini-instruct.json": "phi-3.5",
        "golden/microsoft--phi-4.json": "phi-4",
        "golden/microsoft--Phi-4-mini-instruct.json": "phi-4-mini",
        "golden/microsoft--Phi-4-reasoning.json": "phi-4-reasoning",
        "golden/microsoft--Phi-4-mini-reasoning.json": "phi-4-mini-reasoning",
        "golden/microsoft--Phi-4-multimodal-instruct.json": "phi-4-multimodal",
    }
    examples = {
        "microsoft/Phi-3-vision-128k-instruct": "phi-3-vision",
        "microsoft/Phi-3.5-vision-instruct": "phi-3-vision",
        "microsoft/Phi-3-mini-128k-instruct": "phi-3-mini",
        "microsoft/Phi-3-medium-4k-instruct": "phi-3-medium",
        "microsoft/Phi-3-small-128k-instruct": "phi-3-small",
        "microsoft/Phi-3.5-mini-instruct": "phi-3.5",
        "unsloth/phi-4-bnb-4bit": "phi-4",
        "microsoft/Phi-4-mini-instruct": "phi-4-mini",
        "microsoft/Phi-4-reasoning-plus": "phi-4-reasoning",
        "microsoft/Phi-4-mini-reasoning": "phi-4-mini-reasoning",
        "microsoft/Phi-4-multimodal-instruct": "phi-4-multimodal",
        "microsoft/Phi-3.5-MoE-instruct": "phi-3.5-moe",
    }
    base = ["microsoft/phi-2", "microsoft/phi-1_5"]
    others = ["phillama", "rhysjones/phi-2-orange", "dolphin-phi", "microsoft/Phi-4-mini-flash-reasoning"]
