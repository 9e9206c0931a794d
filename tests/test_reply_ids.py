"""Replies that are fed as ids: a control token is one by its id, and text where ordinary tokens spell it."""

import pytest
from hostile import installed
from sampled_replies import PLACE, calls, fed, heard, sampled, says, sentence, tokens, writes_calls, written
from sampling import in_turn
from tiny_tokenizer import Bytes
from together import together


@together("name", in_turn(installed(), 4))
def test_a_control_token_that_ordinary_tokens_spell_is_text(name):
    template = installed()[name]
    if not written(template, says(PLACE)):
        pytest.skip("it writes no answers")
    tokenizer = Bytes(*tokens(template))
    text, found = sentence(template, tokenizer), heard(template, tokenizer, says)
    assert (found.content, found.tool_calls, found.problems) == (text, (), ())
    assert found.stop == next(iter(template.stop), None)


@together("name", in_turn(installed(), 4))
def test_a_control_token_that_ordinary_tokens_spell_is_text_in_arguments(name):
    template = installed()[name]
    if not writes_calls(template):
        pytest.skip("it writes no calls")
    tokenizer = Bytes(*tokens(template))
    text, found = sentence(template, tokenizer), heard(template, tokenizer, calls)
    assert ([call.arguments for call in found.tool_calls], found.problems) == ([{"text": text}], ())


def test_what_is_no_token_of_the_tokenizer_is_read_in_the_text():
    template = installed()["qwen:qwen3"]
    reply = written(template, calls(PLACE)) + "<|im_end|>"
    found, _ = fed(template, Bytes(), sampled(Bytes(), reply, "Paris"), 1)
    assert ([call.arguments for call in found.tool_calls], found.stop) == ([{"text": "Paris"}], "<|im_end|>")
