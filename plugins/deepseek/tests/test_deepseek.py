"""DeepSeek against its maker's own templates."""

from pathlib import Path

import goldens
import pytest

import lect

GOLDEN = Path(__file__).parent / "golden"
TEMPLATES = {
    "deepseek-ai--deepseek-coder-6.7b-instruct": "deepseek-coder",
    "deepseek-ai--deepseek-math-7b-rl": "deepseek-llm-chat",
    "deepseek-ai--deepseek-llm-7b-chat": "deepseek-llm-chat",
    "deepseek-ai--DeepSeek-V3": "deepseek-v3",
    "deepseek-ai--DeepSeek-R1": "deepseek-r1",
    "deepseek-ai--DeepSeek-R1-Distill-Llama-8B": "deepseek-r1-distill",
    "deepseek-ai--DeepSeek-V3.1": "deepseek-v3.1",
}
CASES = [(slug, *case) for slug in TEMPLATES for case in goldens.cases(GOLDEN / f"{slug}.json")]


@pytest.mark.parametrize(
    ("slug", "case", "arguments", "expected"), CASES, ids=[f"{case[0]}-{case[1]}" for case in CASES]
)
def test_gives_the_makers_bytes(slug, case, arguments, expected):
    goldens.check(lect.get_conv_template(f"deepseek:{TEMPLATES[slug]}").template, arguments, expected)


@pytest.mark.parametrize(
    ("path", "template", "kind"),
    [
        ("deepseek-ai/DeepSeek-R1", "deepseek-r1", "chat"),
        ("deepseek-ai/DeepSeek-R1-Distill-Qwen-7B", "deepseek-r1-distill", "chat"),
        ("unsloth/DeepSeek-R1-Distill-Llama-8B-GGUF", "deepseek-r1-distill", "chat"),
        ("deepseek-ai/DeepSeek-V3", "deepseek-v3", "chat"),
        ("deepseek-ai/DeepSeek-V3-Base", "default", "base"),
        ("deepseek-ai/DeepSeek-V3.1", "deepseek-v3.1", "chat"),
        ("deepseek-ai/deepseek-coder-33b-instruct", "deepseek-coder", "chat"),
        ("TheBloke/deepseek-llm-67b-chat-AWQ", "deepseek-llm-chat", "chat"),
        ("deepseek-ai/deepseek-moe-16b-chat", "deepseek-llm-chat", "chat"),
    ],
)
def test_knows_names(path, template, kind):
    resolution = lect.resolve(path)
    assert (resolution.template.name, resolution.kind, resolution.package) == (template, kind, "lect-deepseek")


@pytest.mark.parametrize(
    "path", ["notdeepseek-v3", "deepseeker/chat-7b", "deepseek-ai/DeepSeek-R1-0528", "deepseek-ai/DeepSeek-V3-0324"]
)
def test_claims_no_other_names(path):
    assert goldens.owner(path) != "lect-deepseek"
