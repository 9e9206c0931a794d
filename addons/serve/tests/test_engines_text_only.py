"""Formats whose marks are control tokens cannot be read from text: that is said at the start, not in the replies."""

import pytest
from fake_engines import tiny_of

import lect
from lect_serve.engines.base import EngineError
from lect_serve.engines.ollama import Ollama
from lect_serve.engines.text_only import check, lost_marks
from lect_serve.engines.vllm import Vllm

READABLE = ["Qwen/Qwen3-8B", "Qwen/Qwen3-Coder-30B-A3B-Instruct", "zai-org/GLM-4.5", "HuggingFaceH4/zephyr-7b-beta"]
MARKS = {
    "openai/gpt-oss-20b": "<|channel|>",
    "deepseek-ai/DeepSeek-V3.1": "<｜tool▁calls▁begin｜>",
    "moonshotai/Kimi-K2-Instruct": "<|tool_calls_section_begin|>",
    "mistralai/Mistral-Nemo-Instruct-2407": "[TOOL_CALLS]",
}


def engine(kind):
    return kind(None, "http://127.0.0.1:1")


@pytest.mark.parametrize("model", READABLE)
def test_a_format_whose_marks_are_text_is_readable(model):
    template = lect.get_template(model)
    assert lost_marks(template, tiny_of(template)) == ()
    check(template, tiny_of(template), engine(Ollama))


@pytest.mark.parametrize("model", MARKS)
def test_a_format_whose_marks_are_control_tokens_is_refused(model):
    template = lect.get_template(model)
    tokenizer = tiny_of(template)
    assert MARKS[model] in lost_marks(template, tokenizer)
    with pytest.raises(EngineError, match="without control tokens") as raised:
        check(template, tokenizer, engine(Ollama))
    assert MARKS[model] in str(raised.value)
    assert raised.value.status == 400
    check(template, tokenizer, engine(Vllm))
