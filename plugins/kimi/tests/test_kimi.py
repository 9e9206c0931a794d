"""Kimi against its maker's own templates."""

import lect
from lect_kit import AdapterSuite


class TestKimi(AdapterSuite):
    plugin = "kimi"
    goldens = {
        "golden/moonshotai--Kimi-K2-Instruct--9fcc72b7.json": "kimi-k2",
        "golden/moonshotai--Kimi-K2-Thinking.json": "kimi-k2-thinking",
        "golden/moonshotai--Kimi-K2.5.json": "kimi-k2.5",
        "golden/kimi-vl.json": "kimi-vl",
        "golden/moonlight.json": "moonlight",
    }
    examples = {
        "moonshotai/Kimi-K2-Instruct": "kimi-k2",
        "unsloth/Kimi-K2-Instruct-GGUF": "kimi-k2",
        "moonshotai/Kimi-K2-Thinking": "kimi-k2-thinking",
        "moonshotai/Kimi-K2-Base": "default",
        "moonshotai/Kimi-K2.5": "kimi-k2.5",
        "moonshotai/Kimi-K2.7-Code": "kimi-k2.5",
        "moonshotai/Kimi-VL-A3B-Instruct": "kimi-vl",
        "moonshotai/Kimi-VL-A3B-Thinking-2506": "kimi-vl-thinking",
        "moonshotai/Moonlight-16B-A3B-Instruct": "moonlight",
        "moonshotai/Moonlight-16B-A3B": "default",
    }
    base = ["moonshotai/Kimi-K2-Base", "moonshotai/Moonlight-16B-A3B"]
    others = ["kimichi-7b", "moonshotai/Kimi-Dev-72B", "moonshotai/Kimi-K2-Instruct-0905", "acme/moonlight-7b"]


def test_a_video_has_a_placeholder():
    content = [{"type": "video_url", "video_url": {"url": "a.mp4"}}, {"type": "text", "text": "What happens?"}]
    assert lect.template("kimi-k2.5").text([{"role": "user", "content": content}]) == (
        "<|im_user|>user<|im_middle|><|kimi_k25_video_placeholder|>\nWhat happens?<|im_end|>"
    )


def test_the_thought_of_a_vision_model_is_read():
    reply = lect.parse("moonshotai/Kimi-VL-A3B-Thinking", "◁think▷Two and two.◁/think▷Four.<|im_end|>")
    assert (reply.reasoning, reply.content, reply.stop) == ("Two and two.", "Four.", "<|im_end|>")
