"""Zephyr against its makers' own templates."""

from lect_kit import AdapterSuite


class TestZephyr(AdapterSuite):
    plugin = "zephyr"
    goldens = {
        "golden/HuggingFaceH4--zephyr-7b-beta.json": "zephyr",
        "golden/HuggingFaceH4--zephyr-7b-gemma-sft-v0.1.json": "zephyr-gemma",
        "golden/stabilityai--stablelm-zephyr-3b.json": "stablelm-zephyr",
        "golden/tinyllama.json": "tinyllama-chat",
    }
    examples = {
        "HuggingFaceH4/zephyr-7b-beta": "zephyr",
        "HuggingFaceH4/zephyr-7b-gemma-v0.1": "zephyr-gemma",
        "stabilityai/stablelm-zephyr-3b": "stablelm-zephyr",
        "TheBloke/zephyr-7B-alpha-GGUF": "zephyr",
        "TheBloke/TinyLlama-1.1B-Chat-v1.0-GGUF": "tinyllama-chat",
    }
    base = ["stabilityai/stablelm-base-alpha-7b-v2", "stabilityai/stablelm-3b-4e1t"]
    others = [
        "stabilityai/stablelm-tuned-alpha-7b",
        "stabilityai/stablelm-2-12b-chat",
        "zephyrus-7b",
        "TinyLlama/TinyLlama-1.1B-Chat-v0.6",
    ]
