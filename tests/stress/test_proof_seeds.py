"""The proof of a template has one verdict, whatever its stand-ins are: tried with 1,000 seeds under stress."""

import json
import random

import hostile
import pytest
from sampling import STRESS, in_turn
from shared import SHARED
from together import together

import lect_jinja
from lect.prompt.proof import leak_of

ORACLES = SHARED / "oracles"
MAKERS = json.loads((ORACLES / "index.json").read_text("utf-8")) if ORACLES.exists() else []
SEEDS = 1000 if STRESS else 4
SEEDS_OF_MAKERS = 20 if STRESS else 1
EVERY = 1 if STRESS else 12
"""One in this many makers' templates is tried."""


def leaks(template, seeds):
    """Return the seeds with which a template is found to lose the origin of a text; other ones for each name."""
    chosen = range(seeds) if STRESS else random.Random(template.name).sample(range(1000), seeds)
    return [seed for seed in chosen if leak_of(template, template.program, template._sought(), str(seed))]


@pytest.mark.filterwarnings("ignore::lect.errors.TemplateWarning")
@together("name", in_turn(hostile.installed(), 6))
def test_our_templates_keep_the_origin_of_texts(name):
    assert leaks(hostile.installed()[name], SEEDS) == []


@pytest.mark.filterwarnings("ignore::lect.errors.TemplateWarning")
@pytest.mark.parametrize("entry", in_turn(MAKERS[::EVERY], 3), ids=lambda entry: entry["slug"])
def test_makers_templates_keep_the_origin_of_texts(entry):
    text = (ORACLES / "jinja" / f"{entry['slug']}.jinja").read_text("utf-8")
    tokens = {name: value for name, value in (entry["special_tokens"] or {}).items() if isinstance(value, str)}
    template = lect_jinja.load({"chat_template": text, **tokens}, name=entry["slug"])
    assert leaks(template, SEEDS_OF_MAKERS) == []
