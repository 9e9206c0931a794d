"""Rollouts of every template, and of makers' own ones: sampled ids stay, and what follows them is the template's."""

import json
import random
from collections import Counter

import hostile
import pytest
import rollouts
from sampling import STRESS, some
from shared import SHARED
from tiny_tokenizer import Bytes
from together import together

import lect
from lect_rollout import Rollout

TEMPLATES = hostile.installed()
SEEDS = range(8 if STRESS else 1)
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


@together("name", some(sorted(TEMPLATES), "rollouts"))
def test_every_template_continues_what_was_sampled(name):
    assert played(TEMPLATES[name])["bridges"]


def long_rollout(template, tools):
    """Return the ids of a rollout with many turns, one for each kind of reply; shorter if a turn is refused."""
    tokenizer = bytes_for(template)
    messages = [{"role": "user", "content": "How is it? /no_think"}]
    rollout = Rollout(template, messages, tokenizer, tools=tools)
    for number, reply in enumerate([*rollouts.REPLIES.values()] * 3):
        message = {"role": "assistant", **reply}
        if "tool_calls" in reply and not tools:
            continue
        text = rollouts.written(template, rollout.messages, message, tools)
        try:
            heard = rollout.feed(rollouts.sampled(tokenizer, rollout.ids[-1], text or "Fine."))
            rollout.add(rollouts.following(heard, "", random.Random(number)))
        except lect.MessageError:
            break
    return rollout.ids, rollout.messages


@pytest.mark.parametrize("name", some(sorted(TEMPLATES), "long rollouts"))
def test_a_long_rollout_is_continued_as_if_all_of_it_were_rendered(name, monkeypatch):
    template = TEMPLATES[name]
    tools = rollouts.TOOLS if "tools" in template.capabilities else None
    found = long_rollout(template, tools)
    monkeypatch.setattr("lect_rollout.rollout.FEW", 1000)
    assert long_rollout(template, tools) == found


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
