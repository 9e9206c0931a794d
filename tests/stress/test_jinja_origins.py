"""Every operation of a chat template, with somebody's text, number or key in every position: none of it becomes the template's.

Each expression is rendered for two users. An ordinary run tries some, the same in every run.
"""

import random

import pytest
from jinja_expressions import expressions, faults
from sampling import STRESS, in_turn

TRIED = 1600
"""In an ordinary run."""
PARTS = 8


@pytest.fixture(scope="module")
def tried():
    """The expressions that are tried."""
    every = list(dict.fromkeys(expressions()))
    return every if STRESS else random.Random(0).sample(every, TRIED)


@pytest.mark.parametrize("part", in_turn(range(PARTS), 3))
def test_what_differs_between_two_users_is_not_the_templates_and_text_agrees_with_render(part, tried):
    assert {expression: found for expression in tried[part::PARTS] if (found := faults(expression))} == {}
