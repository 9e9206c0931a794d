"""LFM2 against its maker's own templates."""

from family import FamilySuite


class TestLFM2(FamilySuite):
    family = "lfm2"
    goldens = {
        "LiquidAI--LFM2-8B-A1B": "lfm2",
        "LiquidAI--LFM2-1.2B--v2": "lfm2-1.2b",
        "LiquidAI--LFM2.5-1.2B-Instruct": "lfm2.5",
        "LiquidAI--LFM2.5-VL-3B": "lfm2.5-vl",
        "LiquidAI--LFM2.5-VL-450M": "lfm2.5-vl-450m",
    }
    names = [
        ("LiquidAI/LFM2-8B-A1B", "lfm2", "chat"),
        ("LiquidAI/LFM2-1.2B-GGUF", "lfm2-1.2b", "chat"),
        ("LiquidAI/LFM2.5-1.2B-Instruct", "lfm2.5", "chat"),
        ("LiquidAI/LFM2.5-230M", "lfm2.5-vl", "chat"),
        ("LiquidAI/LFM2.5-VL-450M", "lfm2.5-vl-450m", "chat"),
        ("LiquidAI/LFM2.5-1.2B-Base", "default", "base"),
    ]
    others = [
        "LiquidAI/LFM2-VL-450M",
        "LiquidAI/LFM2-1.2B-Extract",
        "LiquidAI/LFM2-8B-A1B-preview",
    ]
