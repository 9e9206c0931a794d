"""What is written as a response template. With transformers it is proven in tests/integrations."""

import json
import warnings

import pytest

import lect
from lect import dump_template
from lect.plugin import CHATML
from lect.plugin.grammar import JSON_IN_TAGS, THINK, Channels, Grammar


def written(template):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lect.errors.ConversionWarning)  # Without transformers, nothing is proven.
        return json.loads(dump_template(template, "response-template", lossy=True))


def test_reasoning_calls_and_content_are_fields():
    spec = written(CHATML.but(reply=Grammar("x", reasoning=THINK, sections=(JSON_IN_TAGS,))))
    assert spec["start_anchor"] == ["<|im_start|>assistant"]
    assert set(spec["fields"]) == {"thinking", "tool_calls", "content"}
    assert spec["fields"]["thinking"] == {"open": ["<think>"], "close": ["</think>"]}
    assert spec["fields"]["content"] == {"close": list(CHATML.stop)}
    assert spec["fields"]["tool_calls"]["content"] == "json"


def test_what_cannot_be_expressed_is_an_error_that_says_why():
    headed = Grammar("x", channels=Channels(start=("<|start|>",), bodies=(("<|message|>", "content"),)))
    with pytest.raises(lect.ConversionError, match="messages with headers"):
        dump_template(CHATML.but(reply=headed), "response-template")
    with pytest.raises(lect.ConversionError, match="nothing of replies"):
        dump_template(CHATML.but(reply=None), "response-template")
