"""Replies, streamed in chunks of four characters: compared with transformers' own parser, how time grows with length,
and how much memory they take; and what it costs to name their format."""

import itertools
import json
import math
import sys
import tracemalloc
from functools import partial
from pathlib import Path
from statistics import median
from time import process_time

from timing import Line, beside, micro

import lect

# The replies are those of the tests.
sys.path.append(str(Path(__file__).parents[1] / "tests" / "support"))
from long_replies import KINDS, TOOLS, text

CHUNK = 4
"""Characters: about a token."""
TOKENS = (500, 2_000, 8_000)
MOST_ROUNDS = 25
SETTLED = 2.1
"""A busy machine gets more rounds; if time really grows faster than the text, no number of them is enough."""
LONGEST = 10_000_000
LONG_TEXTS = (
    "JSON call",
    "JSON call, name last",
    "parameter",
    "Python",
    "like Python",
    "channels",
    "reasoning and content",
)
DETOUR_CALLS, DETOUR_ROUNDS = 40, 31
DOUBLINGS = (1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000)

# The same calls for transformers, in its own notation.
HERMES = {
    "defaults": {"role": "assistant"},
    "start_anchor": "<|im_start|>assistant\n",
    "fields": {
        "reasoning_content": {"open": "<think>", "close": "</think>", "content": "text"},
        "content": {"content": "text"},
        "tool_calls": {
            "open": "<tool_call>",
            "close": "</tool_call>",
            "content": "json",
            "repeats": True,
            "transform": {"type": "function", "function": "{content}"},
        },
    },
}


def hermes(tokens):
    """Return a call with an argument of that many tokens."""
    arguments = {"path": "a.py", "content": text(tokens * CHUNK)}
    return f"<tool_call>\n{json.dumps({'name': 'write_file', 'arguments': arguments})}\n</tool_call>"


def lines():
    """Yield the lines about replies."""
    try:
        from transformers.utils.chat_parsing import ResponseParser
    except ImportError as error:
        yield Line("a streamed call, beside transformers", None, 2.5, note=f"transformers is not here: {error}")
    else:
        for tokens in TOKENS:
            chunks = cut(hermes(tokens))
            ours, theirs = partial(read, "hermes_json", chunks), partial(read_as_transformers, ResponseParser, chunks)
            yield beside(f"a streamed call, tokens: {tokens:,}, beside transformers", ours, theirs, 2.5, text=arguments)
    reply = "It will be sunny in Oslo for three days.<|im_end|>"
    model, format_name = "Qwen/Qwen3-8B", "hermes_json"
    for what, function in (("parse", lect.parse), ("stream, a chunk", read_at_once)):
        named = partial(function, model, reply, format=format_name)
        yield detour(f"{what}: a model and a format, beside the model alone", named, partial(function, model, reply))
    for what, model, options, known in (
        ("a model of which only the replies are known", "RekaAI/reka-flash-3", {}, "reka"),
        ("a model that nobody knows and a format", "acme/nobody-7b", {"format": "think"}, "think"),
    ):
        by_name = partial(lect.parse, model, reply, **options)
        yield detour(f"parse: {what}, beside the format alone", by_name, partial(lect.parse, None, reply, format=known))
    for kind, (name, make) in KINDS.items():
        yield doubling(kind, name, make)
    for kind in LONG_TEXTS:
        yield memory(kind, *KINDS[kind])


def detour(what, call, direct):
    """Return the line that says how much longer a call takes than the direct one, which gives the same reply."""
    try:
        same = call() == direct()
    except lect.LectError as error:
        return Line(what, None, 1.2, least=False, note=str(error).splitlines()[0])
    if not same:
        return Line(what, None, 1.2, least=False, note="the replies differ", failed=True)
    rounds = [[taken(partial(repeated, each)) / DETOUR_CALLS for each in (call, direct)] for _ in range(DETOUR_ROUNDS)]
    ours, theirs = map(median, zip(*rounds, strict=True))
    return Line(what, ours / theirs, 1.2, least=False, note=f"{micro(ours)}, beside {micro(theirs)}")


def repeated(call):
    for _ in range(DETOUR_CALLS):
        call()


def read_at_once(model, reply, **options):
    stream = lect.stream(model, **options)
    stream.feed(reply)
    return stream.close()


def doubling(kind, name, make):
    """Return the line that says how much longer a reply of twice the length takes.

    The lengths take turns, and the best time of each counts, so that whatever slows the machine slows them alike.
    """
    calls = [partial(read, name, cut(make(tokens * CHUNK)), tools=TOOLS) for tokens in DOUBLINGS]
    times = [math.inf] * len(calls)
    worst = math.inf
    for _ in range(MOST_ROUNDS):
        for index, call in enumerate(calls):
            times[index] = min(times[index], taken(call))
        worst = max(after / before for before, after in itertools.pairwise(times))
        if worst <= SETTLED:
            break
    note = ", ".join(f"{time * 1e3:.1f}" for time in times)
    return Line(f"{kind}: each doubling from 1k to 64k tokens", worst, 2.2, least=False, note=f"{note} ms")


def memory(kind, name, make):
    """Return the line that says how much memory a reply takes while it arrives, relative to its text."""
    reply = make(LONGEST)
    tracemalloc.start()
    stream = lect.stream(None, format=name, tools=TOOLS)
    for at in range(0, len(reply), CHUNK):
        stream.feed(reply[at : at + CHUNK])
    stream.close()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    size = f"{len(reply) / 1e6:.0f} MB"
    return Line(f"{kind}: memory for {size} in chunks of {CHUNK} characters", peak / len(reply), 5, least=False)


def taken(call):
    """Return the processor time that a call takes."""
    start = process_time()
    call()
    return process_time() - start


def cut(reply):
    return [reply[at : at + CHUNK] for at in range(0, len(reply), CHUNK)]


def read(name, chunks, tools=None):
    stream = lect.stream(None, format=name, tools=tools)
    for chunk in chunks:
        stream.feed(chunk)
    return stream.close().to_openai()


def read_as_transformers(parser, chunks):
    stream = parser(HERMES, prefix="")
    for chunk in chunks:
        stream.feed(chunk)
    return stream.finalize()[0]


def arguments(message):
    """Return the arguments of a message's only call as text."""
    (call,) = message["tool_calls"]
    value = call["function"]["arguments"]
    return json.dumps(json.loads(value) if isinstance(value, str) else value)
