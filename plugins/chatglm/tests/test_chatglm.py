"""ChatGLM against its maker's own templates."""

from pathlib import Path

import goldens
import pytest

import lect

GOLDEN = Path(__file__).parent / "golden"
TEMPLATES = {
    "THUDM--chatglm3-6b": "chatglm3-6b",
    "THUDM--glm-4-9b-chat": "glm-4",
    "THUDM--glm-4-9b-chat-1m-hf": "glm-4-hf",
    "zai-org--GLM-4.5": "glm-4.5",
    "zai-org--GLM-4.6": "glm-4.6",
    "zai-org--GLM-5": "glm-5",
    "zai-org--GLM-5.1": "glm-5.1",
}
CASES = [(slug, *case) for slug in TEMPLATES for case in goldens.cases(GOLDEN / f"{slug}.json")]


@pytest.mark.parametrize(
    ("slug", "case", "arguments", "expected"), CASES, ids=[f"{case[0]}-{case[1]}" for case in CASES]
)
def test_gives_the_makers_bytes(slug, case, arguments, expected):
    goldens.check(lect.get_conv_template(f"chatglm:{TEMPLATES[slug]}").template, arguments, expected)


@pytest.mark.parametrize(
    ("path", "template", "kind"),
    [
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
    ],
)
def test_knows_names(path, template, kind):
    resolution = lect.resolve(path)
    assert (resolution.template.name, resolution.kind, resolution.package) == (template, kind, "lect-chatglm")


@pytest.mark.parametrize("path", ["zai-org/GLM-4.5V", "notglm-4.5"])
def test_claims_no_other_names(path):
    assert goldens.owner(path) != "lect-chatglm"


@pytest.mark.parametrize("model", ["zai-org/GLM-4.5", "zai-org/GLM-4.6"])
def test_the_line_end_behind_thinking_that_was_switched_off_is_no_content(model):
    prompt = lect.render(model, [{"role": "user", "content": "Hi"}], add_generation_prompt=True, enable_thinking=False)
    assert prompt.text.endswith("</think>")
    assert lect.parse(model, "\nSunny.<|user|>", prompt=prompt).content == "Sunny."
