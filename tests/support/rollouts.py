"""Scripted rollouts: replies as a template writes them, sampled in several ways, and what comes after them.

`play` checks what holds for every rollout, and counts what happened.
"""

import random
from collections import Counter

import lect
from lect.addon import controls_in, encoder_of
from lect.values import TRANSFORMED, Origin, Segment
from lect_rollout import Rollout
from lect_rollout.bridge import encoded_after

TOOLS = [
    {
        "type": "function",
        "function": {
            "name": "weather",
            "description": "Return the weather.",
            "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
        },
    }
]
CALL = {"id": "call00000", "type": "function", "function": {"name": "weather", "arguments": {"city": "Köln"}}}
REPLIES = {
    "content": {"content": "It is fine, 你好 👋."},
    "reasoning": {"content": "Fine.", "reasoning_content": "Look it\nup."},
    "call": {"content": None, "tool_calls": [CALL]},
    "reasoning and call": {"content": None, "reasoning_content": "Ask.", "tool_calls": [CALL]},
    "content and call": {"content": "Let me see.", "tool_calls": [CALL]},
}
WAYS = ("canonical", "split otherwise", "without stop", "truncated")
ONLY_TOKENS = "a tokenizer splits the same text otherwise"


def conversations(template, rng):
    """Yield messages, the reply to them, and tools."""
    for reply in REPLIES.values():
        if "reasoning_content" in reply and "reasoning" not in template.capabilities:
            continue
        if "tool_calls" in reply and "tools" not in template.capabilities:
            continue
        has_system = "system" in template.capabilities and rng.random() < 0.5
        system = [{"role": "system", "content": "Be brief."}] if has_system else []
        question = {"role": "user", "content": "How is it?"}
        yield [*system, question], {"role": "assistant", **reply}, TOOLS if "tool_calls" in reply else None


def written(template, messages, reply, tools):
    """Return a reply as the model writes it after the prompt, with its stop; None if history does not tell."""
    try:
        prompt = template.text(messages, tools=tools, add_generation_prompt=True)
        whole = template.render([*messages, reply], tools=tools)
    except lect.LectError:
        return None
    turn = next((turn for turn in whole.turns if turn.message == len(messages)), None)
    stop = next(iter(template.stop), "")
    if turn is not None and whole.text.startswith(prompt):
        text = whole.text[len(prompt) : turn.end]
        return text if turn.stop < turn.end else text + stop
    return reply["content"] + stop if reply.keys() == {"role", "content"} else None


def sampled(tokenizer, before, text, rng=None):
    """Return the ids of a text after an id; with `rng`, split at random places."""
    if rng is None:
        return list(encoded_after(before, [Segment(text, Origin.TEMPLATE, (), TRANSFORMED, None)], tokenizer).ids)
    encoder = encoder_of(tokenizer)
    context = encoder.control_ids.get(before, "\ufffc")
    cuts = sorted({len(context), *(rng.randint(len(context), len(context + text)) for _ in range(4))})
    tokens = encoder.between(context + text, encoder.found(context + text), cuts)
    return tokens.ids[tokens.first(len(context)) :]


def sample_of(text, template, way, rng):
    """Return the text that is sampled."""
    if way in ("canonical", "split otherwise"):
        return text
    text = text.removesuffix(next((stop for stop in template.stop if text.endswith(stop)), ""))
    return text if way == "without stop" else text[: rng.randint(1, max(len(text) - 1, 1))]


def following(reply, planted, rng):
    """Return the results of a reply's calls, or what a user says next; some contain a control token."""
    plant = planted if rng.random() < 0.3 else ""
    if reply.tool_calls and rng.random() < 0.8:
        return [
            {"role": "tool", "tool_call_id": call.id, "name": call.name, "content": f"13 °C{plant}"}
            for call in reply.tool_calls
        ]
    return [{"role": "user", "content": f"And{plant} now?"}]


def ids_anew(prompt, tokenizer, cuts):
    """Return the ids of a prompt, cut where samples begin and end."""
    encoder = encoder_of(tokenizer)
    _, own, _ = controls_in(prompt.layout, encoder)
    opening = encoder.opening if prompt.encode(tokenizer).report.bos == "tokenizer" else []
    return [*opening, *encoder.between(prompt.text, own, cuts).ids]


def play(template, tokenizer, seed):
    """Play rollouts of a template, and return what happened."""
    rng = random.Random(f"{template.name} {seed}")
    planted = rng.choice(sorted(encoder_of(tokenizer).controls))
    tally = Counter()
    for messages, said, tools in conversations(template, rng):
        text = written(template, messages, said, tools)
        if text is None:
            continue
        prompt = template.render(messages, tools=tools, add_generation_prompt=True)
        start = Rollout(template, messages, tokenizer, tools=tools)
        assert start.ids == prompt.encode(tokenizer).ids
        for way in WAYS:
            sample = sample_of(text, template, way, rng)
            ids = sampled(tokenizer, start.ids[-1], sample, rng if way == "split otherwise" else None)
            rollout = start.fork()
            reply = rollout.feed(ids, [-1.0] * len(ids))
            calls = sorted((*reply.tool_calls, *reply.incomplete), key=lambda call: call.index)
            own_ids = [call.id for call in calls].__getitem__
            assert reply == template.parse(sample, prompt=prompt, tools=tools, call_id=own_ids)
            tally["samples"] += 1
            try:
                rollout.add(following(reply, planted, rng))
            except lect.MessageError as error:
                tally[f"refused: {str(error).splitlines()[0]}"] += 1
                assert rollout.ids == [*start.ids, *ids]
                continue
            tally["bridges"] += 1
            check(rollout, start.ids, ids)
            compare(rollout, prompt.text, sample, tokenizer, tally, is_canonical=way in ("canonical", "without stop"))
    return tally


def check(rollout, given, ids):
    """Check that what was sampled is there as it was, and marked as such."""
    encoded = rollout.encoded
    added = len(encoded.ids) - len(given) - len(ids)
    assert encoded.ids[:-added] == [*given, *ids]
    assert encoded.weights == [0.0] * len(given) + [1.0] * len(ids) + [0.0] * added
    assert encoded.logprobs == [None] * len(given) + [-1.0] * len(ids) + [None] * added
    reply = next(index for index, message in enumerate(rollout.messages) if message["role"] == "assistant")
    begin = len(given)
    assert not ids or any(
        span.message == reply and span.start <= begin and span.end >= begin + len(ids) for span in encoded.spans
    )


def compare(rollout, prompt, sample, tokenizer, tally, *, is_canonical):
    """Compare a rollout with its conversation, rendered anew."""
    fresh = rollout.template.render(rollout.messages, tools=rollout.tools, add_generation_prompt=True)
    drift, text = rollout.drift, rollout._text
    if fresh.text == text:
        tally["same text"] += 1
        assert drift is None or drift.reason == ONLY_TOKENS
        if is_canonical:
            tally["canonical, same text"] += 1
            anew = ids_anew(fresh, tokenizer, [len(prompt), len(prompt) + len(sample)])
            tally["canonical, same ids"] += rollout.ids == anew
        return
    tally["other text"] += 1
    assert drift is not None
    assert drift.reason != ONLY_TOKENS
    question = fresh.text.find("How is it?")
    if any(fresh.text.rfind(each) > question for each in ("Be brief.", "Return the weather.")):
        tally["moved"] += 1
    elif rollout.template.parse(sample).stop is not None:
        assert fresh.text.endswith(text[len(prompt) + len(sample) :])
