"""Globex: what every adapter must do, and that no other models are claimed."""

from lect_kit import AdapterSuite


class TestGlobex(AdapterSuite):
    plugin = "globex"
    examples = {"globex/Qwen2.5-7B-Instruct-Support": "globex-chat", "globex/Llama-3.1-8B-Support": "globex-chat"}
    others = ["Qwen/Qwen2.5-7B-Instruct", "globex/Qwen2.5-14B-Instruct"]
