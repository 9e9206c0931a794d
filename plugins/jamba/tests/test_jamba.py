"""Jamba against its maker's own templates."""

from family import FamilySuite


class TestJamba(FamilySuite):
    family = "jamba"
    goldens = {
        "ai21labs--AI21-Jamba-1.5-Mini": "jamba-1.5",
    }
    names = [
        ("ai21labs/AI21-Jamba-1.5-Large", "jamba-1.5", "chat"),
        ("ai21labs/AI21-Jamba-1.5-Mini", "jamba-1.5", "chat"),
    ]
    others = [
        "ai21labs/Jamba-v0.1",
        "ai21labs/Jamba-tiny-random",
    ]
