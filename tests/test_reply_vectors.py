"""Replies as other people's tests have them, and what they mean."""

import pytest
import replies

VECTORS = replies.vectors("parse")
ADVERSARIAL = replies.vectors("parse-adversarial")
WRONG = replies.held_wrong()
CUTS = ([1], [2], [3], [4], [7], [1, 13], [5, 1, 2])


@pytest.mark.parametrize(
    "vector", [vector for vector in VECTORS if vector["id"] not in WRONG], ids=lambda vector: vector["id"]
)
def test_a_reply_means_what_its_vector_says(vector):
    reply, _ = replies.read_vector(vector)
    assert replies.as_expected(vector, reply), reply


@pytest.mark.parametrize(
    "vector", [vector for vector in VECTORS if vector["id"] in WRONG], ids=lambda vector: vector["id"]
)
def test_a_vector_that_is_held_wrong_is_still_one_from_which_we_differ(vector):
    reply, _ = replies.read_vector(vector)
    assert not replies.as_expected(vector, reply), f"we agree by now; take it off the list: {WRONG[vector['id']]}"


def test_every_vector_that_is_held_wrong_exists():
    assert set(WRONG) <= {vector["id"] for vector in VECTORS}


@pytest.mark.parametrize("vector", ADVERSARIAL, ids=lambda vector: vector["id"])
def test_where_other_parsers_fail_we_do_not(vector):
    reply, _ = replies.read_vector(vector)
    assert replies.as_expected(vector, reply), reply
    assert [problem.code for problem in reply.problems] == vector["problems"]


@pytest.mark.parametrize("vector", [*VECTORS, *ADVERSARIAL], ids=lambda vector: vector["id"])
def test_a_reply_is_the_same_in_every_chunking(vector):
    reply, events = replies.read_vector(vector)
    folded = replies.fold(events)
    for sizes in CUTS:
        again, others = replies.read_vector(vector, sizes)
        assert again == reply, sizes
        assert replies.fold(others) == folded, sizes
