"""LLaVA against its maker's own code."""

from family import FamilySuite


class TestLLaVA(FamilySuite):
    family = "llava"
    goldens = {"llava-v1": "llava-v1", "llava-mistral": "llava-mistral", "llava-34b": "llava-34b"}
    names = [
        ("liuhaotian/llava-v1.5-13b", "llava-v1", "chat"),
        ("liuhaotian/llava-v1.6-vicuna-7b", "llava-v1", "chat"),
        ("liuhaotian/llava-v1.6-mistral-7b", "llava-mistral", "chat"),
        ("AI-ModelScope/llava-v1.6-34b", "llava-34b", "chat"),
    ]
    others = [
        "llava-hf/llava-v1.6-mistral-7b-hf",
        "llava-hf/llava-1.5-7b-hf",
        "lmms-lab/llava-next-72b",
        "lmms-lab/llava-onevision-qwen2-7b-ov",
    ]
