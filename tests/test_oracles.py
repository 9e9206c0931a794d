"""Families against their makers' own templates, on random conversations: one template in four, those whose turn it is
at this commit; all with LECT_FULL=1."""

import differential
import goldens
import pytest
from sampling import in_turn

import lect

MODELS = goldens.native_models()


@pytest.mark.parametrize("slug", in_turn(MODELS, 6))
def test_differs_nowhere_from_the_makers_template(slug):
    # A family that says more about tools than the template is compared without tools, one that puts late instructions
    # elsewhere on conversations in good order; its own tests cover the rest.
    resolution = lect.resolve(MODELS[slug])
    rows = goldens.deviations(resolution.package.removeprefix("lect-"))
    cases = [case for each, case in rows if each == slug]
    calls = not any(case.startswith("tool_roundtrip") for case in cases)
    disorderly = not any(case.startswith("system_late") for case in cases)
    differential.check(slug, resolution.template, parts=True, calls=calls, disorderly=disorderly, max_examples=20)
