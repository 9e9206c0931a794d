"""Providers' names: every row of the table with its evidence, and what stands before and after a name."""

import json

import pytest
from shared import SHARED
from together import together

import lect
from lect.errors import PluginError, UnknownModelError
from lect_kit import AdapterSuite
from lect_providers import table

FACTS = SHARED / "names/slugs-autumn.json"


class TestProviders(AdapterSuite):
    plugin = "providers"
    examples = {}


def answer(path):
    """Return what is known of a name: the template and the kind; None if it is unknown."""
    try:
        found = lect.resolve(path, fallback=False)
    except UnknownModelError:
        return None
    return found.template.name, found.kind


@together("name", table())
def test_every_name_is_answered_as_the_model_of_the_hub_is(name):
    assert answer(name) == answer(table()[name][0])


def test_every_row_is_one_of_the_facts():
    if not FACTS.exists():
        pytest.skip("the facts about names are not available: ../shared is missing")
    facts = {(fact["slug"], fact["hub"]) for fact in json.loads(FACTS.read_text("utf-8"))["slugs"]}
    assert {(name, hub) for name, (hub, _) in table().items()} <= facts


@pytest.mark.parametrize(
    ("path", "hub"),
    [
        ("accounts/fireworks/models/glm-5p2", "zai-org/GLM-5.2"),
        ("fireworks_ai/accounts/fireworks/models/glm-5p2", "zai-org/GLM-5.2"),
        ("us.deepseek.r1-v1:0", "deepseek-ai/DeepSeek-R1"),
        ("cerebras/zai-glm-4.6", "zai-org/GLM-4.6"),
        ("meta-llama/llama-4-scout", "meta-llama/Llama-4-Scout-17B-16E-Instruct"),
        ("meta-llama/llama-4-scout:free", "meta-llama/Llama-4-Scout-17B-16E-Instruct"),
        ("nvidia/nemotron-3-nano-30b-a3b:free", "nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B"),
        ("openrouter/z-ai/glm-4.6:exacto", "zai-org/GLM-4.6"),
        ("deepseek/deepseek-r1:thinking", "deepseek-ai/DeepSeek-R1"),
        ("qwen/qwen3-30b-a3b:thinking", "Qwen/Qwen3-30B-A3B"),
        ("qwen/qwen3-32b:nitro", "Qwen/Qwen3-32B"),
    ],
)
def test_a_name_may_follow_the_provider_and_have_its_terms_behind_it(path, hub):
    assert answer(path) == answer(hub)
    assert answer(path)


@pytest.mark.parametrize("path", ["accounts/fireworks/models/glm-9p9", "zai-glm-9", "qwen3:free"])
def test_nothing_is_inferred_from_a_spelling(path):
    assert answer(path) is None


def test_who_chooses_the_package_by_hand_is_told_that_it_has_no_templates():
    with pytest.raises(PluginError, match=r"has no templates\n  try: lect templates"):
        lect.resolve("acme/some-7b", adapter="providers")
