"""Rollouts of every template, and of makers' own ones: sampled ids stay, and what follows them is the template's."""

import json
import random
from collections import Counter

import hostile
import pytest
import rollouts
from sampling import STRESS, in_turn
from shared import SHARED
from tiny_tokenizer import Bytes
from together import together

import lect
from lect_rollout import Rollout

TEMPLATES = hostile.installed()
SEEDS = range(8 if STRESS else 1)
TURNS = 16
REASONS = (
    "the sample breaks off in a call",
    "the sample breaks off in reasoning",
    "the sample breaks off in a header",
    "the sample goes on after its stop",  # Two turns in one reply, as history has them in nemotron-nano-v2.
    "writes nothing for",  # An empty one, in GLM-4.
    "before the end of the reply",  # Gemma 4 writes content after the results of calls.
    "must alternate",  # Mistral wants the results of calls, and not a user.
    "roles must",
    "Cannot pass both content and thinking",  # gpt-oss, in an older template of its maker.
)
"""Why rollouts are refused."""


def bytes_for(template):
    """Return a tokenizer with the control tokens of a template. Plain text such as `User: ` is none."""
    texts = [text for text in (*template.stop, *template.markers) if not {" ", "{"} & set(text) and text != "###"]
    return Bytes(*dict.fromkeys(texts or ["<|end|>"]))


def played(template):
    tally = sum((rollouts.play(template, bytes_for(template), seed) for seed in SEEDS), Counter())
    refused = [reason for reason in tally if reason.startswith("refused")]
    assert all(any(known in reason for known in REASONS) for reason in refused), refused
    assert tally["canonical, same ids"] == tally["canonical, same text"]
    return tally


@together("name", in_turn(sorted(TEMPLATES), 8))
def test_every_template_continues_what_was_sampled(name):
    assert played(TEMPLATES[name])["bridges"]


def long_rollout(template, seed):
    """Return the ids of a random rollout with many turns; shorter if one is refused and no other is possible."""
    rng = random.Random(f"{template.name} {seed}")
    tokenizer = bytes_for(template)
    tools = rollouts.TOOLS if "tools" in template.capabilities and rng.random() < 0.7 else None
    replies = [reply for reply in rollouts.REPLIES.values() if tools or "tool_calls" not in reply]
    # Of a few kinds, so that nothing is new in most of its turns.
    replies = rng.sample(replies, rng.randint(1, len(replies)))
    words = [word for word in template._sought() if len(word) < 40] or [""]
    messages = [{"role": "user", "content": f"How is it? {rng.choice(words)}"}]
    if "system" in template.capabilities and rng.random() < 0.5:
        messages.insert(0, {"role": "system", "content": "Be brief."})
    rollout = Rollout(template, messages, tokenizer, tools=tools)
    for _ in range(TURNS):
        message = {"role": "assistant", **rng.choice(replies)}
        text = rollouts.written(template, rollout.messages, message, tools)
        planted = rng.choice(words) if rng.random() < 0.2 else ""
        try:
            heard = rollout.feed(rollouts.sampled(tokenizer, rollout.ids[-1], text or "Fine."))
            rollout.add(rollouts.following(heard, planted, rng))
        except lect.MessageError:
            break
    return rollout.ids, rollout.messages


@pytest.mark.parametrize("name", in_turn(sorted(TEMPLATES), 8))
def test_a_long_rollout_is_continued_as_if_all_of_it_were_rendered(name, monkeypatch):
    template = TEMPLATES[name]
    found = [long_rollout(template, seed) for seed in SEEDS]
    monkeypatch.setattr("lect_rollout.rollout.FEW", 1000)
    assert [long_rollout(template, seed) for seed in SEEDS] == found


def makers():
    root = SHARED / "oracles"
    return json.loads((root / "index.json").read_text("utf-8")) if root.exists() else []


@pytest.mark.filterwarnings("ignore::lect.errors.ReplyFormatWarning")
@pytest.mark.parametrize("entry", makers()[:: 4 if STRESS else 40] or [None], ids=lambda each: each and each["slug"])
def test_a_makers_own_template_continues_what_was_sampled(entry):
    if entry is None:
        pytest.skip("the makers' templates are not available: ../shared is missing")
    text = (SHARED / f"oracles/jinja/{entry['slug']}.jinja").read_text("utf-8")
    tokens = {name: token for name, token in (entry["special_tokens"] or {}).items() if token}
    template = lect.load_template({"chat_template": text, **tokens}, notation="jinja")
    played(template)
