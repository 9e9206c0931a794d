"""How large a request may be: limits with names, one error for all, and how to raise each."""

import pytest

import lect
from lect.errors import LimitError
from lect.plugin import CHATML, Template

USER = {"role": "user", "content": "x"}


def nested(depth):
    value = "x"
    for _ in range(depth):
        value = {"a": value}
    return value


def program(chat, out):
    for message in out.turns(chat.messages):
        out += message.role, ": ", message.content, "\n"
        for call in message.tool_calls:
            out.append(chat.arguments(call))
    for index, tool in enumerate(chat.tools):
        out.append(chat.json(tool, "tools", index))


FULL = Template("full", program, options=["x"], markers=["<|m|>"])
OVER = {
    "messages": {"messages": [USER] * 5},
    "tools": {"messages": [USER], "tools": [{"name": "f"}] * 5},
    "depth": {"messages": [USER], "tools": [{"name": "f", "extra": nested(5)}]},
    "bytes": {"messages": [{"role": "user", "content": "x" * 5}]},
}
WAYS = pytest.mark.parametrize("way", [FULL.text, FULL.render], ids=["text", "render"])


@WAYS
@pytest.mark.parametrize("name", OVER)
def test_exceeding_a_limit_is_one_error_that_names_it_and_says_how_to_raise_it(way, name):
    assert way(**OVER[name])
    with pytest.raises(LimitError, match=rf"\n  try: .*limits={{'{name}': \.\.\.}}") as caught:
        way(**OVER[name], limits={name: 4})
    assert (caught.value.limit, caught.value.most) == (name, 4)
    assert way(**OVER[name], limits={name: 100})
    assert way(**OVER[name], limits={})


@pytest.mark.parametrize("name", ["message", "tool"])
def test_one_is_singular_in_the_message(name):
    with pytest.raises(LimitError, match=f"^there is 1 {name}; at most 0 are allowed"):
        FULL.text([USER], tools=[{"name": "f"}], limits={f"{name}s": 0})


@WAYS
@pytest.mark.parametrize(
    "deep",
    [
        {"messages": [{"role": "assistant", "content": "", "tool_calls": [{"name": "f", "arguments": nested(99)}]}]},
        {"messages": [{**USER, "metadata": nested(99)}]},
        {"messages": [USER], "tools": [{"name": "f", "extra": nested(99)}]},
        {"messages": [USER], "x": nested(99)},
    ],
    ids=["arguments", "field", "tool", "option"],
)
def test_deeper_nesting_may_be_allowed(way, deep):
    for _ in range(3):
        with pytest.raises(LimitError, match=r"is nested more than 64 deep\n"):
            way(**deep)
        assert way(**deep, limits={"depth": 120})


def test_arguments_in_json_text_are_limited_in_depth_too():
    call = {"name": "f", "arguments": '{"a":' * 99 + "1" + "}" * 99}
    messages = [{"role": "assistant", "content": "", "tool_calls": [call]}]
    for way in (FULL.text, FULL.render):
        with pytest.raises(LimitError, match=r"^messages\[0\]\.tool_calls\[0\]\.arguments is nested more than 64 deep"):
            way(messages)
        assert way(messages, limits={"depth": 120})


def test_a_prompt_is_measured_in_utf8():
    messages = [{"role": "user", "content": "字" * 10}]
    assert len(FULL.text(messages, limits={"bytes": 37}).encode()) == 37
    with pytest.raises(LimitError, match=r"^the prompt has 37 bytes; at most 36 are allowed"):
        FULL.text(messages, limits={"bytes": 36})


def test_the_default_limits_always_apply():
    conversation = lect.Conversation(CHATML, messages=[["user", ""]] * 100_001)
    for way in (
        lambda: CHATML.text([USER] * 100_001),
        lambda: CHATML.render([USER] * 100_001),
        conversation.get_prompt,
    ):
        with pytest.raises(LimitError, match=r"^there are 100,001 messages; at most 100,000 are allowed"):
            way()
    long = "x" * (64 * 2**20)
    conversation = lect.Conversation(CHATML, messages=[["user", long]])
    for way in (lambda: CHATML.text([{"role": "user", "content": long}]), conversation.get_prompt):
        for _ in range(3):
            with pytest.raises(LimitError, match=r"^the prompt has 67,\d+,\d+ bytes; at most 67,108,864 are allowed"):
                way()


def test_more_controls_than_are_listed_are_not_refused():
    messages = [{"role": "user", "content": "<|m|>" * 5}]
    prompt = FULL.render(messages, limits={"controls": 3})
    assert (len(prompt.controls), prompt.more_controls) == (3, True)
    assert (len(FULL.render(messages).controls), FULL.render(messages).more_controls) == (5, False)


@pytest.mark.parametrize(
    ("limits", "said"),
    [
        (5, r"limits is 5 (int); expected a mapping such as {'messages': 100000}"),
        ({"message": 5}, "there is no limit 'message'\n  try: one of messages, tools, depth, bytes, controls"),
        ({5: 5}, "there is no limit 5\n"),
        ({"tools": "many"}, "limits['tools'] is 'many' (str); expected a number"),
        ({"tools": -1}, "limits['tools'] is -1 (int); expected a number"),
        ({"depth": 10**9}, "limits['depth'] is 1000000000 (int); expected at most 200"),
    ],
)
@WAYS
def test_a_wrong_limit_is_one_error(way, limits, said):
    with pytest.raises(lect.MessageError) as caught:
        way([USER], limits=limits)
    assert str(caught.value).startswith(said)
