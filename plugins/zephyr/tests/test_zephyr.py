"""Zephyr against its makers' own templates."""

from family import FamilySuite


class TestZephyr(FamilySuite):
    family = "zephyr"
    goldens = {
        "HuggingFaceH4--zephyr-7b-beta": "zephyr",
        "HuggingFaceH4--zephyr-7b-gemma-sft-v0.1": "zephyr-gemma",
        "stabilityai--stablelm-zephyr-3b": "stablelm-zephyr",
    }
    names = [
        ("HuggingFaceH4/zephyr-7b-beta", "zephyr", "chat"),
        ("HuggingFaceH4/zephyr-7b-gemma-v0.1", "zephyr-gemma", "chat"),
        ("stabilityai/stablelm-zephyr-3b", "stablelm-zephyr", "chat"),
        ("TheBloke/zephyr-7B-alpha-GGUF", "zephyr", "chat"),
    ]
    others = ["stabilityai/stablelm-2-12b-chat", "zephyrus-7b"]
