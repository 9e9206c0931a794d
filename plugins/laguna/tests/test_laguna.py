"""Laguna against its maker's own templates."""

from family import FamilySuite


class TestLaguna(FamilySuite):
    family = "laguna"
    goldens = {
        "poolside--Laguna-XS.2": "laguna-xs.2",
        "poolside--Laguna-XS-2.1": "laguna-xs-2.1",
        "poolside--Laguna-S-2.1": "laguna-s-2.1",
    }
    names = [
        ("poolside/Laguna-XS.2", "laguna-xs.2", "chat"),
        ("poolside/Laguna-XS-2.1-NVFP4", "laguna-xs-2.1", "chat"),
        ("poolside/Laguna-S-2.1", "laguna-s-2.1", "chat"),
    ]
    others = ["poolside/Laguna-M.1", "laguna-7b"]
