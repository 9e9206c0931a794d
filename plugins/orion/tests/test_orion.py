"""Orion against its maker's own template."""

from lect_kit import AdapterSuite


class TestOrion(AdapterSuite):
    plugin = "orion"
    goldens = {"golden/OrionStarAI--Orion-14B-Chat.json": "orion"}
    examples = {
        "OrionStarAI/Orion-14B-Chat": "orion",
        "vaiv/llamion-14b-chat": "orion",
        "OrionStarAI/Orion-14B-Base": "default",
    }
    base = ["OrionStarAI/Orion-14B-Base"]
    others = ["OrionStarAI/Orion-14B-Chat-RAG", "orion-7b-chat"]
