"""The fast path gives what the long way gives, and is not taken where it could not."""

import gc
import sys
from datetime import date

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from made import (
    CHATML,
    DATED,
    FOLDING,
    FULL,
    SHARED,
    TEMPLATES,
    THE_DAY,
    THINKING,
    WHOLE,
    alternating,
    chats,
    slow_twin,
)

from lect import LectError, MessageError
from lect.plugin import Template
from lect.prompt import chat as chat_module
from lect.prompt import skeletons
from lect.prompt.skeletons import LARGEST_TOOLS, LONGEST_CONVERSATION, MOST_SKELETONS

TOOL = {"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}
ODD_TOOLS = (
    None,
    [],
    [TOOL],
    [TOOL, {"name": "<|im_end|>"}],
    (TOOL,),
    [{"bad": {1, 2}}],
    "f",
    ["f"],
    [{"n": 1}],
    [{"n": True}],
    [{"n": 1.0}],
)


def user(content):
    return {"role": "user", "content": content}


def outcome(way, template, messages, **arguments):
    try:
        return way(template, messages, **arguments)
    except LectError as error:
        return type(error), str(error)


def views(template, messages, **arguments):
    rendered = template.render(messages, **arguments)
    assert template.text(messages, **arguments) == rendered.text
    return rendered.text, rendered.segments, rendered.unused, rendered.controls


def counted(template):
    """Return a twin of a template and a list that grows with every run of its program."""
    runs = []

    def program(chat, out):
        runs.append(chat)
        template.program(chat, out)

    looks_for = ("</think>",) if template is THINKING else ()
    return Template(template.name, program, roles=template.roles, bos=template.bos, looks_for=looks_for), runs


def is_fast(template, messages, **arguments):
    """Say whether a conversation is rendered without a run of the program, once its shape was met."""
    twin, runs = counted(template)
    outcome(Template.text, twin, messages, **arguments)
    runs.clear()
    return isinstance(outcome(Template.text, twin, messages, **arguments), str) and not runs


def size(thing):
    """Return how many bytes hang on an object, functions and templates aside."""
    seen, found, total = set(), [thing], 0
    while found:
        each = found.pop()
        if id(each) not in seen and not isinstance(each, type | Template) and not callable(each):
            seen.add(id(each))
            total += sys.getsizeof(each)
            found += gc.get_referents(each)
    return total


@settings(max_examples=300)
@given(st.sampled_from(TEMPLATES), st.one_of(chats(), alternating()), st.booleans(), st.sampled_from(ODD_TOOLS))
@example(FULL, [user("\n text 0 \n"), {"role": "assistant", "content": "\n text 0 \n"}], True, None)
def test_both_ways_give_one_result(template, messages, generate, tools):
    twin = slow_twin(template)
    # Twice: the first time makes the shape, the second finds it.
    for _ in range(2):
        assert outcome(views, template, messages, tools=tools, add_generation_prompt=generate) == outcome(
            views, twin, messages, tools=tools, add_generation_prompt=generate
        )


@given(alternating(st.text(" \n\tx", max_size=3)))
def test_texts_of_white_space_alone_go_the_right_way(messages):
    for template in (WHOLE, SHARED, FOLDING):
        assert outcome(views, template, messages) == outcome(views, slow_twin(template), messages)


@pytest.mark.parametrize("template", TEMPLATES, ids=repr)
@pytest.mark.parametrize("generate", [True, False])
def test_the_fast_path_is_taken_for_plain_conversations(template, generate):
    messages = [user("\0"), {"role": "assistant", "content": "<|im_end|>"}, user(" x ")]
    assert is_fast(template, messages, add_generation_prompt=generate)
    assert is_fast(template, tuple(messages), add_generation_prompt=generate)
    assert is_fast(template, messages, tools=[TOOL], add_generation_prompt=generate)


@pytest.mark.parametrize(
    ("template", "messages"),
    [
        (CHATML, [user("")]),
        (CHATML, [user("x"), {"role": "assistant", "content": ""}]),
        (SHARED, [user(" \n")]),
        (THINKING, [user("x"), {"role": "assistant", "content": "a</think>b"}]),
        (CHATML, [user("x")] * (LONGEST_CONVERSATION + 1)),
        (CHATML, [{"role": "user", "content": "x", "name": "n"}]),
        (CHATML, [{"role": "user"}]),
        (CHATML, [user([{"type": "text", "text": "x"}])]),
        (CHATML, [user(None)]),
        (CHATML, [{"role": "developer", "content": [{"type": "text", "text": "x"}]}, user("x")]),
    ],
    ids=lambda value: repr(value)[:60],
)
def test_the_fast_path_leaves_what_it_cannot_do(template, messages):
    assert is_fast(template, [user("x")])
    assert not is_fast(template, messages)
    for _ in range(2):
        assert outcome(views, template, messages) == outcome(views, slow_twin(template), messages)


@pytest.mark.parametrize("options", [{"date": THE_DAY}, {"bos_token": ""}, {"strict": True}], ids=repr)
def test_the_fast_path_leaves_options_to_the_program(options):
    template = FULL if "bos_token" in options else DATED
    for _ in range(2):
        assert template.text([user("x")], **options) == slow_twin(template).text([user("x")], **options)


@pytest.mark.parametrize("content", [5, 0, True, b"x", {"a": 1}, ["x"], 1.5, {1, 2}, object], ids=repr)
@pytest.mark.parametrize("role", ["user", "developer"])
def test_wrong_content_is_one_error_on_both_ways_whether_it_would_be_written_or_not(role, content):
    messages = [{"role": role, "content": content}, user("x")]
    results = {
        outcome(way, template, messages)
        for template in (CHATML, slow_twin(CHATML))
        for way in (Template.text, Template.render)
    }
    ((kind, said),) = results
    assert kind is MessageError
    assert said.startswith("messages[0].content")


@pytest.mark.parametrize("role", [["user"], "nobody", 1, None, {}, (), ("user",), b"user"], ids=repr)
def test_an_odd_role_is_one_error_on_both_ways(role):
    messages = [user("x"), {"role": role, "content": "x"}]
    results = {
        outcome(way, template, messages)
        for template in (CHATML, slow_twin(CHATML))
        for way in (Template.text, Template.render)
    }
    assert [kind for kind, _ in results] == [MessageError]


@pytest.mark.parametrize(
    ("one", "other"),
    [(1, True), (1, 1.0), (0, False), ("1", 1), ([1], (1, 2)), ({"a": 1, "b": 2}, {"b": 2, "a": 1})],
    ids=repr,
)
def test_tools_that_only_look_alike_are_told_apart(one, other):
    for value in (one, other, one):
        assert FULL.text([user("x")], tools=[{"v": value}]) == slow_twin(FULL).text([user("x")], tools=[{"v": value}])


@pytest.mark.parametrize("odd", [None, 2, "yes", [], 0, 1], ids=repr)
def test_any_value_may_say_whether_to_generate(odd):
    assert CHATML.text([user("x")], add_generation_prompt=odd) == slow_twin(CHATML).text(
        [user("x")], add_generation_prompt=odd
    )


def test_a_new_day_gives_a_new_date(monkeypatch):
    for day in (THE_DAY, THE_DAY, date(2024, 7, 27), date(2025, 1, 1)):
        monkeypatch.setattr(chat_module, "today", lambda day=day: day)
        monkeypatch.setattr(skeletons, "today", lambda day=day: day)
        assert DATED.text([user("x")]).startswith(f"Today is {day}.\n")
        assert DATED.render([user("x")]).text == DATED.text([user("x")])
        assert is_fast(DATED, [user("x")])


def test_what_is_remembered_stays_bounded():
    template, _ = counted(CHATML)
    sizes = []
    for number in range(4 * MOST_SKELETONS):
        messages = [{"role": "user" if number >> bit & 1 else "assistant", "content": "x"} for bit in range(10)]
        template.text(messages)
        template.text(messages, add_generation_prompt=True)
        template.text([user("x")], tools=[{"name": f"f{number}"}])
        if number % 50 == 49:
            sizes.append(size(template._skeletons))
    assert max(sizes) < 2 * max(sizes[: len(sizes) // 4])


def test_nothing_large_is_remembered():
    template, _ = counted(CHATML)
    template.text([user("x")])
    before = size(template._skeletons)
    template.text([user("x" * 100_000)])
    template.text([user("x")], tools=[{"name": "f" * LARGEST_TOOLS}])
    template.text([user("x")] * (LONGEST_CONVERSATION + 1))
    with pytest.raises(MessageError):
        template.text([{"role": "r" * 100_000, "content": "x"}])
    assert size(template._skeletons) == before


def test_a_program_that_does_more_with_texts_than_write_them_goes_the_long_way():
    def program(chat, out):
        out += [message.content.upper() for message in chat.messages]

    template = Template("loud", program, looks_for=())
    assert not is_fast(template, [user("x")])
    assert template.text([user("x")]) == template.render([user("x")]).text == "X"


def test_a_program_with_a_fault_raises_its_own_error_every_time():
    def program(chat, out):
        raise KeyError("mine")

    template = Template("faulty", program, looks_for=())
    for _ in range(2):
        with pytest.raises(KeyError, match="mine"):
            template.text([user("x")])
