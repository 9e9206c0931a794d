"""Gemma against its maker's own templates."""

from family import FamilySuite


class TestGemma(FamilySuite):
    family = "gemma"
    goldens = {
        "google--gemma-2b-it": "gemma",
        "google--gemma-3-1b-it": "gemma-3-1b",
        "google--gemma-3-4b-it": "gemma-3",
        "google--gemma-3n-E4B-it--ac03dcb3": "gemma-3n",
        "google--gemma-4-E2B-it": "gemma-4",
    }
    names = [
        ("google/gemma-2b-it", "gemma", "chat"),
        ("google/gemma-1.1-7b-it", "gemma", "chat"),
        ("google/gemma-2-9b-it", "gemma", "chat"),
        ("google/gemma-3-27b-it", "gemma-3", "chat"),
        ("google/gemma-3-1b-it", "gemma-3-1b", "chat"),
        ("google/gemma-3n-E2B-it", "gemma-3n", "chat"),
        ("google/gemma-4-E4B-it", "gemma-4", "chat"),
        ("google/gemma-2-9b", "default", "base"),
        ("google/gemma-3-4b-pt", "default", "base"),
        ("unsloth/gemma-3-4b-it-GGUF", "gemma-3", "chat"),
    ]
    others = ["HuggingFaceH4/zephyr-7b-gemma-v0.1", "openchat/openchat-3.5-0106-gemma", "google/gemma-4-31B-it"]
