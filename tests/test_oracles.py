"""Every family against its makers' own templates, on random conversations."""

import json

import differential
import goldens
import pytest

import lect

MODELS = {}
if goldens.SHARED.exists():
    for model, slug in json.loads((goldens.SHARED / "oracles/resolution.json").read_text("utf-8")).items():
        MODELS.setdefault(slug, model)


def test_the_makers_templates_are_here():
    if not goldens.SHARED.exists():
        pytest.skip("the makers' templates are not here: ../shared is missing")
    assert len(MODELS) == 66


@pytest.mark.parametrize("slug", MODELS)
def test_differs_nowhere_from_the_makers_template(slug):
    # A family that says more about tools than its maker's template is compared where there are none; its own tests
    # cover the rest.
    resolution = lect.resolve(MODELS[slug])
    rows = goldens.deviations(resolution.package.removeprefix("lect-"))
    calls = not any(each == slug and case.startswith("tool_roundtrip") for each, case in rows)
    differential.check(slug, resolution.template, parts=True, calls=calls, max_examples=40)
