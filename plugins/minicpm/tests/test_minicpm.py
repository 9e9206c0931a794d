"""MiniCPM against its maker's own templates."""

from family import FamilySuite


class TestMiniCPM(FamilySuite):
    family = "minicpm"
    goldens = {
        "openbmb--MiniCPM-2B-sft-fp32": "minicpm-2b-fp32",
        "optimum-intel-internal-testing--tiny-random-minicpm": "minicpm-2b",
    }
    names = [
        ("openbmb/MiniCPM-2B-sft-bf16", "minicpm-2b", "chat"),
        ("openbmb/MiniCPM-2B-sft-fp32", "minicpm-2b-fp32", "chat"),
        ("OpenBMB/MiniCPM-1B-sft-bf16", "minicpm-2b", "chat"),
        ("openbmb/MiniCPM-2B-dpo-fp32", "minicpm-2b", "chat"),
    ]
    others = [
        "openbmb/MiniCPM-MoE-8x2B",
        "openbmb/MiniCPM-V-2_6",
        "openbmb/MiniCPM4-8B",
    ]
