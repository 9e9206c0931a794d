"""Work grows no faster than the size of a conversation, whatever there is more of."""

from contextlib import suppress
from itertools import count as numbers

import hostile
import pytest
from counting import cpu_seconds, lines_run

from lect import RefusedError

RUNAWAY = 2.5
"""CPU seconds, ten times what the slowest text of `TEXTS` took."""
FRESH = numbers()
"""A tool that was met before is written from a cache."""


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
    schema = {"type": "string", "description": f"d{next(FRESH)}", "enum": ["x"]}
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
TEXTS = ("text", "markers", "thoughts", "names")
"""Kinds whose work is searching a text, which no line of Python shows."""


def render(template, arguments):
    """Make a prompt with all its views, unless the format refuses it."""
    with suppress(RefusedError):
        prompt = template.render(**arguments)
        assert prompt.segments is not None
        assert prompt.unused is not None
        assert prompt.controls is not None


def growth(template, make, count):
    """Return by how many times work grows, in lines of Python, if there is eight times as much of something."""
    # Warm up with the larger one: the first call builds caches.
    render(template, make(8 * count))
    return lines_run(render, template, make(8 * count)) / lines_run(render, template, make(count))


@pytest.mark.parametrize("name", hostile.installed())
def test_work_grows_no_faster_than_a_conversation(name, scale):
    template = hostile.installed()[name]
    kinds = list(KINDS)
    if scale == 1:
        # Each template is tried with a few kinds.
        place = list(hostile.installed()).index(name)
        kinds = [kinds[(place + step) % len(kinds)] for step in range(3)]
    grown = {kind: growth(template, KINDS[kind], 40 if scale == 1 else 500) for kind in kinds}
    assert {kind: factor for kind, factor in grown.items() if factor >= 10} == {}


@pytest.mark.parametrize("name", hostile.installed())
def test_no_text_keeps_a_search_in_it_busy(name):
    template = hostile.installed()[name]
    spent = {kind: cpu_seconds(render, template, KINDS[kind](32_000)) for kind in TEXTS}
    assert {kind: seconds for kind, seconds in spent.items() if seconds >= RUNAWAY} == {}
