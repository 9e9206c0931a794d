"""Ids of real tokenizers: `lect doctor --ids` passes those of lect and of transformers, and finds what is broken."""

import random

import pytest
import real_tokenizers
from damaged import damages, makers_texts, random_chat, rendered
from goldens import golden_files, native_models
from sampling import in_turn

import lect

pytest.importorskip("tokenizers")
pytest.importorskip("lect_tokens")
from lect_tokens import check_ids

PAIRS = [
    (name, each)
    for name in real_tokenizers.names()
    for each, template in real_tokenizers.templates(name).items()
    if real_tokenizers.has_marks(name, template)
]
if not PAIRS:
    pytest.skip(real_tokenizers.ABSENT, allow_module_level=True)
MAKERS = [
    (slug, name)
    for slug, model in native_models().items()
    for name, each in PAIRS
    if lect.resolve(model).template is real_tokenizers.templates(name)[each]
]


def alarms(template, ids, tokenizer):
    return [result for result in check_ids(template, ids, tokenizer) if result.status == "wrong"]


@pytest.mark.parametrize(("name", "template"), in_turn(PAIRS, 4, "read back"))
def test_what_lect_encodes_passes(name, template):
    tokenizer, template = real_tokenizers.tokenizer(name), real_tokenizers.templates(name)[template]
    rng = random.Random(template.name)
    for _ in range(12):
        messages, tools = random_chat(rng, template)
        asks = messages[-1]["role"] != "assistant"
        prompt = rendered(template, messages, tools=tools, add_generation_prompt=asks)
        if prompt is not None:
            assert alarms(template, prompt.encode(tokenizer).ids, tokenizer) == [], prompt.text


@pytest.mark.parametrize(("slug", "name"), in_turn(MAKERS, 4, "read back"))
def test_what_transformers_encodes_passes(slug, name):
    tokenizer, template = real_tokenizers.tokenizer(name), lect.resolve(native_models()[slug]).template
    for case, text in makers_texts(golden_files()[slug], template):
        ids = tokenizer.encode(text, add_special_tokens=False).ids
        assert alarms(template, ids, tokenizer) == [], case


@pytest.mark.parametrize(("name", "template"), in_turn(PAIRS, 4, "read back"))
def test_damage_is_found(name, template):
    tokenizer, template = real_tokenizers.tokenizer(name), real_tokenizers.templates(name)[template]
    missed = [
        (kind, text)
        for kind, text in damages(template, tokenizer)
        if not alarms(template, tokenizer.encode(text, add_special_tokens=False).ids, tokenizer)
    ]
    assert missed == []


def test_what_the_template_writes_is_in_the_tokenizers_tokens():
    tokenizer, template = real_tokenizers.tokenizer("qwen3"), real_tokenizers.templates("qwen3")["qwen:qwen3"]
    ids = template.render([{"role": "user", "content": "Hi"}], add_generation_prompt=True).encode(tokenizer).ids
    whole = tokenizer.encode("user", add_special_tokens=False).ids
    parts = [each for text in ("us", "er") for each in tokenizer.encode(text, add_special_tokens=False).ids]
    at = ids.index(whole[0])
    results = alarms(template, [*ids[:at], *parts, *ids[at + 1 :]], tokenizer)
    assert [result.name for result in results] == ["tokens"]
