"""The fast path gives what the long way gives, and is not taken where it would not."""

import contextlib
import gc
import re
import sys
from datetime import date

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from made import (
    BARE,
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
    plain_chats,
    slow_twin,
)

from lect import LectError, MessageError, PluginError
from lect.errors import TemplateWarning
from lect.plugin import Template
from lect.prompt import chat as chat_module
from lect.prompt import skeletons
from lect.prompt.skeletons import LARGEST_SHAPE, LONGEST_CONVERSATION, MOST_MISSES, MOST_SKELETONS
from lect.prompt.watched import Watch

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
    made = Template(
        template.name, program, roles=template.roles, bos=template.bos, accepts=template.accepts, looks_for=looks_for
    )
    return made, runs


def is_fast(template, messages, **arguments):
    """Say whether a conversation is rendered without a run of the program, once its shape was met and checked twice."""
    twin, runs = counted(template)
    for _ in range(3):
        outcome(Template.text, twin, messages, **arguments)
    runs.clear()
    return isinstance(outcome(Template.text, twin, messages, **arguments), str) and not runs


def size(thing):
    """Return how many bytes an object keeps alive, except functions and templates."""
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
def test_the_fast_path_and_the_long_way_give_the_same_result(template, messages, generate, tools):
    twin = slow_twin(template)
    # The shape is met, then learnt, then used.
    for _ in range(3):
        assert outcome(views, template, messages, tools=tools, add_generation_prompt=generate) == outcome(
            views, twin, messages, tools=tools, add_generation_prompt=generate
        )


@pytest.mark.parametrize("template", TEMPLATES, ids=repr)
def test_a_role_that_spells_two_is_refused_as_any_unknown_role_is(template):
    for _ in range(4):
        template.text([user("x"), {"role": "assistant", "content": "y"}])
        with pytest.raises(MessageError, match="role"):
            template.text([{"role": "user\0assistant", "content": "x"}])
    # As many texts as the shape has, but not the same roles.
    with pytest.raises(MessageError, match="role"):
        template.text([{"role": "user\0assistant", "content": "x"}, {"role": "", "content": "y"}])


@pytest.mark.parametrize("wrong", [set(), "", {}], ids=repr)
def test_what_is_no_list_is_refused_however_often_an_empty_one_was_met(wrong):
    for _ in range(4):
        CHATML.text([])
        with pytest.raises(MessageError, match="messages is"):
            CHATML.text(wrong)


@given(alternating(st.text(" \n\tx", max_size=3)))
def test_texts_of_only_white_space_are_rendered_correctly(messages):
    for template in (WHOLE, SHARED, FOLDING):
        assert outcome(views, template, messages) == outcome(views, slow_twin(template), messages)


@pytest.mark.parametrize("template", TEMPLATES, ids=repr)
@pytest.mark.parametrize("generate", [True, False])
def test_the_fast_path_is_taken_for_plain_conversations(template, generate):
    messages = [user("\0"), {"role": "assistant", "content": "<|im_end|>"}, user(" x ")]
    assert is_fast(template, messages, add_generation_prompt=generate)
    assert is_fast(template, tuple(messages), add_generation_prompt=generate)
    assert is_fast(template, messages, mood="good", add_generation_prompt=generate)


@pytest.mark.parametrize("content", ["", None, "Look."])
@pytest.mark.parametrize("arguments", [{}, {"x": 1}, "", '{"x": [1, "y"]}', None], ids=repr)
def test_calls_results_and_tools_are_written_by_the_program(content, arguments):
    template, runs = counted(FULL)
    call = {"id": "a", "type": "function", "function": {"name": "f", "arguments": arguments}}
    messages = [
        user("x"),
        {"role": "assistant", "content": content, "reasoning_content": "r", "tool_calls": [call, {**call, "id": "b"}]},
        {"role": "tool", "tool_call_id": "a", "name": "f", "content": "21"},
    ]
    for count in range(1, 5):
        assert template.text(messages, tools=[TOOL]) == slow_twin(FULL).text(messages, tools=[TOOL])
        assert len(runs) == count


def test_shapes_that_never_repeat_are_hardly_looked_up_and_one_that_does_is_learnt_all_the_same():
    template, runs = counted(CHATML)
    for number in range(3 * MOST_MISSES):
        template.text([{"role": "user" if number >> bit & 1 else "assistant", "content": "x"} for bit in range(10)])
    looked_up = len(template._skeletons._met)
    assert looked_up < 2 * MOST_MISSES
    for _ in range(100):
        template.text([user("x")])
    before = len(runs)
    template.text([user("x")])
    assert len(runs) == before


