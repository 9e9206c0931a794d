"""Time grows with the size of a conversation and no faster, whatever it is that there is more of."""

import math
import time

import hostile
import pytest

from lect import RefusedError


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
    parameters = {"type": "object", "properties": {f"p{index}": schema for index in range(properties)}}
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
    "tools": lambda count: {"messages": [question()], "tools": [tool(index) for index in range(min(count, 10_000))]},
    "properties": lambda count: {"messages": [question()], "tools": [tool(0, properties=count)]},
    "parts": lambda count: {"messages": [{"role": "user", "content": [{"type": "text", "text": "p"}] * count}]},
    "reasoning": lambda count: {"messages": [question(), reasoned()] * (count // 2)},
    "arguments": lambda count: {
        "messages": [question(), answers([call(0, {f"a{index}": [index, {"b": "c"}] for index in range(count)})])]
    },
    "text": lambda count: {"messages": [question("some text " * count)]},
    "markers": lambda count: {"messages": [question("<|im_end|><think>" * count)]},
    "names": lambda count: {"messages": [{**question(), "name": "n" * count}, answers([call(0, {"a" * count: 1})])]},
    "system": lambda count: {"messages": [{"role": "system", "content": "s"}] * count},
}


def seconds(template, arguments):
    """Return the time of the processor for a prompt with all its views; None where the format refuses it.

    Of the processor: on a busy machine a clock shows how long others took.
    """
    begun = time.process_time()
    try:
        prompt = template.render(**arguments)
        assert prompt.segments is not None
        assert prompt.unused is not None
        assert prompt.controls is not None
    except RefusedError:
        return None
    return time.process_time() - begun


def growth(template, make, small, large, *, allowed, tries):
    """Return how much longer the large one takes; the best of several tries counts, and 0 is that it is refused."""
    few, many = make(small), make(large)
    least = most = math.inf
    for _ in range(tries):
        once = seconds(template, few)
        if once is None:
            return 0
        least, most = min(least, once), min(most, seconds(template, many))
        if most < allowed * least:
            break
    return most / least


@pytest.mark.parametrize("name", hostile.installed())
def test_time_grows_no_faster_than_a_conversation(name, scale):
    template = hostile.installed()[name]
    if scale == 1:
        # Between eightfold and the square of it lies room for a busy machine, its caches and its collectors.
        # Each template has its turn with a few kinds.
        place = list(hostile.installed()).index(name)
        for kind, make in [*KINDS.items(), *KINDS.items()][place % len(KINDS) :][:3]:
            # What few tools are written as is remembered, and takes no time.
            few = 500 if kind == "tools" else 40
            assert growth(template, make, few, 8 * few, allowed=24, tries=12) < 24, kind
        return
    for kind, make in KINDS.items():
        for count in (8_000, 16_000):
            assert growth(template, make, count, 2 * count, allowed=2.5, tries=5) < 2.5, (kind, count)
