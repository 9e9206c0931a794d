"""OLMo and Tulu against their maker's own templates, and Olmo 3 also against Ollama's tests."""

import json
from pathlib import Path

import pytest

import lect
from lect.errors import RefusedError
from lect_kit import AdapterSuite

OLLAMA = json.loads((Path(__file__).parent / "golden/ollama.json").read_text("utf-8"))["cases"]


class TestOlmo(AdapterSuite):
    plugin = "olmo"
    goldens = {
        "golden/allenai--Llama-3.1-Tulu-3-8B.json": "tulu-3",
        "golden/allenai--OLMo-2-1124-13B-Instruct.json": "olmo-2",
        "golden/allenai--OLMo-7B-Instruct.json": "olmo",
        "golden/allenai--OLMoE-1B-7B-0924-Instruct--gpt4all.json": "olmoe-0924",
        "golden/allenai--Olmo-3-7B-Think--open-instruct-olmo_thinker.json": "olmo-3-think",
        "golden/allenai--tulu-2-7b.json": "tulu-2",
    }
    examples = {
        "allenai/Olmo-3.1-32B-Instruct": "olmo-3.1-instruct",
        "allenai/Olmo-3.1-32B-Think": "olmo-3.1-think",
        "allenai/Olmo-3-7B-Instruct-DPO": "olmo-3-instruct",
        "unsloth/Olmo-3-7B-Instruct-GGUF": "olmo-3-instruct",
        "allenai/Olmo-3-32B-Think": "olmo-3-think",
        "allenai/Olmo-3-7B-Think": "olmo-3-think-7b",
        "allenai/Olmo-3-1025-7B": "default",
        "allenai/OLMo-2-0425-1B-Instruct": "olmo-2",
        "allenai/OLMo-2-1124-7B": "default",
        "allenai/OLMo-7B-0724-Instruct-hf": "olmo",
        "allenai/OLMo-1B-hf": "default",
        "allenai/OLMoE-1B-7B-0125": "default",
        "allenai/OLMoE-1B-7B-0924-Instruct-GGUF": "olmoe-0924",
        "allenai/OLMoE-1B-7B-0125-Instruct": "olmoe-0125",
        "allenai/Llama-3.1-Tulu-3-70B-DPO": "tulu-3",
        "allenai/tulu-2-dpo-70b": "tulu-2",
    }
    base = ["allenai/Olmo-3-1025-7B", "allenai/OLMo-2-1124-7B", "allenai/OLMo-1B-hf", "allenai/OLMoE-1B-7B-0125"]
    others = [
        "allenai/OLMoE-1B-7B-0924-SFT",
        "allenai/Olmo-3-7B-Think-SFT",
        "allenai/Olmo-3-7B-RL-Zero-Math",
        "allenai/olmOCR-7B-0225-preview",
        "allenai/Molmo-7B-D-0924",
        "allenai/Llama-3.1-Tulu-3-8B-RM",
    ]


@pytest.mark.parametrize("case", OLLAMA, ids=[f"{case['template']}-{case['name']}" for case in OLLAMA])
def test_olmo_3_gives_what_ollama_expects(case):
    template = lect.template(f"olmo:{case['template']}")
    prompt = template.render(case["messages"], tools=case.get("tools"), add_generation_prompt=True)
    assert prompt.text == case["text"]


def test_the_fields_of_the_makers_training_data_are_read():
    messages = [
        {"role": "system", "content": "Be brief.", "functions": "[{}]"},
        {"role": "user", "content": "Hello!"},
        {"role": "assistant", "content": "", "function_calls": "greet()"},
        {"role": "environment", "content": "done"},
    ]
    expected = (
        "<|im_start|>system\nBe brief. <functions>[{}]</functions><|im_end|>\n"
        "<|im_start|>user\nHello!<|im_end|>\n"
        "<|im_start|>assistant\n<function_calls>greet()</function_calls><|im_end|>\n"
        "<|im_start|>environment\ndone<|im_end|>\n"
    )
    for name in ("olmo-3-instruct", "olmo-3-think"):
        assert lect.template(f"olmo:{name}").text(messages) == expected


def test_a_call_without_named_arguments_is_refused():
    call = {"type": "function", "function": {"name": "greet", "arguments": "[1]"}}
    messages = [{"role": "user", "content": "Hello!"}, {"role": "assistant", "content": "", "tool_calls": [call]}]
    with pytest.raises(RefusedError, match="greet"):
        lect.template("olmo:olmo-3-instruct").text(messages)
