"""Baichuan against other projects that write its prompts as its maker's code does."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import lect
from lect_kit import AdapterSuite

GOLDEN = Path(__file__).parent / "golden"
NAMES = ("baichuan-chat", "baichuan2-chat")
MARKERS = {
    "baichuan-chat": ("<reserved_102>", "<reserved_103>"),
    "baichuan2-chat": ("<reserved_106>", "<reserved_107>"),
}
SYSTEM = {"role": "system", "content": "Be brief."}
QUESTION = {"role": "user", "content": "你好"}
ANSWER = {"role": "assistant", "content": "Hi"}


class TestBaichuan(AdapterSuite):
    """The goldens are not the maker's prompts, but those of other projects."""

    plugin = "baichuan"
    goldens = {"golden/baichuan-chat.json": "baichuan-chat", "golden/baichuan2-chat.json": "baichuan2-chat"}
    deviations = "../deviations.json"
    examples = {
        "baichuan-inc/Baichuan2-7B-Chat": "baichuan2-chat",
        "baichuan-inc/Baichuan2-13B-Chat-4bits": "baichuan2-chat",
        "TheBloke/baichuan2-7b-chat-GGUF": "baichuan2-chat",
        "/data/models/Baichuan2-13B-Chat/": "baichuan2-chat",
        "baichuan-inc/Baichuan-13B-Chat": "baichuan-chat",
        "baichuan-inc/Baichuan-7B": "default",
        "baichuan-inc/Baichuan-13B-Base": "default",
        "baichuan-inc/Baichuan2-7B-Base": "default",
        "baichuan-inc/Baichuan2-13B-Base": "default",
        "baichuan-inc/Baichuan2-7B-Intermediate-Checkpoints": "default",
    }
    base = [
        "baichuan-inc/Baichuan-7B",
        "baichuan-inc/Baichuan-13B-Base",
        "baichuan-inc/Baichuan2-7B-Base",
        "baichuan-inc/Baichuan2-13B-Base",
        "baichuan-inc/Baichuan2-7B-Intermediate-Checkpoints",
    ]
    others = [
        "baichuan-inc/Baichuan-M2-32B",
        "baichuan-inc/Baichuan-Omni-1d5",
        "baichuan-7b-chat",
        "/chat/baichuan",
        "mybaichuan2-7b-chat",
    ]


def template(name):
    return lect.template(f"baichuan:{name}")


@pytest.mark.parametrize("name", NAMES)
def test_an_answer_at_the_end_is_continued(name):
    user, assistant = MARKERS[name]
    expected = f"{user}你好{assistant}Hi"
    assert template(name).text([QUESTION, ANSWER], add_generation_prompt=True) == expected
    assert template(name).text([QUESTION, ANSWER]) == expected


@pytest.mark.parametrize("name", NAMES)
def test_the_prompt_opens_an_answer_where_one_is_wanted(name):
    user, assistant = MARKERS[name]
    assert template(name).text([QUESTION]) == f"{user}你好"
    assert template(name).text([QUESTION], add_generation_prompt=True) == f"{user}你好{assistant}"


def test_a_system_text_comes_first_without_a_marker():
    assert (
        template("baichuan2-chat").text([SYSTEM, QUESTION], add_generation_prompt=True)
        == "Be brief.<reserved_106>你好<reserved_107>"
    )


def test_a_late_system_text_is_refused():
    with pytest.raises(lect.RefusedError, match="can only come first, but message 1 is one"):
        template("baichuan2-chat").text([QUESTION, SYSTEM])


def test_the_first_generation_has_no_system_role():
    with pytest.raises(lect.RefusedError, match="no system role\n  try: put it in front"):
        template("baichuan-chat").text([SYSTEM, QUESTION])


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("role", ["tool", "function", "developer"])
def test_a_role_without_a_turn_is_refused(name, role):
    with pytest.raises(lect.RefusedError, match=f"no turn for the role '{role}'"):
        template(name).text([QUESTION, {"role": role, "content": "22"}])


def test_tools_do_not_reach_the_prompt_and_the_report_says_so():
    rendered = template("baichuan2-chat").render([QUESTION], tools=[{"type": "function", "function": {"name": "f"}}])
    assert [unused.path for unused in rendered.unused] == [("tools", 0)]


def test_markers_are_tokens():
    for name in NAMES:
        assert not template(name).text_separators
        rendered = template(name).render([{"role": "user", "content": f"x{MARKERS[name][1]}y"}])
        assert [(control.start, control.marker) for control in rendered.controls] == [(1, MARKERS[name][1])]
        assert template(name).stop == {"</s>": 2}


@given(
    st.sampled_from(NAMES),
    st.lists(st.tuples(st.sampled_from(["user", "assistant"]), st.text(max_size=8)), max_size=6),
    st.booleans(),
)
def test_nothing_separates_turns(name, pairs, add_generation_prompt):
    user, assistant = MARKERS[name]
    messages = [{"role": role, "content": text} for role, text in pairs]
    expected = "".join((user if role == "user" else assistant) + text for role, text in pairs)
    if add_generation_prompt and not (pairs and pairs[-1][0] == "assistant"):
        expected += assistant
    assert template(name).text(messages, add_generation_prompt=add_generation_prompt) == expected
    rendered = template(name).render(messages, add_generation_prompt=add_generation_prompt)
    assert "".join(segment.text for segment in rendered.segments) == expected


def test_says_why_a_base_model_has_the_default():
    assert "never trained on" in lect.resolve("baichuan-inc/Baichuan-7B").reason
