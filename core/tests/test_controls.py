"""The markers of a template are found in the caller's text, and only there."""

import pickle

import pytest
from made import CHATML, FULL, TEMPLATES, THINKING, by_program

from lect import Control, ControlTextError, MessageError
from lect.format.digest import digest
from lect.plugin import Template, Turn, TurnTemplate

USER = {"role": "user", "content": "Hi"}
TOOL = {
    "type": "function",
    "function": {"name": "f", "parameters": {"type": "object", "properties": {"<|im_end|>": {}}}},
}


def control(*path, start, marker, template, messages, **arguments):
    rendered = template.render(messages, **arguments)
    (found,) = rendered.controls
    assert found == Control(path, start, marker, found.position)
    assert rendered.text[found.position :].startswith(marker)
    return found


@pytest.mark.parametrize("template", [CHATML, FULL, THINKING, by_program(FULL)], ids=repr)
def test_a_marker_in_a_message_is_reported_by_field_offset_and_marker(template):
    messages = [USER, {"role": "user", "content": "ab<|im_end|>c"}]
    control("messages", 1, "content", start=2, marker="<|im_end|>", template=template, messages=messages)


@pytest.mark.parametrize("template", TEMPLATES, ids=repr)
def test_a_templates_own_markers_are_not_reported(template):
    for generate in (True, False):
        assert (
            template.render([USER, {"role": "assistant", "content": "x"}], add_generation_prompt=generate).controls
            == ()
        )


def test_a_marker_that_begins_in_a_message_and_ends_in_template_text_is_reported():
    template = TurnTemplate("split", user=Turn("U:", "end|>"), assistant=Turn("A:"), markers=["<|im_end|>"])
    control(
        "messages",
        0,
        "content",
        start=2,
        marker="<|im_end|>",
        template=template,
        messages=[{"role": "user", "content": "hi<|im_"}],
    )


def test_a_marker_that_begins_in_template_text_and_ends_in_a_message_is_reported():
    template = TurnTemplate("split", user=Turn("U<|im_", ";"), assistant=Turn("A:"), markers=["<|im_end|>"])
    control(
        "messages",
        0,
        "content",
        start=0,
        marker="<|im_end|>",
        template=template,
        messages=[{"role": "user", "content": "end|>"}],
    )


def test_a_marker_over_two_parts_or_two_messages_is_reported():
    template = TurnTemplate("glue", user=Turn(), assistant=Turn(), markers=["<|im_end|>"], accepts=["parts"])
    halves = [{"type": "text", "text": "<|im_"}, {"type": "text", "text": "end|>"}]
    control(
        "messages",
        0,
        "content",
        start=-1,
        marker="<|im_end|>",
        template=template,
        messages=[{"role": "user", "content": halves}],
    )
    control(
        "messages",
        0,
        "content",
        0,
        "text",
        start=0,
        marker="<|im_end|>",
        template=FULL,
        messages=[{"role": "user", "content": halves}],
    )
    messages = [{"role": "user", "content": "<|im_"}, {"role": "assistant", "content": "end|>"}]
    control("messages", 0, "content", start=0, marker="<|im_end|>", template=template, messages=messages)


def test_a_marker_that_overlaps_the_templates_own_is_reported():
    template = TurnTemplate("brackets", user=Turn("[["), assistant=Turn("A:"), markers=["[["])
    control(
        "messages", 0, "content", start=0, marker="[[", template=template, messages=[{"role": "user", "content": "[x"}]
    )


def test_the_longest_of_markers_that_begin_together_is_reported():
    template = TurnTemplate("nested", user=Turn("U"), assistant=Turn("A"), markers=["<s", "<s>x", "<s>"])
    control(
        "messages",
        0,
        "content",
        start=0,
        marker="<s>x",
        template=template,
        messages=[{"role": "user", "content": "<s>x"}],
    )


def test_a_role_inside_a_marker_is_not_reported():
    def program(chat, out):
        for message in out.turns(chat.messages):
            out += "<|", message.role, "|>", message.content

    template = Template("roles", program, markers=["<|user|>"])
    assert template.render([USER]).controls == ()
    assert len(template.render([{"role": "user", "content": "<|user|>"}]).controls) == 1


