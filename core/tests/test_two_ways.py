"""A table's loop gives what its program gives, and leaves to it what is more than roles and texts; `text` and `render`
take and refuse the same."""

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
    WHOLE,
    alternating,
    by_program,
    chats,
)
from together import together

from lect import LectError, MessageError
from lect.plugin import Template, Turn, TurnTemplate
from lect.prompt import chat as chat_module

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
ROLES = {"s": "system", "u": "user", "a": "assistant"}
ASCII = TurnTemplate("ascii", user=Turn("<u>", "</u>"), assistant=Turn("<a>", "</a>"))
WIDE = TurnTemplate("wide", user=Turn("<｜u｜>", "\n"), assistant=Turn("<｜a｜>", "\n"))
"""Neither has a place for a system text."""


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


@settings(max_examples=300)
@given(st.sampled_from(TEMPLATES), st.one_of(chats(), alternating()), st.booleans(), st.sampled_from(ODD_TOOLS))
@example(FULL, [user("\n text 0 \n"), {"role": "assistant", "content": "\n text 0 \n"}], True, None)
def test_text_render_the_loop_and_the_program_give_the_same_result(template, messages, generate, tools):
    arguments = {"tools": tools, "add_generation_prompt": generate}
    assert outcome(views, template, messages, **arguments) == outcome(
        views, by_program(template), messages, **arguments
    )


@pytest.mark.parametrize("wrong", [set(), "", {}], ids=repr)
@pytest.mark.parametrize("template", TEMPLATES, ids=repr)
def test_what_is_no_list_is_refused_though_it_is_empty(template, wrong):
    with pytest.raises(MessageError, match="messages is"):
        template.text(wrong)


@given(alternating(st.text(" \n\tx", max_size=3)))
def test_texts_of_only_white_space_are_rendered_correctly(messages):
    for template in (WHOLE, SHARED, FOLDING):
        assert outcome(views, template, messages) == outcome(views, by_program(template), messages)


@pytest.mark.parametrize("options", [{"date": THE_DAY}, {"bos_token": ""}, {"strict": True}], ids=repr)
def test_options_take_effect_in_both_ways(options):
    template = FULL if "bos_token" in options else DATED
    assert template.text([user("x")], **options) == template.render([user("x")], **options).text
    table = WHOLE.text([user("x")], bos_token="")
    assert table == by_program(WHOLE).text([user("x")], bos_token="")


@pytest.mark.parametrize("content", [5, 0, True, b"x", {"a": 1}, ["x"], 1.5, {1, 2}, object], ids=repr)
@pytest.mark.parametrize("role", ["user", "developer"])
def test_wrong_content_is_one_error_in_both_ways_whether_it_would_be_written_or_not(role, content):
    messages = [{"role": role, "content": content}, user("x")]
    results = {
        outcome(way, template, messages)
        for template in (CHATML, by_program(CHATML))
        for way in (Template.text, Template.render)
    }
    ((kind, said),) = results
    assert kind is MessageError
    assert said.startswith("messages[0].content")


@pytest.mark.parametrize("role", [["user"], "nobody", 1, None, {}, (), ("user",), b"user", "user\0assistant"], ids=repr)
def test_an_odd_role_is_one_error_in_both_ways(role):
    messages = [user("x"), {"role": role, "content": "x"}]
    results = {
        outcome(way, template, messages)
        for template in (CHATML, by_program(CHATML))
        for way in (Template.text, Template.render)
    }
    assert [kind for kind, _ in results] == [MessageError]


@pytest.mark.parametrize(
    ("one", "other"),
    [(1, True), (1, 1.0), (0, False), ("1", 1), ([1], (1, 2)), ({"a": 1, "b": 2}, {"b": 2, "a": 1})],
    ids=repr,
)
def test_tools_that_only_look_alike_are_told_apart(one, other):
    written = [FULL.text([user("x")], tools=[{"v": value}]) for value in (one, other, one)]
    assert written[0] == written[2] != written[1]


@pytest.mark.parametrize("odd", [None, 2, "yes", [], 0, 1], ids=repr)
def test_add_generation_prompt_may_be_any_value(odd):
    for template in (CHATML, by_program(CHATML)):
        assert template.text([user("x")], add_generation_prompt=odd) == CHATML.text(
            [user("x")], add_generation_prompt=bool(odd)
        )


def test_a_new_day_gives_a_new_date(monkeypatch):
    for day in (THE_DAY, THE_DAY, date(2024, 7, 27), date(2025, 1, 1)):
        monkeypatch.setattr(chat_module, "today", lambda day=day: day)
        assert DATED.text([user("x")]).startswith(f"Today is {day}.\n")
        assert DATED.render([user("x")]).text == DATED.text([user("x")])


@together("template", [ASCII, WIDE], ids=repr)
@together("wrong", [5, 0, None, b"x", ["x"], {"a": 1}, "", " ", "\ud800", "é", "中文", "👩‍🚀", "\0"], ids=repr)
@together("place", [0, 1, 2, 3])
def test_the_loop_accepts_nothing_that_the_program_refuses(template, wrong, place):
    good = [{"role": ROLES[letter], "content": text} for letter, text in zip("suau", "abcd", strict=True)]
    for changed in (
        {**good[place], "content": wrong},
        {**good[place], "name": "n"},
        {"role": "user"},
        {"role": "nobody", "content": "x"},
        wrong,
    ):
        messages = [*good[:place], changed, *good[place + 1 :]]
        assert outcome(views, template, messages) == outcome(views, by_program(template), messages)