def test_a_shape_is_learnt_when_it_is_met_for_the_second_time():
    template, runs = counted(CHATML)
    template.text([user("x")])
    assert len(runs) == 1
    # To learn it, and to compare the first and the second use.
    for total in (3, 4, 4, 5, 5, 5, 5, 6, 6):
        template.text([user("y")])
        assert len(runs) == total


@pytest.mark.parametrize(
    ("template", "messages"),
    [
        (BARE, [user("")]),
        (BARE, [user("x"), {"role": "assistant", "content": ""}]),
        (SHARED, [{"role": "system", "content": " \n"}]),
        (THINKING, [user("x"), {"role": "assistant", "content": "a</think>b"}]),
        (CHATML, [user("x")] * (LONGEST_CONVERSATION + 1)),
        (CHATML, [{"role": "user", "content": "x", "name": "n" * 1000}]),
        (CHATML, [{"role": "user", "content": "x", "number": 5}]),
        (CHATML, [user([{"type": "text", "text": "x"}])]),
        (CHATML, [user(None)]),
        (CHATML, [{"role": "developer", "content": [{"type": "text", "text": "x"}]}, user("x")]),
    ],
    ids=lambda value: repr(value)[:60],
)
def test_the_fast_path_is_not_taken_for_what_it_cannot_do(template, messages):
    assert is_fast(template, [user("x")])
    assert not is_fast(template, messages)
    for _ in range(2):
        assert outcome(views, template, messages) == outcome(views, slow_twin(template), messages)


@pytest.mark.parametrize("options", [{"date": THE_DAY}, {"bos_token": ""}, {"strict": True}], ids=repr)
def test_options_take_effect_on_both_paths(options):
    template = FULL if "bos_token" in options else DATED
    for _ in range(4):
        assert template.text([user("x")], **options) == slow_twin(template).text([user("x")], **options)


