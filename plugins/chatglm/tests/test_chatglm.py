"""ChatGLM against its maker's own templates."""

import pytest
from family import FamilySuite

import lect


class TestChatGLM(FamilySuite):
    family = "chatglm"
    goldens = {
        "THUDM--chatglm3-6b": "chatglm3-6b",
        "THUDM--glm-4-9b-chat": "glm-4",
        "THUDM--glm-4-9b-chat-1m-hf": "glm-4-hf",
        "zai-org--GLM-4.5": "glm-4.5",
        "zai-org--GLM-4.6": "glm-4.6",
        "zai-org--GLM-5": "glm-5",
        "zai-org--GLM-5.1": "glm-5.1",
    }
    names = [
        ("THUDM/chatglm-6b", "chatglm-6b", "chat"),
        ("THUDM/chatglm-6b-v1.1", "chatglm-6b", "chat"),
        ("THUDM/chatglm2-6b-int4", "chatglm2-6b", "chat"),
        ("THUDM/chatglm3-6b-32k", "chatglm3-6b", "chat"),
        ("THUDM/chatglm3-6b-base", "chatglm3-6b", "base"),
        ("THUDM/glm-4-9b-chat", "glm-4", "chat"),
        ("zai-org/glm-4-9b-chat-hf", "glm-4-hf", "chat"),
        ("zai-org/GLM-4.5-Air-FP8", "glm-4.5", "chat"),
        ("zai-org/GLM-4.7", "glm-5", "chat"),
        ("zai-org/GLM-5.1", "glm-5.1", "chat"),
    ]
    others = ["zai-org/GLM-4.5V", "notglm-4.5"]


@pytest.mark.parametrize("model", ["zai-org/GLM-4.5", "zai-org/GLM-4.6"])
def test_the_line_end_behind_thinking_that_was_switched_off_is_no_content(model):
    prompt = lect.render(model, [{"role": "user", "content": "Hi"}], add_generation_prompt=True, enable_thinking=False)
    assert prompt.text.endswith("</think>")
    assert lect.parse(model, "\nSunny.<|user|>", prompt=prompt).content == "Sunny."
