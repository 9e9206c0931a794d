"""Orion against its maker's own template."""

from family import FamilySuite


class TestOrion(FamilySuite):
    family = "orion"
    goldens = {"OrionStarAI--Orion-14B-Chat": "orion"}
    names = [
        ("OrionStarAI/Orion-14B-Chat", "orion", "chat"),
        ("vaiv/llamion-14b-chat", "orion", "chat"),
        ("OrionStarAI/Orion-14B-Base", "default", "base"),
    ]
    others = ["OrionStarAI/Orion-14B-Chat-RAG", "orion-7b-chat"]
