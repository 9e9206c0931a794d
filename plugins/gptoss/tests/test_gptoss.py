"""gpt-oss against its maker's own templates."""

from itertools import product

import pytest

import lect
from lect_kit import AdapterSuite

MODEL = "openai/gpt-oss-20b"
QUESTION = {"role": "user", "content": "Hi"}
ANSWER = {"role": "assistant", "content": "Done."}
START = "<|start|>assistant"
THOUGHT = "<|channel|>analysis<|message|>A file is needed.<|end|>"
PREAMBLE = "<|channel|>commentary<|message|>**Action plan**:\n1. Generate a file<|end|>"
"""Both as the maker's guide to the format has them, under "Preambles"."""
CALL = '<|channel|>commentary to=functions.generate_file<|constrain|>json<|message|>{"path": "index.html"}<|call|>'


class TestGptOss(AdapterSuite):
    plugin = "gptoss"
    goldens = {"golden/openai--gpt-oss-20b.json": "gpt-oss"}
    examples = {MODEL: "gpt-oss", "unsloth/gpt-oss-120b-GGUF": "gpt-oss"}
    others = ["openai-community/gpt2", "EleutherAI/gpt-neo-2.7B"]


def history(*before):
    """Return the messages up to the result of a call that the model made after some messages of its own."""
    reply = lect.parse(MODEL, START.join([*before, CALL]))
    result = {"role": "tool", "tool_call_id": reply.tool_calls[0].id, "content": "ok"}
    return [QUESTION, reply.to_message(), result]


@pytest.mark.parametrize("before", [list(each) for n in range(4) for each in product([THOUGHT, PREAMBLE], repeat=n)])
def test_what_the_model_writes_before_a_call_can_be_sent_back(before):
    messages = history(*before)
    for more in ([], [ANSWER, QUESTION]):
        prompt = lect.render(MODEL, messages + more, add_generation_prompt=True, strict=True)
        # Beside a thought it is what the maker's guide calls it; alone, the maker's template takes it for the thought.
        channel = PREAMBLE in before and THOUGHT in before
        assert prompt.text.count(f"{START}<|channel|>commentary<|message|>") == channel


def test_thought_and_preamble_are_written_as_the_makers_guide_has_them():
    text = lect.render(MODEL, history(THOUGHT, PREAMBLE)).text
    assert f"{START}{THOUGHT}{START}{PREAMBLE}{START} to=functions.generate_file<|channel|>commentary" in text


def test_the_preamble_outlives_the_thought():
    prompt = lect.render(MODEL, [*history(THOUGHT, PREAMBLE), ANSWER, QUESTION])
    assert f"{START}{PREAMBLE}{START} to=functions.generate_file" in prompt.text
    assert THOUGHT not in prompt.text
    assert [(each.path, each.why) for each in prompt.unused] == [(("messages", 1, "reasoning_content"), "by-rule")]
