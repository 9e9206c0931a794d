"""What other projects lose, by their public issues, is not lost here."""

import re
import runpy

import differential
import goldens
import losses
import pages
import pytest
from shared import SHARED

import lect
from lect.addon import spell

CASES = losses.cases()


def of(*tasks, is_open=False):
    chosen = [case for case in CASES if case["task"] in tasks and case.get("open", False) == is_open]
    return pytest.mark.parametrize("case", chosen, ids=[case["id"] for case in chosen])


@of("reply", "vector")
@pytest.mark.parametrize("sizes", losses.CHUNKINGS, ids=["whole", "characters", "pieces", "longer pieces"])
def test_a_reply_is_read_as_it_was_meant_however_it_arrives(case, sizes):
    assert losses.misread(case, sizes) == {}


@of("reply", is_open=True)
def test_what_is_lost_here_too_is_named(case):
    assert losses.misread(case), "it is read now: it is no longer open"
    assert losses.read(case)["problems"]


@of("prompt")
def test_a_prompt_has_all_that_was_given_or_says_what_it_has_not(case):
    prompt = losses.rendered(case)
    positions = [prompt.text.find(text) for text in case.get("has", [])]
    assert -1 not in positions
    assert positions == sorted(positions)
    unused = {(spell(each.path), each.why) for each in prompt.unused}
    assert {(spell(tuple(path)), why) for path, why in case.get("unused", [])} <= unused


@pytest.mark.skipif(not SHARED.exists(), reason="the makers' templates are missing: ../shared")
@of("prompt")
def test_a_prompt_is_the_one_that_the_maker_writes(case):
    template = lect.resolve(case["model"]).template
    same = (slug for slug, model in goldens.native_models().items() if lect.resolve(model).template is template)
    slug = next(same, None)
    if slug is None or slug not in differential.entries():
        pytest.skip("the maker publishes code, not a template: its family compares the prompts with what that gave")
    options = {"tools": case.get("tools"), "add_generation_prompt": case.get("add_generation_prompt", False)}
    differential.compare(slug, template, case["messages"], **options, **case.get("options", {}))


@of("mask")
def test_a_mask_has_exactly_what_the_model_has_to_write(case):
    assert losses.trained(case) == case["trained"]


@of("ids")
def test_ids_have_a_control_token_only_where_the_template_has_written_it(case):
    in_ids, _ = losses.times(case)
    assert in_ids == case["times"]


def test_every_case_has_a_name_of_its_own_and_an_address():
    assert len({case["id"] for case in CASES}) == len(CASES)
    assert len({case["issue"] for case in CASES}) >= 60
    assert all(re.fullmatch(r"[\w.-]+/[\w.-]+#\d+", case["issue"]) for case in CASES)


def test_the_page_shows_what_lect_gives():
    made = runpy.run_path(str(pages.DOCS / "make_losses.py"))
    assert made["PAGE"].read_text("utf-8") == made["page"](), "try: python docs/make_losses.py"
