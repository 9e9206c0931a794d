"""Hostile output: time grows no faster than the text, whatever is in it, and nothing is lost."""

import math
import time

import pytest
import replies
from long_replies import KINDS, TOOLS


def seconds(name, text, size, **arguments):
    """Return the CPU time for reading a text."""
    stream = replies.open_stream(name, **arguments)
    start = time.process_time()
    for at in range(0, len(text), size):
        stream.feed(text[at : at + size])
    stream.close()
    return time.process_time() - start


def grows_less_than(factor, name, short, long, *, size=4, **arguments):
    """Say whether a long text takes less than `factor` times the time of a short one.

    The best of several tries counts: on a busy machine, caches and collectors interfere.
    """
    brief = lengthy = math.inf
    for _ in range(10):
        brief = min(brief, seconds(name, short, size, **arguments))
        lengthy = min(lengthy, seconds(name, long, size, **arguments))
        if lengthy < factor * brief:
            return True
    return False


@pytest.mark.parametrize("kind", KINDS)
def test_p6_time_grows_no_faster_than_the_length_of_a_reply(kind):
    name, make = KINDS[kind]
    reply, _ = replies.read(make(4_000), format=name)
    assert reply.tool_calls or kind == "reasoning and content"
    assert reply.problems == ()
    # Between 8 times and 64 times there is room for a busy machine; bench/replies.py has the exact bound.
    assert grows_less_than(24, name, make(8_000), make(64_000), tools=TOOLS)


HOSTILE = {
    "openings": ("hermes_json", "<tool_call>"),
    "openings of calls": ("hermes_json", '<tool_call>{"name": "f", "arguments": {"x": '),
    "openings of strings": ("hermes_json", '<tool_call>{"name": "f", "arguments": {"x": "'),
    "reasoning": ("hermes_json", "<think>"),
    "line ends": ("hermes_json", "\n"),
    "brackets": ("hermes_json", "<"),
    "parameters": ("qwen3_coder_xml", "<tool_call>\n<function=f>\n<parameter=a>"),
    "heads": ("qwen3_coder_xml", "<function="),
    "closes": ("qwen3_coder_xml", "</parameter>"),
    "names": ("kimi_k2", "<|tool_call_begin|>f"),
    "python": ("pythonic", "[f(a="),
    "quotes": ("pythonic", "[f(a='"),
    "a key and white space": ("pythonic", "[f(a" + " " * 40),
    "headers": ("harmony", "<|start|>"),
    "channels": ("harmony", "<|channel|>a"),
    "bare": ("llama3_json", '{"name": "a", '),
    "words": ("react", "\nAction: a"),
}


@pytest.mark.parametrize("what", HOSTILE)
def test_p6_twenty_thousand_unclosed_openings_are_read_in_time_and_nothing_is_lost(what):
    name, opening = HOSTILE[what]
    # Between 4 times and 16 times there is room for a busy machine.
    assert grows_less_than(10, name, opening * 2_500, opening * 10_000, size=7)
    reply, _ = replies.read(opening * 20_000, format=name)
    assert "".join(reply.raw[piece.start : piece.end] for piece in reply.pieces) == opening * 20_000


def test_a_string_of_ten_million_characters_is_read():
    text = f'<tool_call>{{"name": "f", "arguments": {{"x": "{"y" * 10_000_000}"}}}}</tool_call>'
    (call,) = replies.read(text, [65_536], format="hermes_json")[0].tool_calls
    assert len(call.arguments["x"]) == 10_000_000


@pytest.mark.parametrize("name", ["hermes_json", "pythonic", "gemma4"])
def test_a_call_nested_a_hundred_thousand_deep_is_incomplete(name):
    text = {
        "hermes_json": '<tool_call>{"name": "f", "arguments": {"x": ',
        "pythonic": "[f(x=",
        "gemma4": "<|tool_call>call:f{x:",
    }[name] + "[" * 100_000
    reply, _ = replies.read(text, [4096], format=name)
    assert (reply.content, reply.tool_calls, [call.name for call in reply.incomplete]) == ("", (), ["f"])
    assert [problem.code for problem in reply.problems] == ["too_deep"]


def test_a_number_of_a_million_digits_is_no_number():
    text = f'<tool_call>{{"name": "f", "arguments": {{"x": {"1" * 1_000_000}}}}}</tool_call>'
    reply, _ = replies.read(text, format="hermes_json")
    assert ([call.name for call in reply.incomplete], reply.problems[0].code) == (["f"], "unbalanced_json")


def test_endless_white_space_is_read_in_time():
    assert grows_less_than(10, "pythonic", "[f(a" + " " * 5_000, "[f(a" + " " * 20_000, size=1)
