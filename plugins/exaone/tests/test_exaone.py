"""EXAONE against its maker's own templates."""

from lect_kit import AdapterSuite


class TestEXAONE(AdapterSuite):
    plugin = "exaone"
    goldens = {
        "golden/LGAI-EXAONE--EXAONE-3.5-2.4B-Instruct.json": "exaone-3.5",
        "golden/LGAI-EXAONE--EXAONE-4.0-32B.json": "exaone-4.0",
        "golden/LGAI-EXAONE--EXAONE-Deep-32B.json": "exaone-deep",
    }
    examples = {
        "LGAI-EXAONE/EXAONE-3.5-7.8B-Instruct": "exaone-3.5",
        "LGAI-EXAONE/EXAONE-3.5-32B-Instruct-AWQ": "exaone-3.5",
        "LGAI-EXAONE/EXAONE-4.0-1.2B": "exaone-4.0",
        "LGAI-EXAONE/EXAONE-Deep-2.4B": "exaone-deep",
        "LGAI-EXAONE/EXAONE-Deep-7.8B-AWQ": "exaone-deep",
    }
    others = [
        "LGAI-EXAONE/K-EXAONE-236B-A23B",
        "LGAI-EXAONE/EXAONE-3.0-7.8B-Instruct",
        "LGAI-EXAONE/EXAONE-4.0.1-32B",
    ]