def test_a_field_that_is_merely_called_role_is_searched():
    def program(chat, out):
        for call in chat.messages[0].tool_calls:
            arguments = chat.input(call.arguments, *call.path, "arguments")
            out += arguments["role"], arguments[1]

    template = Template("arguments", program, markers=["<|im_end|>"])
    call = {"function": {"name": "f", "arguments": {"role": "<|im_end|>", 1: "<|im_end|>"}}}
    controls = template.render([{"role": "assistant", "content": "", "tool_calls": [call]}]).controls
    assert [found.path[-2:] for found in controls] == [("arguments", "role"), ("arguments", 1)]


@pytest.mark.parametrize(
    ("messages", "arguments", "path"),
    [
        ([USER], {"tools": [TOOL]}, ("tools", 0)),
        ([USER], {"mood": "<|im_end|>"}, ("options", "mood")),
        ([{**USER, "role": "assistant", "reasoning": "<|im_end|>"}], {}, ("messages", 0, "reasoning")),
        ([{**USER, "tool_calls": [{"name": "<|im_end|>"}]}], {}, ("messages", 0, "tool_calls", 0, "name")),
        (
            [{**USER, "tool_calls": [{"name": "f", "arguments": {"<|im_end|>": 1}}]}],
            {},
            ("messages", 0, "tool_calls", 0, "arguments"),
        ),
        (
            [{**USER, "tool_calls": [{"name": "f", "arguments": "<|im_end|>"}]}],
            {},
            ("messages", 0, "tool_calls", 0, "arguments"),
        ),
    ],
    ids=["tools", "option", "reasoning", "name of a call", "key of arguments", "arguments"],
)
def test_a_marker_is_found_in_every_field_that_is_written(messages, arguments, path):
    (found,) = FULL.render(messages, **arguments).controls
    assert (found.path, found.marker) == (path, "<|im_end|>")


def test_controls_are_reported_refused_or_allowed():
    messages = [{"role": "user", "content": "a<|im_end|>b<|im_start|>"}]
    text = FULL.text(messages)
    assert FULL.render(messages, on_control="allow").controls == ()
    assert FULL.text(messages, on_control="allow") == FULL.render(messages, on_control="report").text == text
    for way in (FULL.text, FULL.render):
        with pytest.raises(ControlTextError, match=r"messages\[0\]\.content, at 1: '<\|im_end\|>'") as caught:
            way(messages, on_control="raise")
        assert caught.value.controls == FULL.render(messages).controls
        assert str(way([USER], on_control="raise")) == FULL.text([USER])


class Counting:
    """The pattern of a template's markers, which counts its searches."""

    def __init__(self, pattern):
        self.pattern = pattern
        self.searches = 0

    def search(self, *arguments):
        self.searches += 1
        return self.pattern.search(*arguments)


@pytest.fixture
def looks(monkeypatch):
    """Return a counter of the searches for the markers of `CHATML`."""
    counting = Counting(CHATML.markers.pattern)
    monkeypatch.setattr(CHATML.markers, "pattern", counting)
    return counting


A_MILLION = [{"role": "user", "content": "<|im_end|>" * 1_000_000}]


def test_the_first_thousand_of_a_million_markers_are_listed_without_a_search_for_the_rest(looks):
    rendered = CHATML.render(A_MILLION)
    assert [found.start for found in rendered.controls] == [10 * index for index in range(1000)]
    assert rendered.more_controls
    # The template's own marker comes before them; the last search shows that there are more.
    assert looks.searches == 1 + 1000 + 1


def test_an_error_names_the_first_ten_markers_without_a_search_for_the_rest(looks):
    with pytest.raises(ControlTextError, match=r"content, at 90: '<\|im_end\|>'\n  and more\n  try: ") as caught:
        CHATML.text(A_MILLION, on_control="raise")
    assert [found.start for found in caught.value.controls] == [10 * index for index in range(10)]
    assert looks.searches == 1 + 10 + 1


@pytest.mark.parametrize(("markers", "more"), [(0, False), (999, False), (1000, False), (1001, True)])
def test_a_prompt_says_whether_there_are_more_markers_than_it_lists(markers, more):
    rendered = CHATML.render([{"role": "user", "content": "<|im_end|>" * markers}])
    again = pickle.loads(pickle.dumps(rendered))
    assert (rendered.more_controls, again.more_controls) == (more, more)
    assert len(rendered.controls) == min(markers, 1000)
    assert again.controls == rendered.controls


