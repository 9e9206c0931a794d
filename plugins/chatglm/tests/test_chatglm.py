"""ChatGLM against its maker's own templates."""

import pytest

import lect
from lect_kit import AdapterSuite


class TestChatGLM(AdapterSuite):
    plugin = "chatglm"
    deviations = "../deviations.json"
    goldens = {
        "golden/THUDM--chatglm3-6b.json": "chatglm3-6b",
        "golden/THUDM--glm-4-9b-chat.json": "glm-4",
        "golden/THUDM--glm-4-9b-chat-1m-hf.json": "glm-4-hf",
        "golden/zai-org--GLM-4.5.json": "glm-4.5",
        "golden/zai-org--GLM-4.6.json": "glm-4.6",
        "golden/zai-org--GLM-5.json": "glm-5",
        "golden/zai-org--GLM-5.1.json": "glm-5.1",
        "golden/zai-org--GLM-4-9B-0414.json": "glm-4-0414",
        "golden/THUDM--glm-edge-4b-chat.json": "glm-edge",
        "golden/zai-org--GLM-5.3-BF16.json": "glm-5.3",
        "golden/glm-4.1v.json": "glm-4.1v",
        "golden/zai-org--GLM-4.5V.json": "glm-4.5v",
        "golden/glm-5.2.json": "glm-5.2",
        "golden/glm-5.3.json": "glm-5.3",
        "golden/glm-5.3-flash.json": "glm-5.3-flash",
    }
    examples = {
        "THUDM/chatglm-6b": "chatglm-6b",
        "THUDM/chatglm-6b-v1.1": "chatglm-6b",
        "THUDM/chatglm2-6b-int4": "chatglm2-6b",
        "THUDM/chatglm3-6b-32k": "chatglm3-6b",
        "THUDM/chatglm3-6b-base": "chatglm3-6b",
        "THUDM/glm-4-9b-chat": "glm-4",
        "zai-org/glm-4-9b-chat-hf": "glm-4-hf",
        "zai-org/GLM-4.5-Air-FP8": "glm-4.5",
        "zai-org/GLM-4.7": "glm-5",
        "zai-org/GLM-5.1": "glm-5.1",
        "zai-org/GLM-4-32B-0414": "glm-4-0414",
        "ZhipuAI/GLM-4-32B-Base-0414": "default",
        "zai-org/GLM-4.1V-9B-Thinking": "glm-4.1v",
        "zai-org/GLM-4.5V-FP8": "glm-4.5v",
        "zai-org/glm-edge-1.5b-chat": "glm-edge",
        "zai-org/GLM-5.2-FP8": "glm-5.2",
        "zai-org/GLM-5.3-BF16": "glm-5.3",
        "zai-org/GLM-5.3-Flash": "glm-5.3-flash",
    }
    base = ["THUDM/chatglm3-6b-base", "ZhipuAI/GLM-4-32B-Base-0414"]
    others = ["zai-org/GLM-4.6V", "zai-org/GLM-Z1-9B-0414", "zai-org/codegeex4-all-9b", "notglm-4.5"]


@pytest.mark.parametrize("model", ["zai-org/GLM-4.5", "zai-org/GLM-4.6"])
def test_the_newline_after_disabled_thinking_is_not_content(model):
    prompt = lect.render(model, [{"role": "user", "content": "Hi"}], add_generation_prompt=True, enable_thinking=False)
    assert prompt.text.endswith("</think>")
    assert lect.parse(model, "\nSunny.<|user|>", prompt=prompt).content == "Sunny."


def test_results_come_in_the_order_of_the_calls():
    calls = [{"id": each, "type": "function", "function": {"name": each, "arguments": {}}} for each in ("a", "b")]
    messages = [
        {"role": "user", "content": "Hi"},
        {"role": "assistant", "content": "", "tool_calls": calls},
        {"role": "tool", "tool_call_id": "b", "content": "second"},
        {"role": "tool", "tool_call_id": "a", "content": "first"},
    ]
    end = "<tool_response>first</tool_response><tool_response>second</tool_response>"
    assert lect.template("glm-5.3").text(messages).endswith(f"<|observation|>{end}")
