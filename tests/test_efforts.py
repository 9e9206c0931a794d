"""How hard a model is to think: a family and its maker's own template have the same options for it, and they do what
they say."""

import differential
import goldens
import pytest
from installed_templates import installed
from sampling import in_turn
from together import together

import lect

pytestmark = pytest.mark.filterwarnings("ignore:invalid escape sequence")  # in a maker's template
TEMPLATES = installed()
LEVELS = ("off", "low", "medium", "high")
QUESTION = [{"role": "user", "content": "Hi"}]
# As the makers' model cards have them.
STATED = {
    "Qwen/Qwen3-8B": [{"enable_thinking": False}, *[{"enable_thinking": True}] * 3],
    "openai/gpt-oss-20b": [{"reasoning_effort": level} for level in ("low", "low", "medium", "high")],
    "deepseek-ai/DeepSeek-V3.1": [{"thinking": False}, *[{"thinking": True}] * 3],
    "LGAI-EXAONE/EXAONE-4.0-32B": [{"enable_thinking": False}, *[{"enable_thinking": True}] * 3],
    "ByteDance-Seed/Seed-OSS-36B-Instruct": [{"thinking_budget": 0}, {}, {}, {}],
    "meta-llama/Llama-3.1-8B-Instruct": [{}] * 4,
}
OTHERWISE = {
    "deepseek-ai--DeepSeek-V3.1": "it has two names for one option",
    "deepseek-ai--DeepSeek-V4": "the family has more levels, those of the maker's API",
    "deepseek-ai--DeepSeek-V4-Flash-0731": "the family has more levels, those of the maker's API",
}


def efforts(template):
    return [template.effort(level) for level in LEVELS]


@pytest.mark.parametrize("model", STATED)
def test_the_options_are_those_of_the_model_card(model):
    assert efforts(lect.get_template(model)) == STATED[model]


@together("slug", in_turn(goldens.native_models(), 4))
def test_the_makers_own_template_has_the_same(slug):
    own, family = differential.own_template(slug), lect.resolve(goldens.native_models()[slug]).template
    assert efforts(own) == efforts(family) or slug in OTHERWISE


@together("name", TEMPLATES)
def test_every_template_takes_its_own_options_and_off_is_not_high(name):
    template = TEMPLATES[name]
    off, *_, high = [template.text(QUESTION, add_generation_prompt=True, **each) for each in efforts(template)]
    assert (off == high) == (template.effort("off") == template.effort("high"))
    for level in LEVELS:
        options = template.effort(level)
        assert not [each for each in template.render(QUESTION, **options).unused if each.path[0] == "options"]
