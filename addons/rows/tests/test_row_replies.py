"""Answers that a row has as a model wrote them: `parse_assistant` of `lect.row` and `lect.messages`."""

import pytest

import lect
from lect import MessageError
from lect_rows.replies import TAGS

QUESTION = {"role": "user", "content": "What color is the sky?"}
ANSWER = {"role": "assistant", "content": "It is blue."}
TOOL = {"type": "function", "function": {"name": "get_weather", "parameters": {"type": "object"}}}
CALL = {"type": "function", "function": {"name": "get_weather", "arguments": {"city": "Paris"}}}
THOUGHT = "<think>\nIt is day.\n</think>\n\nIt is blue."
CALLS = '<think>\nAsk.\n</think>\n\nLet me see.\n<tool_call>\n{"name": "get_weather", "arguments": {"city": "Paris"}}\n</tool_call>'


def answers(*texts):
    turns = [({"from": "human", "value": "Q"}, {"from": "gpt", "value": text}) for text in texts]
    return {"conversations": [turn for pair in turns for turn in pair]}


@pytest.mark.parametrize("how", [True, "think", lect.template("chatml").but(reply=TAGS)], ids=str)
def test_reasoning_in_tags_is_parsed(how):
    expected = {**ANSWER, "reasoning_content": "It is day."}
    assert lect.messages(answers(THOUGHT), parse_assistant=how)[1] == expected
    pair = {"prompt": [QUESTION], "chosen": THOUGHT, "rejected": "No"}
    assert lect.row(pair, parse_assistant=how).chosen == [expected]


def test_calls_in_tags_are_parsed_with_the_tools_of_the_row():
    read = lect.row({**answers(CALLS), "tools": [TOOL]}, parse_assistant=True)
    parts = {"content": "Let me see.", "reasoning_content": "Ask.", "tool_calls": [CALL]}
    assert read.messages[1] == {"role": "assistant", **parts}


def test_a_call_alone_has_null_content_and_quotes_are_repaired():
    # As NousResearch/hermes-function-calling-v1 has them.
    text = "<tool_call>\n{'arguments': {'city': 'Paris'}, 'name': 'get_weather'}\n</tool_call>"
    assert lect.messages(answers(text), parse_assistant=True)[1] == {
        "role": "assistant",
        "content": None,
        "tool_calls": [CALL],
    }


def test_other_fields_of_a_parsed_message_stay_and_others_are_not_parsed():
    data = {"messages": [{"role": "user", "content": THOUGHT}, {"role": "assistant", "content": THOUGHT, "weight": 0}]}
    read = lect.row(data, parse_assistant=True)
    assert read.messages[0] == data["messages"][0]
    assert read.messages[1] == {**ANSWER, "weight": 0, "reasoning_content": "It is day."}
    assert read.weights == [None, 0.0]
    assert lect.row(data).messages == data["messages"]


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ("<think>cut off", "the reply ends inside reasoning"),
        ("sampled</think>It is blue.", "'</think>' closes something that was never opened"),
        ('<tool_call>{"name": "f", "arguments": {"x": 1', "the reply ends inside a call"),
        ('A <tool_call>{"name": "f", "arguments": {}}</tool_call> B', "there is text after a call"),
    ],
)
def test_the_error_for_a_reply_names_row_and_message(answer, said):
    with pytest.raises(MessageError, match=rf"row 4: messages\[3\]\.content .*{said}"):
        lect.row(answers("Hi", answer), row=4, parse_assistant=True)


def test_parts_that_are_given_twice_are_refused():
    for fields in ({"reasoning_content": "Because."}, {"tool_calls": [CALL]}):
        with pytest.raises(MessageError, match=r"and the message has too"):
            lect.row([QUESTION, {"role": "assistant", "content": CALLS, **fields}], parse_assistant=True)


def test_text_after_a_stop_is_refused():
    assert lect.messages(answers("Hi<|im_end|>\n"), parse_assistant="think")[1]["content"] == "Hi"
    with pytest.raises(MessageError, match=r"there is text after the stop '<\|im_end\|>'"):
        lect.row(answers("Hi<|im_end|>\nuser"), parse_assistant="think")
