"""Nanbeige against its maker's own template."""

from lect_kit import AdapterSuite


class TestNanbeige(AdapterSuite):
    plugin = "nanbeige"
    goldens = {"golden/Nanbeige--Nanbeige4.2-3B.json": "nanbeige-4.2"}
    examples = {
        "Nanbeige/Nanbeige4.2-3B": "nanbeige-4.2",
        "Nanbeige/Nanbeige4.2-3B-GGUF": "nanbeige-4.2",
        "Nanbeige/Nanbeige4.2-3B-Base": "default",
    }
    base = ["Nanbeige/Nanbeige4.2-3B-Base"]
    others = ["Nanbeige/Nanbeige4-3B-Thinking-2511", "Nanbeige/Nanbeige2-8B-Chat"]
