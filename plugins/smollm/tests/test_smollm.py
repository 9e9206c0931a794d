"""SmolLM against its maker's own templates."""

from family import FamilySuite

import lect


class TestSmollm(FamilySuite):
    family = "smollm"
    goldens = {"HuggingFaceTB--SmolLM2-1.7B-Instruct": "smollm2", "HuggingFaceTB--SmolLM3-3B": "smollm3"}
    names = [
        ("HuggingFaceTB/SmolLM2-135M-Instruct", "smollm2", "chat"),
        ("unsloth/SmolLM2-360M-Instruct-GGUF", "smollm2", "chat"),
        ("HuggingFaceTB/SmolLM2-1.7B", "default", "base"),
        ("HuggingFaceTB/SmolLM3-3B", "smollm3", "chat"),
        ("HuggingFaceTB/SmolLM3-3B-Base", "default", "base"),
        ("HuggingFaceTB/SmolLM-360M", "default", "base"),
    ]
    others = ["HuggingFaceTB/SmolVLM-Instruct", "HuggingFaceTB/SmolLM-360M-Instruct", "smollmao-7b"]


def test_smollm3_takes_tools_for_code():
    tools = [{"name": "add", "description": "Add."}]
    prompt = lect.template("smollm:smollm3").render([{"role": "user", "content": "2+2?"}], python_tools=tools)
    assert "like regular functions:\n<tools>\n{'name': 'add', 'description': 'Add.'}\n</tools>\n\n" in prompt.text
    assert prompt.unused == ()
