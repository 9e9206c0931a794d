"""Megrez against its maker's own template."""

from lect_kit import AdapterSuite


class TestMegrez(AdapterSuite):
    plugin = "megrez"
    goldens = {"golden/Infinigence--Megrez-3B-Instruct.json": "megrez-3b"}
    examples = {"Infinigence/Megrez-3B-Instruct": "megrez-3b", "InfiniAI/Megrez-3b-Instruct": "megrez-3b"}
    others = ["Infinigence/Megrez-3B-Omni", "Infinigence/Megrez2-3x7B-A3B"]
