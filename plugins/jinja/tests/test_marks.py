"""Where the text of `{% generation %}` blocks is in a prompt."""

import json
import pickle

import pytest

import lect_jinja
from lect import LossPolicy, MaskError, PluginError
from lect_jinja.engine import isolation
from lect_jinja.engine.isolation import IsolatedRun
from lect_jinja.engine.limits import DEFAULT

CHAT = [
    {"role": "user", "content": "Hi"},
    {"role": "assistant", "content": "Hello!"},
    {"role": "user", "content": "Bye"},
    {"role": "assistant", "content": "See you."},
]
MARKS = LossPolicy(marks="template")
LOOP = (
    "{%% for m in messages %%}[{{ m.role }}]{%% if m.role == 'assistant' %%}%s{%% else %%}{{ m.content }};"
    "{%% endif %%}{%% endfor %%}"
)
PLAIN = "{% generation %}{{ m.content }};{% endgeneration %}"


def trained(source, **arguments):
    prompt = lect_jinja.load(source, **arguments).render(CHAT)
    return [prompt.text[span.start : span.end] for span in prompt.loss_spans(MARKS)]


@pytest.mark.parametrize(
    ("block", "expected"),
    [
        (PLAIN, ["Hello!;", "See you.;"]),
        (PLAIN.replace("%}", "-%}").replace("{%", "{%-"), ["Hello!;", "See you.;"]),
        ("{{ m.content }}{% generation %};{% endgeneration %}", [";", ";"]),
        ("{% generation %}<{% generation %}{{ m.content }}{% endgeneration %}>{% endgeneration %}", ["<Hello!>", "<See you.>"]),
        ("{% generation %}{% endgeneration %}{{ m.content }}", []),
        ("{% if loop.first %}{% generation %}{{ m.content }}{% endgeneration %}{% endif %}", []),
        ("{% generation %}{% for c in m.content %}{{ c }}{% endfor %}{% endgeneration %}!", ["Hello!", "See you."]),
    ],
)  # fmt: skip
@pytest.mark.parametrize("isolate", [False, True])
def test_marks_are_where_the_block_is_written(block, expected, isolate):
    assert trained(LOOP % block, isolate=isolate) == expected


def test_marks_do_not_change_the_prompt():
    marked, plain = lect_jinja.load(LOOP % PLAIN), lect_jinja.load(LOOP % "{{ m.content }};")
    assert marked.text(CHAT) == plain.text(CHAT) == marked.render(CHAT).text
    assert marked.render(CHAT).segments == plain.render(CHAT).segments
    assert plain.render(CHAT).marked is None


def test_one_block_round_all_turns_is_shared_among_them():
    source = "{% generation %}{% for m in messages %}[{{ m.role }}]{{ m.content }};{% endfor %}{% endgeneration %}"
    prompt = lect_jinja.load(source).render([*CHAT[:2], {**CHAT[2], "weight": 0.5}])
    assert [(span.message, span.weight) for span in prompt.loss_spans(MARKS)] == [(0, 1), (1, 1), (2, 0.5)]


@pytest.mark.parametrize(
    "source",
    [
        LOOP % "{{ m.content }}",
        "{% macro answer(m) %}" + PLAIN + "{% endmacro %}" + LOOP % "{{ answer(m)|upper }}",
        LOOP % ("{% set answer %}" + PLAIN + "{% endset %}{{ answer }}"),
        LOOP % (PLAIN + "{% filter upper %}" + PLAIN + "{% endfilter %}"),
    ],
)
def test_without_marks_or_with_marks_that_nobody_can_follow_there_is_an_error(source):
    with pytest.raises(MaskError, match=r"has no {% generation %} marks, or has them inside a macro\n  try: "):
        trained(source)


def test_a_block_that_a_loop_leaves_is_not_marked():
    block = "{% generation %}{{ m.content }}{% if loop.index < 3 %}{% continue %}{% endif %};{% endgeneration %}"
    assert trained(LOOP % block) == ["See you.;"]


def test_a_pickled_prompt_keeps_its_marks():
    prompt = lect_jinja.load(LOOP % PLAIN).render(CHAT)
    twin = pickle.loads(pickle.dumps(prompt))
    assert twin.loss_spans(MARKS) == prompt.loss_spans(MARKS) != []


@pytest.mark.parametrize("sent", ["[[5, 2]]", "[[0, 2], [1, 3]]", "[[-4, 2]]", "[[1]]", '["ab"]', "7"])
def test_marks_from_a_worker_process_are_checked(sent, monkeypatch):
    answer = {"pieces": [[None, ["text"]]], "marked": json.loads(sent)}
    monkeypatch.setattr(isolation.WORKERS, "ask", lambda *_: answer)
    with pytest.raises(PluginError, match="gave no valid answer"):
        IsolatedRun("", "t", DEFAULT, {}, None, tracked=True).text()
