"""Rollouts with the tokenizers of eight makers, and beside the package `renderers`."""

import random
from collections import Counter

import pytest
import real_tokenizers
import rollouts

import lect
from lect_rollout import Rollout

pytest.importorskip("tokenizers")

PAIRS = [(name, template) for name in real_tokenizers.names() for template in real_tokenizers.templates(name)]
SEEDS = range(2)


@pytest.mark.parametrize(("name", "template"), PAIRS or [(None, None)])
def test_sampled_ids_stay_and_canonical_ones_are_those_of_a_fresh_render(name, template):
    if name is None:
        pytest.skip(real_tokenizers.ABSENT)
    tokenizer, template = real_tokenizers.tokenizer(name), real_tokenizers.templates(name)[template]
    tally = sum((rollouts.play(template, tokenizer, seed) for seed in SEEDS), Counter())
    assert tally["canonical, same ids"] == tally["canonical, same text"]
    assert tally["bridges"]


@pytest.mark.parametrize("name", real_tokenizers.names())
def test_a_text_is_what_the_model_wrote_wherever_it_is_cut(name):
    tokenizer = real_tokenizers.tokenizer(name)
    template = next(iter(real_tokenizers.templates(name).values()))
    start = Rollout(template, [{"role": "user", "content": "Hi"}], tokenizer)
    rng = random.Random(name)
    for _ in range(40):
        text = real_tokenizers.text(rng).replace("\ufeff", "").replace("e\u0301", "é").replace("\u0301", "")
        ids = rollouts.sampled(tokenizer, start.ids[-1], text, rng)
        cut = rng.randint(0, len(ids))
        rollout = start.fork()
        assert text.startswith(rollout.feed(ids[:cut]).raw)
        assert rollout.feed(ids[cut:]).raw == text
        assert rollout.ids == [*start.ids, *ids]


def test_the_first_bridge_needs_no_copy_of_the_tokenizer(monkeypatch):
    """A copy takes seconds, and only a text that spells a control token needs one."""
    if not real_tokenizers.ROOT.exists():
        pytest.skip(real_tokenizers.ABSENT)
    made = []
    monkeypatch.setattr("lect.tokens.tokenizer.changed", lambda *given: made.append(given))
    monkeypatch.setattr("lect.tokens.tokenizer._kept", {})
    tokenizer = real_tokenizers.tokenizer("qwen3")
    rollout = lect.rollout("Qwen/Qwen3-8B", [{"role": "user", "content": "Hi"}], tokenizer)
    for stop in ([151645], []):
        rollout.feed([*tokenizer.encode("Hello!").ids, *stop])
        rollout.add([{"role": "user", "content": "And <now>?"}])
    assert made == []


class BroughtTokenizer:
    """What `renderers` expects of a tokenizer that is not one of transformers."""

    name_or_path = "Qwen/Qwen3-8B"
    unk_token_id = None
    eos_token_id = 151645

    def __init__(self, tokenizer):
        self._tokenizer = tokenizer

    def encode(self, text, **_):
        return self._tokenizer.encode(text, add_special_tokens=False).ids

    def decode(self, ids, **_):
        return self._tokenizer.decode(list(ids), skip_special_tokens=False)

    def convert_tokens_to_ids(self, text):
        return self._tokenizer.token_to_id(text)


def test_bridges_of_qwen3_are_those_of_renderers():
    """But for control tokens in results, which become two control ids there, and calls whose end was not sampled."""
    renderers = pytest.importorskip("renderers", reason="renderers is not installed", exc_type=ImportError)
    if not real_tokenizers.ROOT.exists():
        pytest.skip(real_tokenizers.ABSENT)
    tokenizer, template = real_tokenizers.tokenizer("qwen3"), lect.get_template("Qwen/Qwen3-8B")
    config = renderers.Qwen3RendererConfig(thinking_retention="all")
    renderer = renderers.create_renderer(BroughtTokenizer(tokenizer), config)
    tally = Counter()
    for seed in range(60):
        rng = random.Random(seed)
        for messages, said, tools in rollouts.conversations(template, rng):
            said["content"] = said["content"] and (real_tokenizers.text(rng).strip() or "Yes.")
            rollout = Rollout(template, messages, tokenizer, tools=tools)
            prompt = rollout.ids
            assert prompt == renderer.render_ids(messages, tools=tools, add_generation_prompt=True)
            way = rng.choice(rollouts.WAYS)
            sample = rollouts.sample_of(rollouts.written(template, messages, said, tools), template, way, rng)
            ids = rollouts.sampled(tokenizer, prompt[-1], sample, rng if way == "split otherwise" else None)
            follow = rollouts.following(rollout.feed(ids), "<|im_end|>", rng)
            theirs = renderer.bridge_to_next_turn(prompt, ids, follow, tools=tools).token_ids
            try:
                rollout.add(follow)
            except lect.RefusedError:
                tally["refused"] += 1
                rollout.add(follow, close=True)
                continue
            kind = (
                "planted" if "<|im_end|>" in follow[0]["content"] else "truncated" if way == "truncated" else "others"
            )
            tally[kind, rollout.ids == theirs] += 1
    assert tally["others", False] == tally["planted", True] == 0
    assert tally["others", True] > 50
