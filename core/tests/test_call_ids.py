"""Ids of calls that were made elsewhere, in the spelling that a family's template can write."""

from copy import deepcopy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lect.format.call_ids import respelled
from lect.reply.grammar import Grammar

NAMED = Grammar("named", ids="functions.{name}:{index}")
NINE = Grammar("nine", ids="call{index:05}")
FREE = Grammar("free")

names = st.sampled_from(["f", "get_weather", "a.b-c", "{index}"])
ids = st.sampled_from([None, "x", "call_0", "call_1", "abcdefghi", "functions.f:0", "functions.f:7", "call00000"])


def call(name, given=None):
    return {"type": "function", "function": {"name": name, "arguments": {}}} | ({} if given is None else {"id": given})


def calling(*calls):
    return {"role": "assistant", "content": "", "tool_calls": list(calls)}


def result(given=None):
    return {"role": "tool", "content": "r"} | ({} if given is None else {"tool_call_id": given})


@st.composite
def conversations(draw):
    """Return a conversation, and for each result the place of its call; each call is answered at most once."""
    messages, asked = [{"role": "user", "content": "Hi"}], {}
    for _ in range(draw(st.integers(1, 4))):
        given = draw(st.lists(ids, min_size=1, max_size=3, unique=True))
        at = len(messages)
        messages.append(calling(*(call(draw(names), each) for each in given)))
        bare = None in given or draw(st.booleans())
        order = range(len(given)) if bare else draw(st.permutations(range(len(given))))
        for number in order[: draw(st.integers(0, len(given)))]:
            asked[len(messages)] = at, number
            messages.append(result(None if bare else given[number]))
        messages.append({"role": "assistant", "content": "ok"})
    return messages, asked


@given(conversations(), st.sampled_from([NAMED, NINE, FREE]))
def test_results_follow_their_calls_and_nothing_else_changes(drawn, grammar):
    messages, asked = drawn
    before = deepcopy(messages)
    after = respelled(messages, grammar)
    assert messages == before
    assert respelled(after, grammar) is after
    for at, (turn, number) in asked.items():
        old, new = (each[turn]["tool_calls"][number].get("id") for each in (messages, after))
        assert after[at].get("tool_call_id") == (messages[at].get("tool_call_id") if old == new else new)
    for old, new in zip(messages, after, strict=True):
        assert old | {"tool_calls": 0, "tool_call_id": 0} == new | {"tool_calls": 0, "tool_call_id": 0}
        calls = zip(old.get("tool_calls", ()), new.get("tool_calls", ()), strict=True)
        assert all(one | {"id": 0} == other | {"id": 0} for one, other in calls)


@given(conversations(), st.sampled_from([NAMED, NINE]))
def test_the_beginning_of_a_conversation_has_the_ids_of_the_whole(drawn, grammar):
    messages, _ = drawn
    after = respelled(messages, grammar)
    assert all(respelled(messages[:end], grammar) == after[:end] for end in range(len(messages)))


def test_foreign_ids_are_counted_over_the_conversation():
    messages = [
        calling(call("f", "call_a"), call("g", "call_b")),
        result("call_b"),
        result("call_a"),
        calling(call("f", "call_a")),
        result("call_a"),
        result("call_b"),
    ]
    after = respelled(messages, NAMED)
    written = [[each["id"] for each in message.get("tool_calls", ())] for message in after]
    assert written == [["functions.f:0", "functions.g:1"], [], [], ["functions.f:2"], [], []]
    assert [message.get("tool_call_id") for message in after] == [
        None, "functions.g:1", "functions.f:0", None, "functions.f:2", "functions.g:1",
    ]  # fmt: skip
    assert respelled(messages, NINE)[3]["tool_calls"][0]["id"] == "call00002"


@pytest.mark.parametrize(
    ("grammar", "own"), [(NAMED, "functions.f:7"), (NINE, "abcdefghi"), (FREE, "call_x"), (None, None)]
)
def test_ids_that_a_template_can_write_are_kept(grammar, own):
    messages = [calling(call("f", own)), result(own)]
    assert respelled(messages, grammar) is messages


def test_an_id_with_the_name_of_another_function_is_foreign():
    (after,) = respelled([calling(call("f", "functions.g:0"))], NAMED)
    assert after["tool_calls"][0]["id"] == "functions.f:0"


def test_results_without_an_id_follow_by_order():
    after = respelled([calling(call("f", "x"), call("g", "y")), result(), result("z"), result("w")], NAMED)
    assert [each.get("tool_call_id") for each in after] == [None, "functions.f:0", "functions.g:1", "w"]


@pytest.mark.parametrize("calls", [7, "x", [7], [{"id": 7, "function": {"name": "f"}}], [{"function": 7}], [{}], {}])
def test_malformed_calls_are_left_to_those_who_report_them(calls):
    messages = ["Hi", {"role": "assistant", "tool_calls": calls}, {"role": "tool", "tool_call_id": 7}]
    assert respelled(messages, NAMED) is messages
