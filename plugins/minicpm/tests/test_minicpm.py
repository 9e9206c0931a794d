"""MiniCPM against its maker's own templates."""

from lect.testing import AdapterSuite


class TestMiniCPM(AdapterSuite):
    plugin = "minicpm"
    goldens = {
        "golden/openbmb--MiniCPM-2B-sft-fp32.json": "minicpm-2b-fp32",
        "golden/optimum-intel-internal-testing--tiny-random-minicpm.json": "minicpm-2b",
        "golden/openbmb--MiniCPM5-1B.json": "minicpm5",
        "golden/openbmb--MiniCPM5-2B.json": "minicpm5-2b",
        "golden/openbmb--MiniCPM-V-4_5.json": "minicpm-v-4.5",
    }
    examples = {
        "openbmb/MiniCPM-2B-sft-bf16": "minicpm-2b",
        "openbmb/MiniCPM-2B-sft-fp32": "minicpm-2b-fp32",
        "OpenBMB/MiniCPM-1B-sft-bf16": "minicpm-2b",
        "openbmb/MiniCPM-2B-dpo-fp32": "minicpm-2b",
        "openbmb/MiniCPM5-1B": "minicpm5",
        "openbmb/MiniCPM5-1B-Base": "default",
        "openbmb/MiniCPM-V-4_5-AWQ": "minicpm-v-4.5",
    }
    base = ["openbmb/MiniCPM5-1B-Base"]
    others = [
        "openbmb/MiniCPM-MoE-8x2B",
        "openbmb/MiniCPM-V-2_6",
        "openbmb/MiniCPM-V-4_6",
        "openbmb/MiniCPM4-8B",
    ]
