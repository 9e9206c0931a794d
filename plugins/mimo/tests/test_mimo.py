"""MiMo against its maker's own templates."""

from lect_kit import AdapterSuite


class TestMiMo(AdapterSuite):
    plugin = "mimo"
    goldens = {"golden/XiaomiMiMo--MiMo-VL-7B-RL.json": "mimo-vl"}
    examples = {"XiaomiMiMo/MiMo-VL-7B-RL": "mimo-vl"}
    base = ["XiaomiMiMo/MiMo-7B-Base", "XiaomiMiMo/MiMo-V2-Flash-Base"]
    others = [
        "XiaomiMiMo/MiMo-VL-7B-RL-2508",
        "XiaomiMiMo/MiMo-7B-RL",
        "XiaomiMiMo/MiMo-V2-Flash",
    ]
