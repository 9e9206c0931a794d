"""MiMo against its maker's own templates."""

from family import FamilySuite


class TestMiMo(FamilySuite):
    family = "mimo"
    goldens = {
        "XiaomiMiMo--MiMo-VL-7B-RL": "mimo-vl",
    }
    names = [
        ("XiaomiMiMo/MiMo-VL-7B-RL", "mimo-vl", "chat"),
    ]
    others = [
        "XiaomiMiMo/MiMo-VL-7B-RL-2508",
        "XiaomiMiMo/MiMo-7B-RL",
        "XiaomiMiMo/MiMo-V2-Flash",
    ]
