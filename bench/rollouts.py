"""Rollouts that grow: token by token, and turn by turn.

In processor time, as in `tokens.py`.
"""

import gc
from functools import partial
from time import process_time

from timing import Line, micro
from tokens import TOKENIZERS, stored

TOKENIZER = TOKENIZERS / "qwen3"
MODEL = "Qwen/Qwen3-8B"
TOKENS, TURNS, ROUNDS = 2_000, 200, 15
TWICE, ALL, USERS, USERS_TWICE, TOOLS, TOOLS_TWICE = (
    f"rollouts: {TOKENS:,} tokens fed one by one, beside half of them",
    f"rollouts: {TOKENS:,} tokens fed one by one, beside one feed of all, with its reply",
    f"rollouts: {TURNS} turns with a user, beside the texts of their prompts",
    f"rollouts: {TURNS} turns with a user, beside half of them",
    f"rollouts: {TURNS} turns with a tool, beside the texts of their prompts",
    f"rollouts: {TURNS} turns with a tool, beside half of them",
)
BOUNDS = {TWICE: 2.3, ALL: 30, USERS: 3, USERS_TWICE: 2.3, TOOLS: 3, TOOLS_TWICE: 2.3}
QUESTION = [{"role": "user", "content": "How is the weather?"}]
ANSWER = "<think>\nHm, yes.\n</think>\n\nIt is fine, and it stays so until tomorrow evening at the latest.<|im_end|>"
CALL = '<think>\nHm.\n</think>\n\n<tool_call>\n{"name": "weather", "arguments": {"days": 1}}\n</tool_call><|im_end|>'


def lines():
    """Yield the lines about rollouts."""
    try:
        import lect_rollout
    except ImportError as error:
        yield from skipped(str(error))
        return
    if not TOKENIZER.is_dir():
        yield from skipped("the tokenizer is not available: ../shared/tokenizers/qwen3 is missing")
        return
    tokenizer = stored(TOKENIZER)
    start = lect_rollout.Rollout(template(), QUESTION, tokenizer)
    ids = tokenizer.encode("<think>\n" + "one word and more of them, " * TOKENS, add_special_tokens=False).ids[:TOKENS]
    one_by_one = partial(fed, start, ids, 1)
    for what, other in ((TWICE, partial(fed, start, ids[: TOKENS // 2], 1)), (ALL, partial(fed, start, ids, TOKENS))):
        ours, theirs = best(one_by_one, other)
        yield Line(what, ours / theirs, BOUNDS[what], least=False, note=f"{micro(ours)}, beside {micro(theirs)}")
    for what, twice, text in ((USERS, USERS_TWICE, ANSWER), (TOOLS, TOOLS_TWICE, CALL)):
        messages = taken_turns(start, text, TURNS).messages
        ours, half, bare = best(
            partial(taken_turns, start, text, TURNS),
            partial(taken_turns, start, text, TURNS // 2),
            partial(texts, start.template, messages),
        )
        for line, other in ((what, bare), (twice, half)):
            note = f"{micro(ours)}, beside {micro(other)}"
            yield Line(line, ours / other, BOUNDS[line], least=False, note=note)


def skipped(why):
    return (Line(what, None, bound, least=False, note=why) for what, bound in BOUNDS.items())


def template():
    import lect

    return lect.get_template(MODEL)


def fed(start, ids, size):
    """Feed ids in pieces of a size, and read the reply that they make."""
    rollout = start.fork()
    for at in range(0, len(ids), size):
        reply = rollout.feed(ids[at : at + size])
    assert reply.reasoning


def taken_turns(start, text, turns):
    """Play turns: the same sample, and what follows it."""
    rollout = start.fork()
    ids = rollout.tokenizer.encode(text, add_special_tokens=False).ids
    for _ in range(turns):
        calls = rollout.feed(ids).tool_calls
        results = [{"role": "tool", "tool_call_id": call.id, "content": "13 °C"} for call in calls]
        rollout.add(results or [{"role": "user", "content": "And after that?"}])
    return rollout


def texts(template, messages):
    """Write the prompt of each turn, and nothing else."""
    for count in range(1, len(messages) + 1, 2):
        template.text(messages[:count], add_generation_prompt=True)


def best(*functions):
    """Return the best processor time of each; they take turns."""
    times = [[] for _ in functions]
    gc.disable()
    for _ in range(ROUNDS):
        for function, each in zip(functions, times, strict=True):
            begin = process_time()
            function()
            each.append(process_time() - begin)
            gc.collect()
    gc.enable()
    return [min(each) for each in times]
