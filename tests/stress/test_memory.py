"""What is remembered between prompts is bounded in bytes, however large the requests are."""

import gc
import tracemalloc
from contextlib import contextmanager

import hostile

import lect_jinja

MOST = 20 * 2**20
"""Bytes that may stay: three caches, 4 MiB each, and some slack."""
INDENTING = "llama:llama-3.1"
"""A template that writes tools indented, which takes the most memory."""


def tools(number, size):
    """Return tools that were never given before, of about `size` bytes in all."""
    text = f"{number} ".ljust(1000, "x")
    return [
        {"name": f"f{index}", "description": text, "parameters": {"type": "object"}} for index in range(size // 1000)
    ]


@contextmanager
def bounded():
    """Check that no more than `MOST` bytes stay allocated after the block."""
    gc.collect()
    tracemalloc.start()
    try:
        yield
        gc.collect()
        assert tracemalloc.get_traced_memory()[0] < MOST
    finally:
        tracemalloc.stop()


def test_large_tools_do_not_stay(scale):
    # Four of them are already too many if they stay.
    with bounded():
        for number in range(300 if scale > 1 else 4):
            hostile.installed()[INDENTING].text([{"role": "user", "content": "q"}], tools=tools(number, 4_000_000))


def test_tools_that_are_never_given_again_do_not_stay(scale):
    with bounded():
        for number in range(10 * scale):
            given = tools(number, 20_000)
            for _ in range(3):
                hostile.installed()[INDENTING].text([{"role": "user", "content": "q"}], tools=given)


def test_shapes_of_conversations_that_are_never_met_again_do_not_stay(scale):
    with bounded():
        for number in range(5 * scale):
            calls = [{"function": {"name": f"f{number}-{index}" * 9, "arguments": {}}} for index in range(100)]
            messages = [{"role": "user", "content": "q"}, {"role": "assistant", "content": "", "tool_calls": calls}]
            for _ in range(3):
                hostile.installed()["qwen:qwen3"].text(messages)


def test_texts_that_a_hostile_template_makes_do_not_stay(scale):
    with bounded():
        for number in range(60 * min(scale, 10)):
            separator = f"'{number}' ~ ' ' * 500000"
            lect_jinja.load(f"{{{{ messages | tojson(separators=[{separator}, ':']) }}}}").text(
                [{"role": "user", "content": "q"}]
            )
