"""Calls and their results, for every template that is installed: no id is made twice, and no result stands under
another call in silence."""

import re
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from installed_templates import installed
from together import together

import lect
from lect import LectError, UnusedInputError
from lect.plugin import normalize

TEMPLATES = {name: each for name, each in installed().items() if "tools" in each.capabilities}
NAMES = ("alpha", "gamma")
TOOLS = [
    {
        "type": "function",
        "function": {
            "name": name,
            "description": "d",
            "parameters": {"type": "object", "properties": {"x": {"type": "integer"}}},
        },
    }
    for name in NAMES
]
QUESTION = {"role": "user", "content": "Hi"}
every_template = together("name", TEMPLATES)


def calling(template, *names, first=0):
    """Return an answer with calls, with ids that the format can write."""
    spell = template.reply.id_of if template.reply else "call_{1}".format
    calls = [
        {"id": spell(name, first + at), "type": "function", "function": {"name": name, "arguments": {"x": at}}}
        for at, name in enumerate(names)
    ]
    return {"role": "assistant", "content": "", "tool_calls": calls}


def results(*ids):
    return [{"role": "tool", "content": f"result {at}", "tool_call_id": each} for at, each in enumerate(ids)]


def text_of(template, messages):
    try:
        return template.text(messages, tools=TOOLS)
    except LectError:
        return None


@every_template
def test_no_two_replies_share_the_ids_that_were_made_up_for_their_calls(name):
    template = TEMPLATES[name]
    try:
        said = template.reply_text([QUESTION, calling(template, "alpha")], tools=TOOLS).text
    except LectError:
        pytest.skip("the format cannot write a call")
    replies = [template.parse(said, tools=TOOLS) for _ in range(2)]
    one, other = ([call.id for call in reply.tool_calls] for reply in replies)
    assert replies[0] == replies[1]
    if not one:
        pytest.skip("nothing is known about its replies")
    if "{name}" in template.reply.ids or one[0] in said:
        assert one == other  # The model's own.
    else:
        assert set(one).isdisjoint(other)
    if template.reply.name.startswith("mistral"):
        assert all(re.fullmatch("[A-Za-z0-9]{9}", each) for each in one + other)


@every_template
def test_an_id_that_two_calls_share_is_told(name):
    template = TEMPLATES[name]
    called = calling(template, "alpha")
    conversation = [QUESTION, called, *results(called["tool_calls"][0]["id"])] * 2
    try:
        prompt = template.render(conversation, tools=TOOLS)
    except LectError:
        pytest.skip("the format refuses it")
    repeated = [unused.path for unused in prompt.unused if unused.why == "repeated"]
    assert repeated == [("messages", 4, "tool_calls", 0, "id")]
    with pytest.raises(UnusedInputError, match="an earlier call has the same id"):
        template.render(conversation, tools=TOOLS, strict=True)


@every_template
def test_a_result_under_another_call_is_told_unless_its_id_says_whose_it_is(name):
    template = TEMPLATES[name]
    one_answer, one_each = (
        [calling(template, *NAMES)],
        [calling(template, each, first=at) for at, each in enumerate(NAMES)],
    )
    answers = one_answer if text_of(template, [QUESTION, *one_answer]) else one_each
    ids = [call["id"] for called in answers for call in called["tool_calls"]]
    in_order, swapped = ([QUESTION, *answers, *results(*order)] for order in (ids, ids[::-1]))
    try:
        prompt = template.render(swapped, tools=TOOLS)
    except LectError:
        pytest.skip("the format refuses it")
    misplaced = [unused.path for unused in prompt.unused if unused.why == "order"]
    if misplaced:
        assert misplaced == [("messages", at, "tool_call_id") for at in range(len(answers) + 1, len(swapped))]
        assert prompt.text == text_of(template, in_order)
        sorted_messages, _ = normalize(swapped, TOOLS, sort_results=True)
        right = template.render(sorted_messages, tools=TOOLS)
        assert not any(unused.why == "order" for unused in right.unused)
        with pytest.raises(UnusedInputError) as refused:
            template.render(swapped, tools=TOOLS, strict=True)
        assert "order" in {unused.why for unused in refused.value.unused}
    else:
        assert prompt.text != text_of(template, in_order)


@together("name, order", [(name, order) for name in TEMPLATES for order in permutations(range(3))])
def test_a_fitted_result_follows_its_call_unless_its_id_is_written_or_it_is_told(name, order):
    template = TEMPLATES[name]
    called = calling(template, "alpha", "gamma", "alpha")
    ids = [call["id"] for call in called["tool_calls"]]
    fitted = template.fit([QUESTION, called, *results(*(ids[at] for at in order))], TOOLS)
    waiting = []
    for at, message in enumerate(fitted.messages):
        waiting += [call["id"] for call in message.get("tool_calls", ())]
        if message["role"] == "tool" and not fitted.left:
            in_place = {**message, "tool_call_id": waiting.pop(0)}
            if in_place != message:
                others = [*fitted.messages[:at], in_place, *fitted.messages[at + 1 :]]
                assert text_of(template, others) != fitted.prompt.text


@given(st.lists(st.sampled_from("abcx"), max_size=6), st.permutations("abc"))
def test_results_are_sorted_by_their_calls_and_none_is_lost(answered, order):
    calls = [{"id": each, "type": "function", "function": {"name": "f", "arguments": {}}} for each in order]
    messages = [QUESTION, {"role": "assistant", "content": "", "tool_calls": calls}, *results(*answered), QUESTION]
    right, _ = normalize(messages, sort_results=True)
    found = [each["tool_call_id"] for each in right[2:-1]]
    assert found == sorted(answered, key=[*order, "x"].index)
    assert right[:2] == messages[:2]
    assert right[-1] == QUESTION
    assert sorted(map(str, right)) == sorted(map(str, messages))


def test_messages_of_any_shape_can_be_sorted():
    odd = [None, {"role": "tool"}, {"role": "assistant", "tool_calls": "x"}, {"role": "tool", "tool_call_id": []}]
    for count in range(len(odd) + 1):
        assert lect.prompt.normalize.sorted_results(odd[:count]) == odd[:count]
