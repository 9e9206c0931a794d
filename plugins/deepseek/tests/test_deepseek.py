"""DeepSeek against its maker's own templates and code."""

from itertools import permutations

import pytest

import lect
from lect_kit import AdapterSuite

V4 = ["deepseek-ai/DeepSeek-V4-Pro", "deepseek-ai/DeepSeek-V4-Flash-0731"]


def with_results(order):
    """Return three calls, and their results in an order."""
    calls = [{"id": f"call_{number}", "function": {"name": "f", "arguments": {"n": number}}} for number in range(3)]
    return [
        {"role": "user", "content": "Try all."},
        {"role": "assistant", "content": "", "tool_calls": calls},
        *({"role": "tool", "tool_call_id": f"call_{number}", "content": f"result {number}"} for number in order),
    ]


@pytest.mark.parametrize("model", V4)
@pytest.mark.parametrize("order", [*permutations(range(3))])
def test_results_are_in_the_order_of_their_calls(model, order):
    expected = lect.render(model, with_results(range(3))).text
    prompt = lect.render(model, with_results(order))
    assert prompt.text == expected
    assert prompt.unused == ()
    assert [segment.text for segment in prompt.segments if "result " in segment.text] == [
        "result 0",
        "result 1",
        "result 2",
    ]


@pytest.mark.parametrize("model", V4)
@pytest.mark.parametrize("effort", ["maximum", 3, ["high"]])
def test_an_effort_that_does_not_exist_is_refused(model, effort):
    with pytest.raises(lect.LectError, match="reasoning_effort is"):
        lect.render(model, [{"role": "user", "content": "Hi"}], reasoning_effort=effort)


