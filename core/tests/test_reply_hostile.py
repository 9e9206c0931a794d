"""Output that is meant to hurt: time grows as the text does, whatever is in it, and nothing is lost."""

import json
import time

import pytest
import replies

from idiolect.reply.stream import ReplyStream

LINE = "def f(x):\n    return x + 1  # words, 'quotes' < and { more }\n"
STRING = [{"name": "w", "parameters": {"type": "object", "properties": {"c": {"type": "string"}}}}]
NS = "]<]minimax[>["


def body(length):
    return (LINE * (length // len(LINE) + 1))[:length]


def in_json(length):
    return json.dumps({"c": body(length)})


# One for each kind of arguments, with `length` characters of them.
KINDS = {
    "json_call": ("hermes_json", lambda length: f'<tool_call>\n{{"name": "w", "arguments": {in_json(length)}}}\n</tool_call>'),
    "name_last": ("hermes_json", lambda length: f'<tool_call>\n{{"arguments": {in_json(length)}, "name": "w"}}\n</tool_call>'),
    "structure": ("hermes_json", lambda length: f'<tool_call>{{"name": "w", "arguments": {{"c": [{"1, " * (length // 3)}0]}}}}</tool_call>'),
    "json_list": ("jamba", lambda length: "<tool_calls>[" + ", ".join(['{"name": "w", "arguments": {"c": 1}}'] * (length // 38)) + "]</tool_calls>"),
    "name_json": ("deepseek_v31", lambda length: f"<｜tool▁call▁begin｜>w<｜tool▁sep｜>{in_json(length)}<｜tool▁call▁end｜>"),
    "parameter": ("qwen3_coder_xml", lambda length: f"<function=w>\n<parameter=c>\n{body(length)}\n</parameter>\n</function>"),
    "parameters": (
        "glm4_xml",
        lambda length: "<tool_call>w" + "".join(f"<arg_key>{n}</arg_key><arg_value>{n}</arg_value>" for n in range(length // 50)) + "</tool_call>",
    ),
    "tags": (
        "minimax_m3",
        lambda length: (
            f'{NS}<tool_call>{NS}<invoke name="w">{NS}<c>{f"{NS}<item>1{NS}</item>" * (length // 40)}{NS}</c>{NS}</invoke>{NS}</tool_call>'
        ),
    ),
    "pythonic": ("pythonic", lambda length: f"[w(c={body(length)!r})]"),
    "like_python": ("gemma4", lambda length: f'<|tool_call>call:w{{c:<|"|>{body(length)}<|"|>}}<tool_call|>'),
    "code": ("internlm2_action", lambda length: f"<|action_start|><|interpreter|>{body(length)}<|action_end|>"),
    "channels": ("harmony", lambda length: f"<|channel|>commentary to=functions.w<|message|>{in_json(length)}<|call|>"),
}


def seconds(name, text, size=4, **arguments):
    """Return the shortest of three times for reading a text."""
    times = []
    for _ in range(3):
        stream = ReplyStream(name, **arguments)
        start = time.process_time()
        for at in range(0, len(text), size):
            stream.feed(text[at : at + size])
        stream.close()
        times.append(time.process_time() - start)
    return min(times)


@pytest.mark.parametrize("kind", KINDS)
def test_p6_twice_the_arguments_take_twice_the_time(kind):
    name, make = KINDS[kind]
    assert len(replies.read(make(4_000), format=name)[0].tool_calls) >= 1
    short, long = (seconds(name, make(length), tools=STRING) for length in (32_000, 128_000))
    assert long / short < 2.2**2, "twice doubled"


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
def test_p6_twenty_thousand_openings_that_nothing_closes_are_read_in_time_and_lost_is_nothing(what):
    name, opening = HOSTILE[what]
    short, long = (seconds(name, opening * count, size=7) for count in (2_500, 10_000))
    assert long / short < 2.4**2, "twice doubled"
    reply, _ = replies.read(opening * 20_000, format=name)
    assert "".join(reply.raw[piece.start : piece.end] for piece in reply.pieces) == opening * 20_000


def test_a_string_of_ten_million_characters_is_read():
    text = f'<tool_call>{{"name": "f", "arguments": {{"x": "{"y" * 10_000_000}"}}}}</tool_call>'
    (call,) = replies.read(text, [65_536], format="hermes_json")[0].tool_calls
    assert len(call.arguments["x"]) == 10_000_000


@pytest.mark.parametrize("name", ["hermes_json", "pythonic", "gemma4"])
def test_values_that_lie_a_hundred_thousand_deep_are_content(name):
    text = {"hermes_json": '<tool_call>{"name": "f", "arguments": {"x": ', "pythonic": "[f(x=", "gemma4": "<|tool_call>call:f{x:"}[
        name
    ] + "[" * 100_000
    reply, _ = replies.read(text, [4096], format=name)
    assert (reply.content, reply.tool_calls) == (text, ())
    assert reply.problems[0].code == "too_deep"


def test_a_number_of_a_million_digits_is_no_number():
    text = f'<tool_call>{{"name": "f", "arguments": {{"x": {"1" * 1_000_000}}}}}</tool_call>'
    assert replies.read(text, format="hermes_json")[0].content == text


def test_white_space_without_end_is_read_in_time():
    short, long = (seconds("pythonic", "[f(a" + " " * length, size=1) for length in (5_000, 20_000))
    assert long / short < 2.4**2, "twice doubled"
