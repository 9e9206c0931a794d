"""How soon the strings in arguments reach the client."""

import json

import notations
import pytest
import replies
from sampling import in_turn
from together import together

from lect.reply.engine.compiled import marks_of

LONG = " ".join(f"w{index}" for index in range(2_000))[:2_000]
LATE = {
    "glm4_xml-ad0db944": "a list between tags is one text, JSON or not",
    "glm4_xml-5c8f2744": "a list between tags is one text, JSON or not",
    "glm4_xml-9670ed5b": "a list between tags is one text, JSON or not",
    "glm4_xml-a02bc189": "a list between tags is one text, JSON or not",
}
"""Vectors whose strings may be held: only the end of what they are in tells what it is."""


def most(reply_format):
    """Return how many characters of a string may be held: the longest mark and 16 more."""
    grammar = reply_format.grammar
    parts = [part for part in (grammar.reasoning, *grammar.wrappers, *grammar.sections, grammar.channels) if part]
    marks = {*reply_format.stop, *grammar.tokens, *(mark for part in parts for mark in marks_of(part))}
    return max(map(len, marks)) + 16


def held(stream, text, begin, end, beginning):
    """Return the most characters of `text[begin:end]` that were fed and not yet in a delta, fed one by one.

    `beginning` are the ways in which the deltas may write its first characters.
    """
    written, worst = "", 0
    for at, character in enumerate(text[:end]):
        written += "".join(event.text for event in stream.feed(character) if event.kind == "call_args")
        arrived = at + 1 - begin
        if arrived > 0:
            starts = max(written.rfind(one) for one in beginning)
            worst = max(worst, arrived - (len(written) - starts if starts >= 0 else 0))
    return worst


@together(("name", "reply_format"), in_turn(notations.grammars().items(), 3))
def test_a_long_string_is_passed_on_as_it_arrives(name, reply_format):
    for number, _, call, written in notations.places(reply_format.grammar):
        text = written.replace("@@", LONG)
        begin = text.index(LONG)
        stream = replies.open_stream(reply_format, tools=notations.TOOLS, starts_in_reasoning=False)
        worst = held(stream, text, begin, begin + len(LONG), [LONG[:12]])
        assert worst <= most(reply_format), (number, call)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("llama4_pythonic", "[f(o={'k': '@@', 'l': [1]})]"),
        ("llama4_pythonic", "[f(o={'l': [('a', '@@')]})]"),
        ("lfm2_pythonic", '<|tool_call_start|>[f(n=3, s="""@@""")]<|tool_call_end|>'),
        ("gemma4", '<|tool_call>call:f{o:{k:<|"|>@@<|"|>}}<tool_call|>'),
        ("gemma4", "<|tool_call>call:f{s:@@}<tool_call|>"),
        ("hermes_json", "<tool_call>{'name': 'f', 'arguments': {'s': '@@'}}</tool_call>"),
    ],
)
def test_so_is_one_inside_other_values_or_in_other_quotes(name, text):
    text = text.replace("@@", LONG)
    begin = text.index(LONG)
    stream = replies.open_stream(name, tools=notations.TOOLS)
    assert held(stream, text, begin, begin + len(LONG), [LONG[:12]]) <= most(replies.formats()[name])


def strings(value):
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from strings(each)


def test_no_string_of_any_vector_is_held_longer():
    count = 0
    for vector in (*replies.vectors("parse"), *replies.vectors("parse-adversarial"), *replies.mistakes()):
        reply, _ = replies.read_vector(vector)
        for call in reply.tool_calls:
            start, end = call.span
            raw = vector["input"][start:end]
            for value in strings(call.arguments):
                ways = {value, *(json.dumps(value, ensure_ascii=plain)[1:-1] for plain in (True, False))}
                there = next((way for way in ways if len(way) >= 30 and raw.count(way) == 1), None)
                if there is None or vector["id"] in LATE:
                    continue
                begin = start + raw.index(there)
                stream = replies.open_vector(vector)
                worst = held(stream, vector["input"], begin, begin + len(there), {way[:12] for way in ways})
                assert worst <= most(replies.formats()[vector["format"]]), vector["id"]
                count += 1
    assert count > 20


def test_a_value_whose_meaning_is_not_known_yet_is_not_passed_on():
    tools = [{"name": "f", "parameters": {"properties": {"n": {"type": "integer"}}}}]
    stream = replies.open_stream("gemma4", tools=tools)
    events = stream.feed('<|tool_call>call:f{n:<|"|>12')
    assert [event.kind for event in events] == ["call_start"]
    stream.feed('3<|"|>}<tool_call|>')
    assert stream.close().tool_calls[0].arguments == {"n": 123}
