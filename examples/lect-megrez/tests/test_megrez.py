"""Megrez: what every adapter must do, and what the maker's own template writes."""

from lect_kit import AdapterSuite


class TestMegrez(AdapterSuite):
    plugin = "megrez"
    examples = {"Infinigence/Megrez-3B-Instruct": "megrez-chat"}
    others = ["Infinigence/Megrez-3B-Omni"]
    goldens = {"golden/Infinigence--Megrez-3B-Instruct.json": "megrez-chat"}
