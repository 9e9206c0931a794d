"""`lect doctor --ids` over all formats: what is right passes, what is broken is found."""

import random
from collections import Counter

import pytest
from character_tokenizer import CharacterTokenizer
from damaged import CHAT, damages, makers_texts, random_chat, rendered
from goldens import golden_files, golden_models
from hostile import installed
from sampling import FULL, in_turn, some

import lect
from lect.tokens.policy import LossPolicy
from lect.tokens.tokenizer import encoder_of

check_ids = pytest.importorskip("lect_tokens").check_ids

FIRST_ID = 2_000_000
FORMATS = [
    "lect:chatml", "qwen:qwen2.5", "qwen:qwen3", "llama:llama-3", "llama:llama-3.1", "mistral:mistral-nemo", "gemma:gemma-3",
    "deepseek:deepseek-v3", "deepseek:deepseek-r1", "chatglm:glm-4.5", "phi:phi-3.5", "internlm:internlm2-chat",
    "gptoss:gpt-oss", "kimi:kimi-k2", "cohere:command-r", "granite:granite-3.3",
]  # fmt: skip
"""Formats of many makers, each unlike the others."""
SOME = [*dict.fromkeys([*in_turn(FORMATS, 4), *in_turn([*installed()], 48, "read back")])]


def tokenizer_for(template):
    """Return a tokenizer that has all markers of a template."""
    texts = dict.fromkeys([template.bos, *template.markers, *template.stop])
    return CharacterTokenizer({text: FIRST_ID + number for number, text in enumerate(filter(None, texts))})


def alarms(template, ids, tokenizer):
    return [result for result in check_ids(template, ids, tokenizer) if result.status == "wrong"]


def test_all_kinds_of_damage_are_tried():
    kinds = Counter()
    for name in FORMATS:
        template = installed()[name]
        kinds.update(kind for kind, _ in damages(template, tokenizer_for(template)))
    assert len(kinds) == 8
    assert min(kinds.values()) >= 5, kinds
    assert kinds.total() >= 40


@pytest.mark.parametrize("name", in_turn(FORMATS, 3, "damage"))
def test_damage_is_found(name):
    template = installed()[name]
    tokenizer = tokenizer_for(template)
    encoder = encoder_of(tokenizer)
    missed = [
        (kind, text)
        for kind, text in damages(template, tokenizer)
        if not alarms(template, encoder.whole(text).ids, tokenizer)
    ]
    assert missed == []


@pytest.mark.parametrize("name", SOME)
def test_what_is_right_passes(name):
    template = installed()[name]
    tokenizer = tokenizer_for(template)
    rng = random.Random(name)
    count = 0
    for _ in range(24 if FULL else 8):
        messages, tools = random_chat(rng, template)
        asks = messages[-1]["role"] != "assistant"
        prompt = rendered(template, messages, tools=tools, add_generation_prompt=asks)
        if prompt is None:
            continue
        count += 1
        encoded = [prompt.encode(tokenizer), prompt.encode(tokenizer, safe=False)]
        if not asks:
            encoded.append(prompt.encode(tokenizer, policy=LossPolicy(allow_uniform=True), strict=False))
        for each in encoded:
            assert alarms(template, each.ids, tokenizer) == [], prompt.text
    assert count


@pytest.mark.parametrize("slug", in_turn(some(golden_files(), "read back"), 8, "read back"))
def test_what_makers_templates_write_passes(slug):
    template = lect.resolve(golden_models()[slug]).template
    tokenizer = tokenizer_for(template)
    encoder = encoder_of(tokenizer)
    found = {
        case: alarms(template, encoder.whole(text).ids, tokenizer)
        for case, text in makers_texts(golden_files()[slug], template)
    }
    assert {case: results for case, results in found.items() if results} == {}


@pytest.mark.parametrize(
    "name", in_turn([name for name, each in installed().items() if "images" in each.capabilities], 8)
)
def test_several_images_in_a_row_pass(name):
    template = installed()[name]
    tokenizer = tokenizer_for(template)
    for count in (2, 5):
        parts = [{"type": "text", "text": "Compare"}, *[{"type": "image"}] * count]
        for content in (parts, parts[::-1]):
            prompt = rendered(template, [{"role": "user", "content": content}], add_generation_prompt=True)
            assert prompt is None or alarms(template, prompt.encode(tokenizer).ids, tokenizer) == []


@pytest.mark.parametrize("name", in_turn(FORMATS, 3, "turns"))
def test_turns_are_rendered_again_and_counted(name):
    template = installed()[name]
    tokenizer = tokenizer_for(template)
    prompt = rendered(template, CHAT, add_generation_prompt=True) or template.render(
        CHAT[1:], add_generation_prompt=True
    )
    ids = prompt.encode(tokenizer).ids
    turns = next(result for result in check_ids(template, ids, tokenizer) if result.name == "turns")
    assert turns.status == "ok"
    assert turns.what.endswith(f"{len(ids)} ids equal")
    assert "user, assistant, " in turns.what