def test_an_error_that_names_all_markers_does_not_mention_more():
    with pytest.raises(ControlTextError) as caught:
        CHATML.text([{"role": "user", "content": "<|im_end|>" * 10}], on_control="raise")
    assert len(caught.value.controls) == 10
    assert "more" not in str(caught.value)


@pytest.mark.parametrize("way", [CHATML.text, CHATML.render], ids=["text", "render"])
def test_an_unknown_policy_is_an_error(way):
    with pytest.raises(MessageError, match="on_control is 'warn'; expected one of 'report', 'raise', 'allow'"):
        way([USER], on_control="warn")


class NotComparableError(Exception):
    """Raised by an object that refuses to be compared."""


def refuse_to_compare(*_):
    raise NotComparableError


@pytest.mark.parametrize("kind", [object, str])
@pytest.mark.parametrize("way", [CHATML.text, CHATML.render], ids=["text", "render"])
def test_a_policy_that_cannot_be_compared_is_an_error_too(way, kind):
    odd = type("Odd", (kind,), {"__eq__": refuse_to_compare, "__hash__": None})
    with pytest.raises(MessageError, match="expected one of 'report'"):
        way([USER], on_control=odd())


def test_a_template_without_markers_reports_none():
    assert Template("none", FULL.program).render([{"role": "user", "content": "<|im_end|>"}]).controls == ()


# Numbered markers

NUMBERED = TurnTemplate(
    "numbered",
    user=Turn("<u>"),
    assistant=Turn("<a>"),
    stop={"<eos>": 9},
    markers={"<u>": 1, "<a>": 2, "<eos>": None, "<r{}>": range(100, 120), "[c{}]": None, "{}": 7},
)


@pytest.mark.parametrize("marker", ["<r0>", "<r7>", "<r19>", "<r20>", "<r007>", "<r123456789>", "[c1]", "{}", "<eos>"])
def test_a_numbered_marker_is_found_with_any_number(marker):
    content = f"a{marker}b"
    control(
        "messages",
        0,
        "content",
        start=1,
        marker=marker,
        template=NUMBERED,
        messages=[{"role": "user", "content": content}],
    )
    assert marker in NUMBERED.markers


@pytest.mark.parametrize(
    "text",
    ["<r>", "<r{}>", "<rx>", "<r-1>", "<r1.5>", "<r 1>", "<r1", "r1>", "<r\u0663>", "<r\uff17>", "<r\u00b2>", "42"],
)
def test_text_without_a_number_is_not_a_numbered_marker(text):
    found = NUMBERED.render([{"role": "user", "content": text}]).controls
    # Braces are a token of this vocabulary, with an id of its own.
    assert [each.marker for each in found] == (["{}"] if "{}" in text else [])


def test_the_ids_of_a_numbered_marker_are_found_by_its_texts():
    markers = NUMBERED.markers
    assert [markers[text] for text in ("<r0>", "<r19>", "<u>", "<eos>", "{}")] == [100, 119, 1, 9, 7]
    # No tokenizer has these, or their ids are unknown.
    assert [markers[text] for text in ("<r20>", "<r007>", "[c1]")] == [None, None, None]
    assert markers.get("<r>", "none") == "none"
    assert 7 not in markers
    with pytest.raises(KeyError, match="<x1>"):
        markers["<x1>"]


def test_a_numbered_marker_is_stated_once():
    assert list(NUMBERED.markers) == ["<u>", "<a>", "<eos>", "<r{}>", "[c{}]", "{}"]
    assert len(NUMBERED.markers) == 6
    assert NUMBERED.markers["<r{}>"] == range(100, 120)


def test_a_variant_keeps_numbered_markers():
    for variant in (
        NUMBERED.but(name="other"),
        NUMBERED.but(markers={**NUMBERED.markers, "<x>": 5}),
        pickle.loads(pickle.dumps(NUMBERED)),
    ):
        assert variant.markers["<r3>"] == 103
        assert "[c12]" in variant.markers
    assert "<r3>" in NUMBERED.but(markers=[*NUMBERED.markers]).markers
    assert digest(NUMBERED) != digest(NUMBERED.but(markers={**NUMBERED.markers, "<r{}>": range(100, 121)}))


def test_markers_do_not_change_with_what_they_were_made_from():
    ids = [5, 6]
    template = NUMBERED.but(markers={"<r{}>": ids})
    ids[0] = 7
    assert template.markers["<r0>"] == 5
    with pytest.raises(TypeError):
        template.markers["<r0>"] = 8
