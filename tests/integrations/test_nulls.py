"""Fields of messages that are null, rendered as transformers does with the makers' templates."""

import json

import differential
import pytest
from sampling import in_turn

import lect

transformers = pytest.importorskip("transformers", minversion="5.23")
tokenizers = pytest.importorskip("tokenizers")

# A maker's template has one.
pytestmark = pytest.mark.filterwarnings("ignore:invalid escape sequence")

CALL = {"id": "call00001", "type": "function", "function": {"name": "f", "arguments": {"x": 1}}}
PARAMETERS = {"type": "object", "properties": {"x": {"type": "integer"}}}
TOOLS = [{"type": "function", "function": {"name": "f", "description": "d", "parameters": PARAMETERS}}]
NULLS = dict.fromkeys(
    ("name", "reasoning_content", "thinking", "reasoning", "refusal", "tool_plan", "tool_call_id", "tool_calls")
)
QUESTION, ANSWER = {"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}
RESULT = {"role": "tool", "tool_call_id": "call00001", "name": "f", "content": "r"}
CHATS = {
    "answered": ([QUESTION, ANSWER, QUESTION], None),
    "called": ([QUESTION, {"role": "assistant", "content": "", "tool_calls": [CALL]}, RESULT], TOOLS),
}
AN_EMPTY_PART = "an empty content is a part like any other, and none is no part"
DIFFER_WITHOUT_CONTENT = {
    "KamilaMila--FastVLM-1.5B": AN_EMPTY_PART,
    "LiquidAI--LFM2.5-VL-450M": "it ends a turn only if it has a content",
    "google--shieldgemma-2-4b-it": AN_EMPTY_PART,
    "llama.cpp--rwkv-world": "it writes an empty turn for a content that is missing, and none for an empty one",
    "nvidia--audio-flamingo-3-hf": "it writes an empty turn for a content that is missing, and none for an empty one",
    "llava-hf--LLaVA-NeXT-Video-7B-hf": AN_EMPTY_PART,
    "llava-hf--llava-1.5-7b-hf--axolotl": AN_EMPTY_PART,
    "mistralai--Ministral-3-14B-Reasoning-2512": "it fails at a content that is null",
}
"""Where an empty content gives another prompt than none, as docs/explanation/what-is-normalized.md says."""


def theirs(slug, messages, tools):
    """Return the prompt of transformers; None if the template fails or refuses."""
    vocabulary = tokenizers.Tokenizer(tokenizers.models.WordLevel({"a": 0}, unk_token="a"))
    tokenizer = transformers.PreTrainedTokenizerFast(tokenizer_object=vocabulary)
    arguments = {"tools": tools, "tokenize": False, "add_generation_prompt": True}
    tokens, source = differential.own_template(slug).tokens, differential.maker_source(slug)
    try:
        messages = differential.in_parts(slug, messages)
        return tokenizer.apply_chat_template(messages, chat_template=source, **arguments, **tokens)
    except Exception:
        # A template may crash in any way.
        return None


def ours(slug, messages, tools):
    """Return the prompt of the same template here; None if it fails or refuses."""
    try:
        return differential.own_template(slug).text(messages, tools=tools, add_generation_prompt=True)
    except lect.LectError:
        return None


def with_text_arguments(message):
    """Return a message in which the arguments of its calls are JSON."""
    calls = [
        {**call, "function": {**call["function"], "arguments": json.dumps(call["function"]["arguments"])}}
        for call in message["tool_calls"] or ()
    ]
    return {**message, "tool_calls": calls or None}


@pytest.mark.parametrize("slug", in_turn(differential.entries(), 8))
def test_null_fields_are_absent_as_in_transformers(slug):
    for messages, tools in CHATS.values():
        with_nulls = [{**NULLS, **message} for message in messages]
        expected = theirs(slug, with_nulls, tools)
        if expected is None:
            # Some templates take the arguments of a call only as text, and get them so here.
            expected = theirs(slug, [with_text_arguments(message) for message in with_nulls], tools)
        assert ours(slug, with_nulls, tools) == expected


@pytest.mark.parametrize("slug", in_turn(differential.entries(), 8))
def test_a_content_that_is_null_differs_only_where_that_is_stated(slug):
    messages, tools = CHATS["called"]
    without = [message | {"content": message["content"] or None} for message in messages]
    expected = theirs(slug, without, tools)
    if expected is not None:
        assert (ours(slug, without, tools) == expected) == (slug not in DIFFER_WITHOUT_CONTENT)