class TestDeepSeek(AdapterSuite):
    plugin = "deepseek"
    deviations = "../deviations.json"
    goldens = {
        "golden/deepseek-vl.json": "deepseek-vl",
        "golden/janus-pro.json": "janus-pro",
        "golden/deepseek-vl2.json": "deepseek-vl2",
        "golden/deepseek-ai--deepseek-coder-6.7b-instruct.json": "deepseek-coder",
        "golden/deepseek-ai--deepseek-math-7b-rl.json": "deepseek-llm-chat",
        "golden/deepseek-ai--deepseek-llm-7b-chat.json": "deepseek-llm-chat",
        "golden/deepseek-ai--DeepSeek-V3.json": "deepseek-v3",
        "golden/deepseek-ai--DeepSeek-R1.json": "deepseek-r1",
        "golden/deepseek-ai--DeepSeek-R1-Distill-Llama-8B.json": "deepseek-r1-distill",
        "golden/deepseek-ai--DeepSeek-V3.1.json": "deepseek-v3.1",
        "golden/deepseek-ai--DeepSeek-V2-Chat-0628.json": "deepseek-v2-chat-0628",
        "golden/deepseek-ai--DeepSeek-V2.5.json": "deepseek-v2.5",
        "golden/deepseek-ai--DeepSeek-V3-0324.json": "deepseek-v3-0324",
        "golden/deepseek-ai--DeepSeek-V4.json": "deepseek-v4",
        "golden/deepseek-ai--DeepSeek-V4-Flash-0731.json": "deepseek-v4-flash-0731",
        "golden/deepseek-v4-pro.json": "deepseek-v4",
        "golden/deepseek-v4-flash.json": "deepseek-v4",
        "golden/deepseek-v4-flash-0731.json": "deepseek-v4-flash-0731",
        "golden/deepseek-v4-recipe.json": "deepseek-v4",
        "golden/deepseek-v4-pro-0813.json": "deepseek-v4-pro-0813",
        "golden/deepseek-v4.1-flash.json": "deepseek-v4.1-flash",
        "golden/deepseek-r1-0528.json": "deepseek-r1-0528",
        "golden/deepseek-v3.1-terminus.json": "deepseek-v3.1-terminus",
        "golden/deepseek-v3.2-exp.json": "deepseek-v3.2-exp",
        "golden/deepseek-v3.2.json": "deepseek-v3.2",
    }
    examples = {
        "deepseek-ai/deepseek-vl-7b-chat": "deepseek-vl",
        "deepseek-ai/Janus-1.3B": "deepseek-vl",
        "deepseek-ai/Janus-Pro-7B": "janus-pro",
        "deepseek-ai/deepseek-vl2-tiny": "deepseek-vl2",
        "deepseek-ai/deepseek-vl2": "deepseek-vl2",
        "Tongyi-Zhiwen/QwenLong-L1-32B": "deepseek-r1-distill",
        "deepseek-ai/DeepSeek-R1": "deepseek-r1",
        "deepseek-ai/DeepSeek-R1-Distill-Qwen-7B": "deepseek-r1-distill",
        "unsloth/DeepSeek-R1-Distill-Llama-8B-GGUF": "deepseek-r1-distill",
        "deepseek-ai/DeepSeek-V3": "deepseek-v3",
        "deepseek-ai/DeepSeek-V3-Base": "default",
        "deepseek-ai/DeepSeek-V3.1": "deepseek-v3.1",
        "deepseek-ai/deepseek-coder-33b-instruct": "deepseek-coder",
        "TheBloke/deepseek-llm-67b-chat-AWQ": "deepseek-llm-chat",
        "deepseek-ai/deepseek-moe-16b-chat": "deepseek-llm-chat",
        "deepseek-ai/DeepSeek-V2-Lite-Chat": "deepseek-llm-chat",
        "deepseek-ai/DeepSeek-Coder-V2-Lite-Instruct": "deepseek-llm-chat",
        "deepseek-ai/DeepSeek-V2": "deepseek-llm-chat",
        "deepseek-ai/DeepSeek-V2-Chat-0628": "deepseek-v2-chat-0628",
        "deepseek-ai/DeepSeek-V2.5-1210": "deepseek-v2.5",
        "cognitivecomputations/DeepSeek-V3-0324-AWQ": "deepseek-v3-0324",
        "unsloth/DeepSeek-Prover-V2-671B-BF16": "deepseek-v3-0324",
        "deepseek-ai/DeepSeek-R1-0528": "deepseek-r1-0528",
        "deepseek-ai/DeepSeek-R1-0528-Qwen3-8B": "deepseek-r1-0528-qwen3",
        "deepseek-ai/DeepSeek-V3.1-Terminus": "deepseek-v3.1-terminus",
        "deepseek-ai/DeepSeek-V3.2-Exp": "deepseek-v3.2-exp",
        "deepseek-ai/DeepSeek-V3.2-Exp-Base": "default",
        "deepseek-ai/DeepSeek-V3.2": "deepseek-v3.2",
        "deepseek-ai/DeepSeek-V3.2-Speciale": "deepseek-v3.2",
        "deepseek-ai/DeepSeek-V4-Pro": "deepseek-v4",
        "deepseek-ai/DeepSeek-V4-Flash": "deepseek-v4",
        "deepseek-ai/DeepSeek-V4-Flash-0731": "deepseek-v4-flash-0731",
        "deepseek-ai/DeepSeek-V4-Pro-0813": "deepseek-v4-pro-0813",
        "deepseek-ai/DeepSeek-V4.1-Flash": "deepseek-v4.1-flash",
        "deepseek-ai/DeepSeek-V4-Flash-Base": "default",
    }
    base = [
        "deepseek-ai/DeepSeek-V3-Base",
        "deepseek-ai/DeepSeek-V2",
        "deepseek-ai/DeepSeek-V3.2-Exp-Base",
        "deepseek-ai/DeepSeek-V4-Flash-Base",
    ]
    others = [
        "deepseek-ai/deepseek-vl-7b-base",
        "deepseek-ai/JanusFlow-1.3B",
        "Tongyi-Zhiwen/QwenLong-L1.5-30B-A3B",
        "notdeepseek-v3",
        "deepseeker/chat-7b",
        "deepseek-ai/DeepSeek-V4-Pro-DSpark",
        "deepseek-ai/DeepSeek-V4-Flash-0813",
        "deepseek-ai/DeepSeek-V4-Pro-0731",
        "deepseek-ai/DeepSeek-V4.1-Pro",
        "deepseek-ai/DeepSeek-V4.1",
        "deepseek-ai/DeepSeek-R1-Zero",
    ]
