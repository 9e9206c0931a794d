"""LLaVA against its maker's own code."""

from lect_kit import AdapterSuite


class TestLLaVA(AdapterSuite):
    plugin = "llava"
    goldens = {
        "golden/llava-v1.json": "llava-v1",
        "golden/llava-mistral.json": "llava-mistral",
        "golden/llava-34b.json": "llava-34b",
        "golden/llava-next-video-hf.json": "llava-next-video-hf",
        "golden/llava-next-video-34b-hf.json": "llava-next-video-34b-hf",
        "golden/llava-onevision-hf.json": "llava-onevision-hf",
        "golden/llava-1.5-hf.json": "llava-1.5-hf",
        "golden/llava-1.6-vicuna-hf.json": "llava-1.6-vicuna-hf",
        "golden/llava-1.6-mistral-hf.json": "llava-1.6-mistral-hf",
    }
    examples = {
        "liuhaotian/llava-v1.5-13b": "llava-v1",
        "liuhaotian/llava-v1.6-vicuna-7b": "llava-v1",
        "liuhaotian/llava-v1.6-mistral-7b": "llava-mistral",
        "AI-ModelScope/llava-v1.6-34b": "llava-34b",
        "llava-hf/llava-1.5-7b-hf": "llava-1.5-hf",
        "swift/llava-1.5-13b-hf": "llava-1.5-hf",
        "llava-hf/llava-v1.6-vicuna-7b-hf": "llava-1.6-vicuna-hf",
        "llava-hf/llava-v1.6-mistral-7b-hf": "llava-1.6-mistral-hf",
        "llava-hf/LLaVA-NeXT-Video-7B-DPO-hf": "llava-next-video-hf",
        "llava-hf/LLaVA-NeXT-Video-34B-hf": "llava-next-video-34b-hf",
        "llava-hf/llava-onevision-qwen2-7b-ov-hf": "llava-onevision-hf",
    }
    base = ["lmms-lab/LLaVA-OneVision-1.5-8B-Base"]
    others = [
        "lmms-lab/LLaVA-OneVision-1.5-8B-Instruct",
        "llava-hf/LLaVA-NeXT-Video-7B-32K-hf",
        "llava-hf/llava-v1.6-34b-hf",
        "llava-hf/llava-next-72b-hf",
        "lmms-lab/llava-next-72b",
        "lmms-lab/llava-onevision-qwen2-7b-ov",
    ]
