"""Replies from other projects' tests and issues, and what they mean."""

import pytest
import replies
from sampling import in_turn, some
from together import together

from lect.reply.engine.compiled import marks_of

VECTORS = replies.vectors("parse")
ADVERSARIAL = replies.vectors("parse-adversarial")
MISTAKES = replies.mistakes()
ALL = [*VECTORS, *ADVERSARIAL, *MISTAKES]
WRONG = replies.held_wrong()
CUTS = ([1], [2], [3], [4], [7], [1, 13], [5, 1, 2])


@together("vector", [vector for vector in VECTORS if vector["id"] not in WRONG], ids=lambda vector: vector["id"])
def test_a_reply_means_what_its_vector_says(vector):
    reply, _ = replies.read_vector(vector)
    assert replies.as_expected(vector, reply), reply


@pytest.mark.parametrize(
    "vector", [vector for vector in VECTORS if vector["id"] in WRONG], ids=lambda vector: vector["id"]
)
def test_we_still_differ_from_every_vector_that_is_held_wrong(vector):
    reply, _ = replies.read_vector(vector)
    assert not replies.as_expected(vector, reply), f"we agree now; remove it from the list: {WRONG[vector['id']]}"


def test_every_vector_that_is_judged_exists_and_few_are_held_wrong():
    judged = replies.judgements()
    assert {*WRONG, *judged["told"], *judged["instead"]} <= {vector["id"] for vector in [*VECTORS, *ADVERSARIAL]}
    ours = {name for name, held in judged["instead"].items() if not held.get("neither")}
    assert len({*WRONG, *ours}) <= 51
    assert set(judged["wrong"].values()) == set(judged["reasons"])


@pytest.mark.parametrize("vector", ADVERSARIAL, ids=lambda vector: vector["id"])
def test_where_other_parsers_fail_we_do_not(vector):
    reply, _ = replies.read_vector(vector)
    assert replies.as_expected(vector, reply), reply
    assert [problem.code for problem in reply.problems] == vector["problems"]


@together("vector", MISTAKES, ids=lambda vector: vector["id"])
def test_a_mistake_is_read_as_it_was_meant(vector):
    reply, _ = replies.read_vector(vector)
    assert replies.as_expected(vector, reply), reply


def test_a_mistake_is_read_as_its_note_says():
    def read(name):
        return replies.read_vector(next(vector for vector in MISTAKES if vector["id"] == name))[0]

    assert [call.arguments for call in read("json-nan").tool_calls] == [{"r": None}]
    assert [call.arguments for call in read("react-plain").tool_calls] == [{"input": "Paris"}]
    for name in ("gemma-stripped", "oss-stripped"):
        assert [problem.code for problem in read(name).problems] == ["markers_missing"]
    (call,) = read("oss-bad-json").incomplete
    assert (call.name, call.arguments) == ("bash", "ls -la")


@together("vector", ALL, ids=lambda vector: vector["id"])
def test_a_reply_is_the_same_in_every_chunking(vector):
    reply, events = replies.read_vector(vector)
    folded = replies.fold(events)
    assert replies.folded_deltas(events) == reply.to_openai()
    for sizes in some(CUTS, seed=vector["id"]):
        again, others = replies.read_vector(vector, sizes)
        assert again == reply, sizes
        assert replies.fold(others) == folded, sizes


def markup(reply_format):
    """Return the marks of a format that no answer contains: those with letters, except words and Markdown."""
    grammar = reply_format.grammar
    parts = (grammar.reasoning, *grammar.wrappers, *grammar.sections, grammar.channels)
    found = {*reply_format.stop, *grammar.tokens, *(mark for part in parts if part for mark in marks_of(part))}
    return {mark for mark in found if any(map(str.isalpha, mark)) and not mark[0].isalpha() and mark[0] not in "`\n "}


def shows(reply, marks):
    return [mark for mark in marks if mark in reply.content or mark in (reply.reasoning or "")]


@together("vector", in_turn(ALL, 4), ids=lambda vector: vector["id"])
def test_a_reply_that_is_cut_off_anywhere_shows_no_control_token_and_no_part_of_a_call(vector):
    vector = vector | {"stage": "full", "options": vector["options"] | {"extract_reasoning": True}}
    text = vector["input"]
    marks = markup(replies.formats()[vector["format"]])
    if len(text) > 1_500 or shows(replies.read_vector(vector)[0], marks):
        pytest.skip("its answer contains marks, or is long")
    inside = {
        at + offset
        for mark in marks
        for at in range(len(text))
        if text.startswith(mark, at)
        for offset in range(1, len(mark))
    }
    for end in some(sorted(set(range(len(text))) - inside), seed=vector["id"]):
        reply, _ = replies.read_vector(vector | {"input": text[:end]})
        assert not shows(reply, marks), text[:end]
