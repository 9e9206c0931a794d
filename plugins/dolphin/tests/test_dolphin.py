"""Dolphin against its maker's own templates."""

import lect
from lect_kit import AdapterSuite


class TestDolphin(AdapterSuite):
    plugin = "dolphin"
    goldens = {
        "golden/dolphin-2.5-mixtral.json": "dolphin-2.5-mixtral",
        "golden/cognitivecomputations--dolphin-2.8-mistral-7b-v02.json": "dolphin-2.8-mistral",
        "golden/cognitivecomputations--dolphin-2.6-mistral-7b-dpo-laser.json": "dolphin-2.6-mistral",
        "golden/cognitivecomputations--dolphin-2_6-phi-2.json": "dolphin-2.6-phi-2",
    }
    examples = {
        "cognitivecomputations/dolphin-2.8-mistral-7b-v02": "dolphin-2.8-mistral",
        "cognitivecomputations/dolphin-2.6-mistral-7b-dpo-laser": "dolphin-2.6-mistral",
        "TheBloke/dolphin-2.5-mixtral-8x7b-GGUF": "dolphin-2.5-mixtral",
        "cognitivecomputations/dolphin-2.7-mixtral-8x7b": "dolphin-2.5-mixtral",
        "cognitivecomputations/dolphin-2_6-phi-2": "dolphin-2.6-phi-2",
        "cognitivecomputations/dolphin-2.9-llama3-8b": "dolphin-2.9-llama3",
        "bartowski/dolphin-2.9-llama3-70b-GGUF": "dolphin-2.9-llama3",
    }
    others = [
        "cognitivecomputations/Dolphin3.0-Llama3.1-8B",
        "cognitivecomputations/TinyDolphin-2.8-1.1b",
        "ByteDance/Dolphin-v2",
    ]


def test_a_system_message_anywhere_replaces_the_default_of_phi2():
    messages = [{"role": "user", "content": "Hello!"}, {"role": "system", "content": "Be brief."}]
    assert lect.template("dolphin-2.6-phi-2").text(messages) == (
        "<|endoftext|><|im_start|>user\nHello!<|im_end|>\n<|im_start|>system\nBe brief.<|im_end|>\n"
    )
