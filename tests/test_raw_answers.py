"""Answers in data sets as models wrote them, read through the reply formats of families."""

import pytest

import lect

THOUGHT = "<think>\nIt is day.\n</think>\n\nIt is blue."
READ = {"role": "assistant", "content": "It is blue.", "reasoning_content": "It is day."}


def answer(text, how):
    (message,) = lect.messages([{"from": "gpt", "value": text}], parse_assistant=how)
    return message


@pytest.mark.parametrize(
    "how", ["hermes_json", "Qwen/Qwen3-8B", "deepseek-ai/DeepSeek-R1", lect.get_template("Qwen/QwQ-32B")], ids=str
)
def test_by_the_name_of_a_format_a_model_or_a_template(how):
    assert answer(THOUGHT, how) == READ
    assert answer("It is blue.", how) == {"role": "assistant", "content": "It is blue."}


@pytest.mark.parametrize("model", ["deepseek-ai/DeepSeek-R1", "Qwen/QwQ-32B"])
def test_reasoning_that_the_prompt_opens_may_be_stored_as_it_was_sampled(model):
    assert answer(THOUGHT.removeprefix("<think>\n"), model) == READ


def test_an_id_that_the_model_wrote_is_kept():
    text = (
        "<|tool_calls_section_begin|><|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>{}"
        "<|tool_call_end|><|tool_calls_section_end|>"
    )
    call = {"id": "functions.f:0", "type": "function", "function": {"name": "f", "arguments": {}}}
    assert answer(text, "kimi_k2") == {"role": "assistant", "content": None, "tool_calls": [call]}


@pytest.mark.parametrize("model", ["Qwen/Qwen3-8B", "zai-org/GLM-4.5", "openai/gpt-oss-20b"])
def test_what_was_parsed_is_written_again_as_the_model_wrote_it(model):
    template = lect.get_template(model)
    question = {"role": "user", "content": "Q"}
    whole = template.render([question, READ]).text
    asked = template.render([question], add_generation_prompt=True).text
    assert answer(whole.removeprefix(asked).strip(), template) == READ
