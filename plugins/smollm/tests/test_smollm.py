"""SmolLM against its maker's own templates."""

import pytest

import lect
from lect_kit import AdapterSuite


class TestSmollm(AdapterSuite):
    plugin = "smollm"
    goldens = {
        "golden/HuggingFaceTB--SmolLM2-1.7B-Instruct.json": "smollm2",
        "golden/HuggingFaceTB--SmolLM3-3B.json": "smollm3",
        "golden/HuggingFaceTB--SmolVLM-Instruct.json": "smolvlm",
    }
    examples = {
        "HuggingFaceTB/SmolLM2-135M-Instruct": "smollm2",
        "unsloth/SmolLM2-360M-Instruct-GGUF": "smollm2",
        "HuggingFaceTB/SmolLM2-1.7B": "default",
        "HuggingFaceTB/SmolLM-360M-Instruct": "smollm",
        "bartowski/SmolLM-1.7B-Instruct-v0.2-GGUF": "smollm",
        "HuggingFaceTB/SmolLM3-3B": "smollm3",
        "HuggingFaceTB/SmolVLM-Instruct": "smolvlm",
        "HuggingFaceTB/SmolVLM2-2.2B-Instruct": "smolvlm",
        "HuggingFaceTB/SmolVLM-256M-Instruct": "smolvlm-500m",
        "HuggingFaceTB/SmolVLM2-500M-Video-Instruct": "smolvlm-500m",
        "ggml-org/SmolVLM2-256M-Video-Instruct-GGUF": "smolvlm-500m",
        "HuggingFaceTB/SmolVLM-Base": "default",
        "HuggingFaceTB/SmolLM3-3B-Base": "default",
        "HuggingFaceTB/SmolLM-360M": "default",
    }
    base = ["HuggingFaceTB/SmolLM2-1.7B", "HuggingFaceTB/SmolLM3-3B-Base", "HuggingFaceTB/SmolLM-360M"]
    base += ["HuggingFaceTB/SmolVLM-Base", "HuggingFaceTB/SmolVLM-500M-Base", "HuggingFaceTB/SmolVLM2-2.2B-Base"]
    others = ["HuggingFaceTB/SmolVLM-Synthetic", "HuggingFaceTB/SmolVLM-Instruct-DPO", "smollmao-7b"]


def test_smollm3_takes_tools_for_code():
    tools = [{"name": "add", "description": "Add."}]
    prompt = lect.template("smollm:smollm3").render([{"role": "user", "content": "2+2?"}], python_tools=tools)
    assert "like regular functions:\n<tools>\n{'name': 'add', 'description': 'Add.'}\n</tools>\n\n" in prompt.text
    assert prompt.unused == ()


# Rendered with chat_template.jinja of HuggingFaceTB/SmolLM3-3B and jinja2: it takes a text for a list of characters.
@pytest.mark.parametrize(
    ("tools", "written"),
    [
        (["def add(a, b): ...", {"name": "sub"}], "def add(a, b): ...\n{'name': 'sub'}\n"),
        ([""], "\n"),
        ("f(é)", "f\n(\né\n)\n"),
    ],
)
@pytest.mark.parametrize("option", ["python_tools", "xml_tools"])
def test_smollm3_takes_tools_as_texts(option, tools, written):
    prompt = lect.template("smollm:smollm3").render([{"role": "user", "content": "2+2?"}], **{option: tools})
    assert f"\n<tools>\n{written}</tools>\n\n" in prompt.text
    assert prompt.unused == ()


@pytest.mark.parametrize("tools", [{"name": "add"}, [1], 7])
def test_smollm3_refuses_tools_that_are_neither_texts_nor_schemas(tools):
    with pytest.raises(lect.MessageError, match=r"options\.xml_tools is"):
        lect.template("smollm:smollm3").text([{"role": "user", "content": "2+2?"}], xml_tools=tools)
