"""EXAONE against its maker's own templates."""

from family import FamilySuite


class TestEXAONE(FamilySuite):
    family = "exaone"
    goldens = {
        "LGAI-EXAONE--EXAONE-3.5-2.4B-Instruct": "exaone-3.5",
        "LGAI-EXAONE--EXAONE-4.0-32B": "exaone-4.0",
    }
    names = [
        ("LGAI-EXAONE/EXAONE-3.5-7.8B-Instruct", "exaone-3.5", "chat"),
        ("LGAI-EXAONE/EXAONE-3.5-32B-Instruct-AWQ", "exaone-3.5", "chat"),
        ("LGAI-EXAONE/EXAONE-4.0-1.2B", "exaone-4.0", "chat"),
    ]
    others = [
        "LGAI-EXAONE/K-EXAONE-236B-A23B",
        "LGAI-EXAONE/EXAONE-3.0-7.8B-Instruct",
        "LGAI-EXAONE/EXAONE-4.0.1-32B",
    ]
