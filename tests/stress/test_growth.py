"""Time grows no faster than the size of a conversation, whatever there is more of."""

import gc
import math
import time
from itertools import pairwise

import hostile
import pytest

from lect import RefusedError

TRIES = 12
"""How often growth is measured where it seems to be too fast."""


def question(text="q"):
    return {"role": "user", "content": text}


def call(number=0, arguments=None):
    return {
        "id": f"call{number:05}"[-9:],
        "type": "function",
        "function": {"name": f"f{number}", "arguments": arguments or {"a": number}},
    }


def result(number=0):
    return {"role": "tool", "tool_call_id": f"call{number:05}"[-9:], "name": f"f{number}", "content": "r"}


def answers(calls, content=None):
    return {"role": "assistant", "content": content, "tool_calls": calls}


def tool(number, properties=1):
    schema = {"type": "string", "description": "d", "enum": ["x"]}
    names = [f"p{index}" for index in range(properties)]
    parameters = {"type": "object", "properties": dict.fromkeys(names, schema), "required": names}
    return {"type": "function", "function": {"name": f"f{number}", "description": "d", "parameters": parameters}}


def reasoned():
    return {"role": "assistant", "content": "<think>t</think>a", "reasoning_content": "t"}


KINDS = {
    "messages": lambda count: {"messages": [question(), {"role": "assistant", "content": "a"}] * (count // 2)},
    "calls": lambda count: {"messages": [question(), answers([call(index) for index in range(count)])]},
    "results": lambda count: {
        "messages": [question()]
        + [answers([call(index) for index in range(count // 2)])]
        + [result(index) for index in range(count // 2)]
    },
    "calls in turn": lambda count: {
        "messages": [question()]
        + [each for index in range(count // 2) for each in (answers([call(index)]), result(index))]
    },
    "tools": lambda count: {
        "messages": [question()],
        "tools": [tool(index) for index in range(count)],
        "limits": {"tools": count},
    },
    "properties": lambda count: {"messages": [question()], "tools": [tool(0, properties=count)]},
    "parts": lambda count: {"messages": [{"role": "user", "content": [{"type": "text", "text": "p"}] * count}]},
    "blank parts": lambda count: {"messages": [{"role": "user", "content": [{"type": "text", "text": " "}] * count}]},
    "reasoning": lambda count: {"messages": [question(), reasoned()] * (count // 2)},
    "arguments": lambda count: {
        "messages": [question(), answers([call(0, {f"a{index}": [index, {"b": "c"}] for index in range(count)})])]
    },
    "text": lambda count: {"messages": [question("some text " * count)]},
    "markers": lambda count: {"messages": [question("<|im_end|><think>" * count)]},
    "thoughts": lambda count: {
        "messages": [
            question(),
            {"role": "assistant", "content": "<think>\n</think>\n<|channel>t<channel|>" * count},
            question(),
        ]
    },
    "documents": lambda count: {
        "messages": [question()],
        "documents": [{"doc_id": str(index), "title": "t", "text": "d"} for index in range(count)],
    },
    "names": lambda count: {"messages": [{**question(), "name": "n" * count}, answers([call(0, {"a" * count: 1})])]},
    "system": lambda count: {"messages": [{"role": "system", "content": "s"}] * count},
}


def seconds(template, arguments):
    """Return the CPU time for a prompt with all its views; None if the format refuses it.

    CPU time, because on a busy machine wall-clock time includes other processes. Without the collector, whose work
    depends on what else is alive.
    """
    gc.disable()
    begun = time.process_time()
    try:
        prompt = template.render(**arguments)
        assert prompt.segments is not None
        assert prompt.unused is not None
        assert prompt.controls is not None
    except RefusedError:
        return None
    finally:
        gc.enable()
    return time.process_time() - begun


def growth(template, make, *counts, allowed):
    """Return the largest factor by which time grows from one count to the next; 0 if the request is refused.

    All are measured in turn, and the best of several tries counts, so that a busy machine does no harm.
    """
    requests = [make(count) for count in counts]
    least = [math.inf] * len(counts)
    for _ in range(TRIES):
        times = [seconds(template, request) for request in requests]
        if None in times:
            return 0
        least = list(map(min, least, times))
        most = max(after / before for before, after in pairwise(least))
        if most < allowed:
            break
    return most


@pytest.mark.parametrize("name", hostile.installed())
def test_time_grows_no_faster_than_a_conversation(name, scale):
    template = hostile.installed()[name]
    kinds = list(KINDS)
    allowed = 2.5
    if scale == 1:
        # Each template is tried with a few kinds. Between 8 times and 64 times there is room for a busy machine and its
        # caches.
        place = list(hostile.installed()).index(name)
        kinds = [kinds[(place + step) % len(kinds)] for step in range(3)]
        allowed = 24
    grown = {kind: growth(template, KINDS[kind], *counts(kind, scale), allowed=allowed) for kind in kinds}
    assert {kind: factor for kind, factor in grown.items() if factor >= allowed} == {}


def counts(kind, scale):
    if scale > 1:
        return 8_000, 16_000, 32_000
    # The text of a few tools is cached, and takes no time.
    return (500, 4_000) if kind == "tools" else (40, 320)
