"""Every piece of a prompt is known: who wrote it, from which field, at which offset, in whose turn."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from made import FULL, IMAGE, PRIVATE, TABLES, TEMPLATES, by_program, chats, field, plain_chats

from lect import MessageError, Origin
from lect.plugin import Template, Turn, TurnTemplate

USER = {"role": "user", "content": "Hi"}
generation = st.booleans()
both_ways = st.sampled_from([*TEMPLATES, *map(by_program, TEMPLATES)])


def rendered_or_none(template, messages, **arguments):
    try:
        return template.render(messages, **arguments)
    except MessageError:
        return None


@given(both_ways, chats(), generation)
def test_segments_join_to_the_text(template, messages, generate):
    rendered = rendered_or_none(template, messages, add_generation_prompt=generate)
    if rendered is not None:
        assert "".join(segment.text for segment in rendered.segments) == rendered.text
        assert all(segment.text for segment in rendered.segments)


@given(both_ways, chats(), generation)
def test_adjacent_template_text_of_one_turn_is_one_segment(template, messages, generate):
    rendered = rendered_or_none(template, messages, add_generation_prompt=generate)
    segments = rendered.segments if rendered else ()
    for one, other in pairwise(segments):
        assert (one.origin, one.turn) != (Origin.TEMPLATE, other.turn) or other.origin is not Origin.TEMPLATE


@given(both_ways, chats())
def test_text_from_the_caller_is_at_its_offset_in_its_field(template, messages):
    rendered = rendered_or_none(template, messages)
    for segment in rendered.segments if rendered else ():
        if segment.origin is Origin.INPUT and segment.start >= 0:
            source = field({"messages": messages}, segment.path)
            assert source[segment.start : segment.start + len(segment.text)] == segment.text
        elif segment.origin is Origin.TEMPLATE:
            assert (segment.path, segment.start) == ((), -1)


@given(both_ways, chats(st.text(PRIVATE, min_size=1, max_size=4)))
def test_no_character_of_the_callers_is_template_text(template, messages):
    tools = [{"type": "function", "function": {"name": PRIVATE[0], "parameters": {PRIVATE[1]: PRIVATE[2]}}}]
    rendered = rendered_or_none(template, messages, tools=tools, mood=PRIVATE[3])
    for segment in rendered.segments if rendered else ():
        assert segment.origin is Origin.INPUT or not set(segment.text) & set(PRIVATE)


@given(both_ways, plain_chats(role=st.sampled_from(["user", "assistant"])))
def test_every_text_belongs_to_the_turn_of_its_message(template, messages):
    rendered = rendered_or_none(template, messages, add_generation_prompt=True)
    for segment in rendered.segments if rendered else ():
        if segment.path[:1] == ("messages",):
            assert segment.turn == segment.path[1]


def test_preamble_and_generation_prompt_belong_to_no_turn():
    table = TurnTemplate("t", user=Turn("U:", ";"), assistant=Turn("A:", ";"), bos="<s>")
    assert [(segment.text, segment.turn) for segment in table.render([USER], add_generation_prompt=True).segments] == [
        ("<s>", None),
        ("U:", 0),
        ("Hi", 0),
        (";", 0),
        ("A:", None),
    ]


def test_turns_in_which_nothing_is_written_do_not_split_segments():
    table = TurnTemplate("t", user=Turn("U:", ";"), assistant=Turn("A:", ";"), bos="<s>")
    (segment,) = table.render([{"role": "developer", "content": "x"}], add_generation_prompt=True).segments
    assert (segment.text, segment.turn) == ("<s>A:", None)


def test_a_role_is_the_callers_text():
    role = FULL.render([USER]).segments[2]
    assert (role.text, role.origin, role.path, role.start) == ("user", Origin.INPUT, ("messages", 0, "role"), 0)


def test_json_of_the_callers_has_a_field_and_no_offset():
    rendered = FULL.render([USER], tools=[{"name": "f"}])
    (segment,) = [segment for segment in rendered.segments if segment.path == ("tools", 0)]
    assert (segment.text, segment.origin, segment.start) == ('{"name": "f"}', Origin.INPUT, -1)


def test_an_option_is_the_callers_text_too():
    (segment,) = [segment for segment in FULL.render([USER], mood="gay").segments if segment.path[:1] == ("options",)]
    assert (segment.text, segment.origin, segment.path) == ("gay", Origin.INPUT, ("options", "mood"))


def test_the_default_of_an_option_is_the_templates():
    def program(chat, out):
        out.append(chat.option("mood", "calm"))

    (segment,) = Template("moody", program, options=["mood"]).render([]).segments
    assert segment.origin is Origin.TEMPLATE


def test_joined_text_is_of_unknown_origin():
    def program(chat, out):
        out.append("<" + chat.messages[0].content)

    (segment,) = Template("joins", program).render([USER]).segments
    assert (segment.text, segment.origin, segment.path) == ("<Hi", Origin.UNKNOWN, ())


@pytest.mark.parametrize("key", ["word", 5, 1.5, None], ids=repr)
def test_values_under_keys_of_every_kind_keep_their_origin(key):
    def program(chat, out):
        values = chat.input({key: ["a", {"deep": ("b",)}]}, "options", "x")
        out += values[key][0], values[key][1]["deep"][0]

    rendered = Template("pieces", program, options=["x"]).render([], x={})
    assert {segment.origin for segment in rendered.segments} == {Origin.INPUT}
    assert [segment.path[:2] for segment in rendered.segments] == [("options", "x")] * 2


def test_views_are_made_once():
    rendered = FULL.render([USER])
    assert rendered.segments is rendered.segments
    assert rendered.unused is rendered.unused
    assert rendered.controls is rendered.controls


def test_an_image_reaches_the_prompt_by_its_placeholder():
    rendered = FULL.render([{"role": "user", "content": [{"type": "image", "image": "a.png"}]}])
    assert IMAGE in rendered.text
    assert rendered.unused == ()


@pytest.mark.parametrize("table", TABLES, ids=repr)
def test_a_rendered_prompt_prints_as_its_text(table):
    rendered = table.render([USER])
    assert str(rendered) == rendered.text
    assert repr(rendered) == f"<Prompt by {table.name!r}: {len(rendered.text)} characters>"
