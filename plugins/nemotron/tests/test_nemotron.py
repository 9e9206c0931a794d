"""Nemotron and ChatQA against their maker's own templates."""

import lect
from lect_kit import AdapterSuite


class TestNemotron(AdapterSuite):
    plugin = "nemotron"
    goldens = {
        "golden/nvidia--Llama3-ChatQA-1.5-8B.json": "chatqa-1.5",
        "golden/nvidia--NVIDIA-Nemotron-3-Nano-30B-A3B-BF16.json": "nemotron-3",
        "golden/nvidia--NVIDIA-Nemotron-3.5-Lightning.json": "nemotron-3.5",
        "golden/nvidia--NVIDIA-Nemotron-3-Super-120B-A12B.json": "nemotron-3-super",
        "golden/nvidia--NVIDIA-Nemotron-3-Ultra-550B-A55B.json": "nemotron-3-ultra",
        "golden/nvidia--NVIDIA-Nemotron-Nano-9B-v2.json": "nemotron-nano-v2",
        "golden/nvidia--Nemotron-3-Nano-Omni.json": "nemotron-3-omni",
        "golden/nvidia--Llama-3_3-Nemotron-Super-49B-v1_5.json": "nemotron-super-v1.5",
        "golden/nvidia--Nemotron-Mini-4B-Instruct.json": "nemotron-mini",
        "golden/nvidia--Mistral-NeMo-Minitron-8B-Instruct.json": "minitron",
    }
    examples = {
        "nvidia/Llama3-ChatQA-1.5-70B": "chatqa-1.5",
        "nvidia/NVIDIA-Nemotron-3-Super-120B-A12B-NVFP4": "nemotron-3-super",
        "nvidia/NVIDIA-Nemotron-3-Ultra-550B-A55B-FP8": "nemotron-3-ultra",
        "unsloth/Nemotron-3-Nano-30B-A3B-GGUF": "nemotron-3",
        "nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-Base-BF16": "default",
        "nvidia/NVIDIA-Nemotron-3.5-Lightning-30B-A3B-BF16": "nemotron-3.5",
        "nvidia/NVIDIA-Nemotron-Nano-12B-v2": "nemotron-nano-v2",
        "nvidia/Nemotron-H-47B-Base-8K": "default",
        "nvidia/Nemotron-3-Nano-Omni-30B-A3B-Reasoning-BF16": "nemotron-3-omni",
        "nvidia/Llama-3_3-Nemotron-Super-49B-v1_5-FP8": "nemotron-super-v1.5",
        "bartowski/Nemotron-Mini-4B-Instruct-GGUF": "nemotron-mini",
        "nvidia/Mistral-NeMo-Minitron-8B-Instruct": "minitron",
    }
    base = [
        "nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-Base-BF16",
        "nvidia/Nemotron-H-47B-Base-8K",
        "nvidia/Nemotron-4-340B-Base",
    ]
    others = [
        "nvidia/Nemotron-4-340B-Instruct",
        "nvidia/NVIDIA-Nemotron-Nano-12B-v2-VL-BF16",
        "nvidia/NVIDIA-Nemotron-3-Nano-4B-BF16",
        "nvidia/Llama-3.1-Nemotron-70B-Instruct-HF",
        "nvidia/Llama-3_3-Nemotron-Super-49B-v1",
        "jet-ai/Jet-Nemotron-2B",
        "nvidia/llama-nemotron-embed-1b-v2",
    ]


def test_calls_are_read():
    expected = [("get_weather", {"city": "Paris"})]
    outputs = {
        "nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-BF16": (
            "<tool_call>\n<function=get_weather>\n<parameter=city>\nParis\n</parameter>\n</function>\n</tool_call>\n"
        ),
        "nvidia/NVIDIA-Nemotron-Nano-9B-v2": (
            '<TOOLCALL>[{"name": "get_weather", "arguments": {"city": "Paris"}}]</TOOLCALL>\n<SPECIAL_12>'
        ),
    }
    for model, output in outputs.items():
        reply = lect.parse(model, f"Look.\n</think>\n\n{output}", starts_in_reasoning=True)
        assert [(call.name, call.arguments) for call in reply.tool_calls] == expected
        assert reply.reasoning == "Look."
