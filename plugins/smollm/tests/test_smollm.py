"""SmolLM against its maker's own templates."""

import lect
from lect_kit import AdapterSuite


class TestSmollm(AdapterSuite):
    plugin = "smollm"
    goldens = {
        "golden/HuggingFaceTB--SmolLM2-1.7B-Instruct.json": "smollm2",
        "golden/HuggingFaceTB--SmolLM3-3B.json": "smollm3",
    }
    examples = {
        "HuggingFaceTB/SmolLM2-135M-Instruct": "smollm2",
        "unsloth/SmolLM2-360M-Instruct-GGUF": "smollm2",
        "HuggingFaceTB/SmolLM2-1.7B": "default",
        "HuggingFaceTB/SmolLM3-3B": "smollm3",
        "HuggingFaceTB/SmolLM3-3B-Base": "default",
        "HuggingFaceTB/SmolLM-360M": "default",
    }
    base = ["HuggingFaceTB/SmolLM2-1.7B", "HuggingFaceTB/SmolLM3-3B-Base", "HuggingFaceTB/SmolLM-360M"]
    others = ["HuggingFaceTB/SmolVLM-Instruct", "HuggingFaceTB/SmolLM-360M-Instruct", "smollmao-7b"]


def test_smollm3_takes_tools_for_code():
    tools = [{"name": "add", "description": "Add."}]
    prompt = lect.template("smollm:smollm3").render([{"role": "user", "content": "2+2?"}], python_tools=tools)
    assert "like regular functions:\n<tools>\n{'name': 'add', 'description': 'Add.'}\n</tools>\n\n" in prompt.text
    assert prompt.unused == ()
