"""Kimi against its maker's own templates."""

import pytest

import lect
from lect.format.call_ids import respelled
from lect_kit import AdapterSuite, roundtrip


class TestKimi(AdapterSuite):
    plugin = "kimi"
    goldens = {
        "golden/moonshotai--Kimi-K2-Instruct--9fcc72b7.json": "kimi-k2",
        "golden/moonshotai--Kimi-K2-Thinking.json": "kimi-k2-thinking",
        "golden/moonshotai--Kimi-K2.5.json": "kimi-k2.5",
        "golden/moonshotai--Kimi-K3.json": "kimi-k3",
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
        "moonshotai/Kimi-K3": "kimi-k3",
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


@pytest.mark.parametrize("name", ["kimi-k2", "kimi-k2-thinking", "kimi-k2.5"])
def test_calls_with_foreign_ids_come_back_by_name(name):
    template = lect.template(f"kimi:{name}")
    calls = [
        {"id": f"call_{at}", "type": "function", "function": {"name": f"f{at}", "arguments": "{}"}} for at in (7, 8)
    ]
    asked = {"role": "user", "content": "Hi"}
    (message,) = respelled([{"role": "assistant", "content": "", "tool_calls": calls}], template.reply)
    prompt, written = roundtrip.answer(template, [asked], message)
    reply = template.parse(written, prompt=prompt)
    assert [(call.id, call.name) for call in reply.tool_calls] == [("functions.f7:0", "f7"), ("functions.f8:1", "f8")]
