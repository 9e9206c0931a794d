"""Where a maker has published several templates for a model, each is one of ours."""

import json

import differential
import pytest
from shared import SHARED

import lect
from lect_jinja.identity.knowledge import named_by_text

TEXTS = {
    "gemma-4-31B@1": "gemma:gemma-4-2026-04-01",
    "gemma-4-E@2": "gemma:gemma-4-2026-04-10",
    "gemma-4-E@3": "gemma:gemma-4-2026-04",
    "gemma-4-E@4": "gemma:gemma-4-905e84b",
    "gemma-4-E@7": "gemma:gemma-4",
    "gemma-4-31B@2": "gemma:gemma-4-31b-2026-04-10",
    "gemma-4-31B@9": "gemma:gemma-4-31b-2026-04",
    "gemma-4-31B@8": "gemma:gemma-4-31b-905e84b",
    "gemma-4-31B@10": "gemma:gemma-4-31b",
    "LFM2.5-1.2B-Instruct@1": "lfm2:lfm2.5-2026-03",
}


def with_revisions():
    """Yield `(plugin, template)` for every template that states its revisions."""
    for plugin, names in lect.templates().items():
        for name in names:
            template = lect.template(f"{plugin}:{name}")
            if template.revisions:
                yield plugin, template


def test_every_revision_is_a_template_of_the_same_package():
    for plugin, template in with_revisions():
        assert template.revision()
        dates = [date for date in template.revisions.values() if date.startswith("20")]
        assert dates == sorted(dates)
        for name in template.revisions:
            assert lect.template(f"{plugin}:{name}").name == name


@pytest.mark.parametrize(("slug", "name"), TEXTS.items())
def test_the_text_of_a_revision_is_known(slug, name):
    if not SHARED.exists():
        pytest.skip("needs the makers' templates: ../shared is missing")
    index = json.loads((SHARED / "oracles/autumn/revisions/index.json").read_text("utf-8"))
    (tokens,) = (entry["special_tokens"] for entry in index if entry["slug"] == slug)
    assert named_by_text(differential.maker_source(slug), tokens) == name
    assert lect.template(name).revision()
