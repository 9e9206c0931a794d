"""Gemma against its maker's own templates."""

from enum import Enum

import lect
from lect_kit import AdapterSuite


class TestGemma(AdapterSuite):
    plugin = "gemma"
    deviations = "../deviations.json"
    goldens = {
        "golden/google--gemma-2b-it.json": "gemma",
        "golden/google--gemma-3-1b-it.json": "gemma-3-1b",
        "golden/google--gemma-3-4b-it.json": "gemma-3",
        "golden/google--gemma-3n-E4B-it--ac03dcb3.json": "gemma-3n",
        "golden/google--gemma-4-E2B-it--ollama-2026-07-14.json": "gemma-4",
        "golden/google--gemma-4-31B-it--ollama-2026-07-14.json": "gemma-4-31b",
        "golden/replaced/gemma-4-31B@1.json": "gemma-4-2026-04-01",
        "golden/replaced/google--gemma-4-E2B-it--v3.json": "gemma-4-2026-04-10",
        "golden/replaced/google--gemma-4-E2B-it.json": "gemma-4-2026-04",
        "golden/replaced/google--gemma-4-E2B-it--v4.json": "gemma-4-905e84b",
        "golden/replaced/google--gemma-4-31B-it.json": "gemma-4-31b-2026-04-10",
        "golden/replaced/google--gemma-4-31B-it--ollama-2026-04-29.json": "gemma-4-31b-2026-04",
        "golden/replaced/gemma-4-31B@8.json": "gemma-4-31b-905e84b",
    }
    examples = {
        "google/gemma-2b-it": "gemma",
        "google/gemma-1.1-7b-it": "gemma",
        "google/gemma-2-9b-it": "gemma",
        "google/gemma-3-27b-it": "gemma-3",
        "google/gemma-3-1b-it": "gemma-3-1b",
        "google/gemma-3n-E2B-it": "gemma-3n",
        "google/gemma-4-E4B-it": "gemma-4",
        "google/gemma-4-31B-it-GGUF": "gemma-4-31b",
        "google/gemma-4-26B-A4B-it": "gemma-4-31b",
        "google/gemma-4-12B-it": "gemma-4-31b",
        "google/medgemma-4b-it": "gemma-3",
        "google/gemma-2-9b": "default",
        "google/medgemma-4b-pt": "default",
        "google/gemma-3-4b-pt": "default",
        "unsloth/gemma-3-4b-it-GGUF": "gemma-3",
    }
    base = ["google/gemma-2-9b", "google/medgemma-4b-pt", "google/gemma-3-4b-pt"]
    others = ["HuggingFaceH4/zephyr-7b-gemma-v0.1", "openchat/openchat-3.5-0106-gemma", "google/gemma-4-20B-it"]


class Types(str, Enum):  # noqa: UP042 - a StrEnum prints as its text
    OBJECT = "object"
    STRING = "string"


def test_a_type_that_is_an_enum_member_is_written_as_its_value():
    def text(string, thing):
        size = {"type": string, "enum": ["small", "large"]}
        schema = {"type": thing, "properties": {"size": size, "box": {"type": thing, "properties": {"size": size}}}}
        tool = {"name": "f", "description": "d", "parameters": schema, "response": schema}
        question = [{"role": "user", "content": "q"}]
        return lect.template("gemma-4").text(question, tools=[{"type": "function", "function": tool}])

    assert text(Types.STRING, Types.OBJECT) == text("string", "object")
