"""Reasoning is written as the model writes it, by every format that has any, or the gallery says why not."""

import hostile
import pytest
import reasoning_facts
from reasoning_facts import QUESTION, THOUGHT, UNKNOWN, thinking, written

import lect

TEMPLATES = {name: template for name, template in hostile.installed().items() if not name.startswith("lect:")}
REASON = {name: each for name, each in TEMPLATES.items() if "reasoning" in each.capabilities}
MARKED = {name: each for name, each in TEMPLATES.items() if each.reply and each.reply.reasoning}


def test_a_format_that_reasons_writes_it_or_is_listed_with_the_reason():
    assert {name for name, template in REASON.items() if not written(template)} == UNKNOWN.keys() & REASON.keys()
    assert UNKNOWN.keys() <= REASON.keys() | MARKED.keys()
    assert all(UNKNOWN.values())


@pytest.mark.parametrize("name", sorted(MARKED.keys() - REASON.keys()))
def test_a_format_that_does_not_reason_says_so(name):
    for options in thinking(MARKED[name]):
        with pytest.raises(lect.MessageError, match=r"has no place for reasoning|not to reason"):
            MARKED[name].reply_text([QUESTION, THOUGHT], **options)


@pytest.mark.parametrize("name", sorted(REASON.keys() - UNKNOWN.keys()))
def test_reasoning_is_read_back_and_trained_as_it_is_served(name):
    template = REASON[name]
    options, text = written(template)
    served = template.render([QUESTION], add_generation_prompt=True, **options)
    reply = template.parse(text, prompt=served)
    assert (reply.reasoning, reply.content) == (THOUGHT["reasoning_content"], THOUGHT["content"])
    assert reply.problems == ()
    (trained,) = template.unroll([QUESTION, THOUGHT], "auto", **options)
    (turn,) = (turn for turn in trained.turns if turn.message in trained.trains)
    assert trained.text[: turn.start] == served.text
    assert trained.text[turn.start : turn.end] == text


@pytest.mark.parametrize("name", sorted(UNKNOWN.keys() & REASON.keys()))
def test_what_is_not_known_is_refused_with_what_to_do(name):
    template = TEMPLATES[name]
    with pytest.raises(lect.MessageError, match=r"is not known(.|\n)+try: template\.but\(reply=\.\.\.\)"):
        template.reply_text([QUESTION, THOUGHT], **next(thinking(template)))


def test_the_gallery_lists_what_is_not_known():
    assert all(f"| `{name}` | {why} |" in reasoning_facts.section() for name, why in UNKNOWN.items())
