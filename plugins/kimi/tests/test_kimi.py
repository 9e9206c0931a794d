"""Kimi against its maker's own templates."""

from family import FamilySuite


class TestKimi(FamilySuite):
    family = "kimi"
    goldens = {
        "moonshotai--Kimi-K2-Instruct--9fcc72b7": "kimi-k2",
        "moonshotai--Kimi-K2-Thinking": "kimi-k2-thinking",
    }
    names = [
        ("moonshotai/Kimi-K2-Instruct", "kimi-k2", "chat"),
        ("unsloth/Kimi-K2-Instruct-GGUF", "kimi-k2", "chat"),
        ("moonshotai/Kimi-K2-Thinking", "kimi-k2-thinking", "chat"),
        ("moonshotai/Kimi-K2-Base", "default", "base"),
    ]
    others = ["kimichi-7b", "moonshotai/Kimi-VL-A3B-Instruct", "moonshotai/Kimi-K2-Instruct-0905"]
