"""LFM2 against its maker's own templates."""

from lect_kit import AdapterSuite


class TestLFM2(AdapterSuite):
    plugin = "lfm2"
    goldens = {
        "golden/LiquidAI--LFM2-8B-A1B.json": "lfm2",
        "golden/LiquidAI--LFM2-1.2B--v2.json": "lfm2-1.2b",
        "golden/LiquidAI--LFM2.5-1.2B-Instruct--ovms.json": "lfm2.5",
        "golden/replaced/LiquidAI--LFM2.5-1.2B-Instruct.json": "lfm2.5-2026-03",
        "golden/LiquidAI--LFM2.5-8B-A1B.json": "lfm2.5-8b-a1b",
        "golden/LiquidAI--LFM2.5-230M.json": "lfm2.5-230m",
        "golden/LiquidAI--LFM2.5-VL-3B.json": "lfm2.5-vl",
        "golden/LiquidAI--LFM2.5-VL-450M.json": "lfm2.5-vl-450m",
    }
    examples = {
        "LiquidAI/LFM2-8B-A1B": "lfm2",
        "LiquidAI/LFM2-1.2B-GGUF": "lfm2-1.2b",
        "LiquidAI/LFM2.5-1.2B-Instruct": "lfm2.5",
        "LiquidAI/LFM2.5-8B-A1B-GGUF": "lfm2.5-8b-a1b",
        "LiquidAI/LFM2.5-230M": "lfm2.5-230m",
        "LiquidAI/LFM2.5-VL-450M": "lfm2.5-vl-450m",
        "LiquidAI/LFM2.5-1.2B-Base": "default",
    }
    base = ["LiquidAI/LFM2.5-1.2B-Base"]
    others = [
        "LiquidAI/LFM2-VL-450M",
        "LiquidAI/LFM2-1.2B-Extract",
        "LiquidAI/LFM2-8B-A1B-preview",
        "LiquidAI/LFM2.5-350M",
    ]
