"""Hostile output: work grows no faster than the text, whatever is in it, and nothing is lost."""

import tracemalloc

import pytest
import replies
from counting import cpu_seconds, lines_run
from long_replies import KINDS, TOOLS
from sampling import in_turn

RUNAWAY = 25
"""CPU seconds, ten times what the slowest reply below took."""


def feed(name, text, size, **arguments):
    """Read a text in chunks."""
    stream = replies.open_stream(name, **arguments)
    for at in range(0, len(text), size):
        stream.feed(text[at : at + size])
    stream.close()


def growth(name, short, long, *, size=4, **arguments):
    """Return by how many times the work grows from a short text to a long one, in lines of Python."""
    # Warm up with the longer one: the first call builds caches.
    feed(name, long, size, **arguments)
    return lines_run(feed, name, long, size, **arguments) / lines_run(feed, name, short, size, **arguments)


@pytest.mark.parametrize("kind", in_turn(KINDS, 3))
def test_p6_work_grows_no_faster_than_the_length_of_a_reply(kind):
    name, make = KINDS[kind]
    reply, _ = replies.read(make(4_000), format=name)
    assert reply.tool_calls or kind == "reasoning and content"
    assert reply.problems == ()
    assert growth(name, make(1_000), make(8_000), tools=TOOLS) < 10
    # bench/replies.py measures how time grows.
    assert cpu_seconds(feed, name, make(32_000), 4, tools=TOOLS) < RUNAWAY


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


@pytest.mark.parametrize("what", in_turn(HOSTILE, 12))
def test_p6_twenty_thousand_unclosed_openings_are_read_in_time_and_nothing_is_lost(what):
    name, opening = HOSTILE[what]
    assert growth(name, opening * 100, opening * 800, size=7) < 10
    assert cpu_seconds(feed, name, opening * 5_000, 7) < RUNAWAY
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
    assert growth("pythonic", "[f(a" + " " * 500, "[f(a" + " " * 4_000, size=1) < 10
    assert cpu_seconds(feed, "pythonic", "[f(a" + " " * 20_000, 1) < RUNAWAY


def test_a_call_whose_first_key_lost_its_mark_takes_no_memory_for_the_text_before_it():
    properties = {"city": {"type": "string"}}
    tool = {"name": "get_weather", "parameters": {"type": "object", "properties": properties}}
    text = "<tool_call>get_weathercity</arg_key>\n<arg_value>Paris</arg_value>\n</tool_call>"
    arguments = {"format": "glm4_xml", "tools": [{"type": "function", "function": tool}]}
    # The first stream loads the format.
    replies.read("x", **arguments)
    tracemalloc.start()
    (call,) = replies.read("x " * 10_000 + text, **arguments)[0].tool_calls
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert call.arguments == {"city": "Paris"}
    assert most < 5_000_000


def test_a_long_call_is_not_compared_with_what_follows_it_spelling_by_spelling():
    head = "<|tool_calls_section_begin|><|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>"
    tail = "<|tool_call_end|><|tool_calls_section_end|><|im_end|>"
    feed("kimi_k2", f"{head}{{}}{tail}", 4096)
    assert lines_run(feed, "kimi_k2", f'{head}{{"x": "{"y" * 4_000}"}}{tail}', 4096) < 2_000


@pytest.mark.parametrize("name", ["deepseek_v4_dsml", "glm4_xml", "harmony", "hermes_json"])
def test_lines_cells_and_tags_that_begin_no_mark_are_not_looked_at_one_by_one(name):
    line = "| a | b |\n<b>bold</b>, x < y\n"
    few, many = (lines_run(feed, name, f"Look:\n{line * count}", 4096 * 16) for count in (1, 1_000))
    assert many < few + 20
