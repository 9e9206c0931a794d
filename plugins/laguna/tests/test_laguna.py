"""Laguna against its maker's own templates."""

from lect_kit import AdapterSuite


class TestLaguna(AdapterSuite):
    plugin = "laguna"
    goldens = {
        "golden/poolside--Laguna-XS.2.json": "laguna-xs.2",
        "golden/poolside--Laguna-XS-2.1.json": "laguna-xs-2.1",
        "golden/poolside--Laguna-S-2.1.json": "laguna-s-2.1",
        "golden/poolside--Laguna-M.1--llamacpp-laguna-v8.json": "laguna-m.1",
    }
    examples = {
        "poolside/Laguna-XS.2": "laguna-xs.2",
        "poolside/Laguna-XS-2.1-NVFP4": "laguna-xs-2.1",
        "poolside/Laguna-S-2.1": "laguna-s-2.1",
        "poolside/Laguna-M.1": "laguna-m.1",
    }
    others = ["poolside/Laguna-M.2", "laguna-7b"]