@pytest.mark.parametrize("content", [5, 0, True, b"x", {"a": 1}, ["x"], 1.5, {1, 2}, object], ids=repr)
@pytest.mark.parametrize("role", ["user", "developer"])
def test_wrong_content_is_one_error_on_both_paths_whether_it_would_be_written_or_not(role, content):
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
def test_an_odd_role_is_one_error_on_both_paths(role):
    messages = [user("x"), {"role": role, "content": "x"}]
    results = {
        outcome(way, template, messages)
        for template in (CHATML, slow_twin(CHATML))
        for way in (Template.text, Template.render) * 3
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
def test_add_generation_prompt_may_be_any_value(odd):
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


def test_the_memory_stays_bounded():
    template, _ = counted(CHATML)
    sizes = []
    for number in range(4 * MOST_SKELETONS):
        messages = [{"role": "user" if number >> bit & 1 else "assistant", "content": "x"} for bit in range(10)]
        for _ in range(2):
            template.text(messages)
            template.text(messages, add_generation_prompt=True)
            template.text([user("x")], mood=f"f{number}")
        if number % 50 == 49:
            sizes.append(size(template._skeletons))
    assert max(sizes) < 2 * max(sizes[: len(sizes) // 4])


def test_nothing_large_is_remembered():
    template, _ = counted(CHATML)
    for _ in range(9):
        template.text([user("x")])
    before = size(template._skeletons)
    for _ in range(3):
        template.text([user("x" * 100_000)])
        template.text([user("x")], mood="f" * LARGEST_SHAPE)
        template.text([user("x")] * (LONGEST_CONVERSATION + 1))
        with pytest.raises(MessageError):
            template.text([{"role": "r" * 100_000, "content": "x"}])
    assert size(template._skeletons) < before + 1_000


def by_length(chat, out):
    out += [message.content if len(message.content) < 3 else "long" for message in chat.messages]


def by_change(chat, out):
    out += [message.content.upper() for message in chat.messages]


def by_word(chat, out):
    out += ["a thought" if "</think>" in message.content else message.content for message in chat.messages]


def by_pattern(chat, out):
    # What a regular expression reads goes unnoticed.
    out += ["digits" if re.search(r"\d", message.content) else message.content for message in chat.messages]


@pytest.mark.parametrize(
    ("program", "text", "expected", "why"),
    [
        (by_length, "abcd", "long", "looks_for=() does not state: __len__"),
        (by_change, "abcd", "ABCD", "looks_for=() does not state: a change to it"),
        (by_word, "a</think>b", "a thought", "looks_for=() does not state: __contains__('</think>')"),
        (by_pattern, "a1", "digits", "its program and its skeleton wrote different prompts"),
    ],
)
def test_a_false_promise_is_detected_and_changes_no_byte(program, text, expected, why):
    template = Template("false", program, looks_for=())
    assert template.text([user(text)]) == expected
    with pytest.warns(TemplateWarning, match=re.escape(why)) as caught:
        assert template.text([user(text)]) == expected
    assert "\n  try: " in str(caught[0].message)
    # Once: from then on it is rendered by its program alone.
    for _ in range(9):
        assert template.text([user(text)]) == template.render([user(text)]).text == expected


def test_a_text_that_was_joined_with_others_is_not_taken_for_the_templates():
    def program(chat, out):
        out.append("".join(["<", chat.messages[0].content, ">"]))

    template = Template("joined", program, looks_for=())
    for word in ("one", "two", "three", "four"):
        assert template.text([user(word)]) == f"<{word}>"


def test_a_program_may_find_a_message_by_its_text():
    def program(chat, out):
        last = chat.messages[-1].content
        out += ["[last]" if message.content == last else message.content for message in chat.messages]

    template = Template("finding", program, looks_for=())
    for _ in range(4):
        assert template.text([user("a"), user("b"), user("c")]) == "ab[last]"
        assert template.text([user("a"), user("c"), user("c")]) == "a[last][last]"


WATCHED = Watch(("word",)).text(0)
FOLLOWED = frozenset({
    "__add__", "__class__", "__dir__", "__doc__", "__format__", "__getattribute__", "__getnewargs__", "__getstate__",
    "__init__", "__init_subclass__", "__mod__", "__new__", "__reduce__", "__reduce_ex__", "__repr__", "__rmod__",
    "__setattr__", "__delattr__", "__sizeof__", "__str__", "__subclasshook__", "format", "format_map", "join",
    "lstrip", "rstrip", "strip", "maketrans",
})  # fmt: skip
"""Methods that may be used unnoticed: those that leave a text as it is, strip it, or are refused."""


@pytest.mark.parametrize("name", sorted(set(dir(str)) - FOLLOWED))
def test_every_look_at_a_stand_in_is_noticed(name):
    watch = WATCHED.watch
    watch.forget()
    if name in ("__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__", "__contains__"):
        getattr(WATCHED, name)("other")
    else:
        with contextlib.suppress(ValueError):
            arguments = {"__getitem__": (0,), "__mul__": (2,), "__rmul__": (2,), "center": (9,), "ljust": (9,)}
            takes_word = (
                "count",
                "endswith",
                "find",
                "index",
                "partition",
                "rfind",
                "rindex",
                "rpartition",
                "startswith",
            )
            more = {"removeprefix": ("o",), "removesuffix": ("o",), "replace": ("o", ""), "rjust": (9,), "zfill": (9,)}
            values = (arguments | more | {"translate": ({},)}).get(name, ("other",) if name in takes_word else ())
            getattr(WATCHED, name)(*values)
    assert watch.looks


@pytest.mark.parametrize("look", ["word" in WATCHED, WATCHED.find("a word"), WATCHED == "word", WATCHED.split("word")])
def test_a_word_in_looks_for_may_be_looked_for(look):
    assert not look or look == -1 or look == [WATCHED]


def test_a_program_with_a_fault_raises_its_own_error_every_time():
    def program(chat, out):
        raise KeyError("mine")

    template = Template("faulty", program, looks_for=())
    for _ in range(4):
        with pytest.raises(PluginError, match="KeyError: 'mine'") as caught:
            template.text([user("x")])
        assert isinstance(caught.value.__cause__, KeyError)


@settings(max_examples=300)
@given(st.sampled_from(TEMPLATES), st.one_of(alternating(), plain_chats()), st.booleans())
def test_a_frame_gives_the_prompts_of_plain_chats_or_says_that_it_does_not_hold(template, messages, generate):
    frame = template.frame([message["role"] for message in messages], add_generation_prompt=generate)
    filled = None if frame is None else frame.text([message["content"] for message in messages])
    assert filled is None or filled == slow_twin(template).text(messages, add_generation_prompt=generate)


def test_a_frame_says_what_is_around_the_texts_and_when_it_holds():
    frame = CHATML.frame(["user"], add_generation_prompt=True)
    assert frame.literals == ("<|im_start|>user\n", "<|im_end|>\n<|im_start|>assistant\n")
    assert (frame.order, frame.edits, frame.never) == ((0,), (None,), ())
    thinking = THINKING.frame(["user", "assistant"])
    assert thinking.never == ("</think>",)
    assert thinking.text(["x", "a</think>b"]) is None
    assert BARE.frame(["user"]).text([""]) is None
    assert DATED.frame(["user"]) is None
    assert CHATML.frame(["nobody"]) is None
