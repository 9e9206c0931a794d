"""MiniCPM against its maker's own templates."""

from family import FamilySuite


class TestMiniCPM(FamilySuite):
    family = "minicpm"
    goldens = {
        "openbmb--MiniCPM-2B-sft-fp32": "minicpm-2b-fp32",
        "optimum-intel-internal-testing--tiny-random-minicpm": "minicpm-2b",
        "openbmb--MiniCPM5-1B": "minicpm5",
        "openbmb--MiniCPM5-2B": "minicpm5-2b",
        "openbmb--MiniCPM-V-4_5": "minicpm-v-4.5",
    }
    names = [
        ("openbmb/MiniCPM-2B-sft-bf16", "minicpm-2b", "chat"),
        ("openbmb/MiniCPM-2B-sft-fp32", "minicpm-2b-fp32", "chat"),
        ("OpenBMB/MiniCPM-1B-sft-bf16", "minicpm-2b", "chat"),
        ("openbmb/MiniCPM-2B-dpo-fp32", "minicpm-2b", "chat"),
        ("openbmb/MiniCPM5-1B", "minicpm5", "chat"),
        ("openbmb/MiniCPM5-1B-Base", "default", "base"),
        ("openbmb/MiniCPM-V-4_5-AWQ", "minicpm-v-4.5", "chat"),
    ]
    others = [
        "openbmb/MiniCPM-MoE-8x2B",
        "openbmb/MiniCPM-V-2_6",
        "openbmb/MiniCPM-V-4_6",
        "openbmb/MiniCPM4-8B",
    ]
