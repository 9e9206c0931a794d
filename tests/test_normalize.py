"""Inputs are normalized before any template sees them: by the documented rules, and as another implementation does."""

import copy

import differential
import goldens
import pytest
from hypothesis import given
from made import rich_chats
from sampling import in_turn

import lect
from lect.plugin import normalize

CALL = {"type": "function", "function": {"name": "f", "arguments": {}}}


def arguments(value):
    return [
        {"role": "assistant", "content": "", "tool_calls": [{**CALL, "function": {"name": "f", "arguments": value}}]}
    ]


def content(value):
    return [{"role": "user", "content": value}]


TEXT_PARTS = [{"type": "text", "text": "a"}, {"type": "image"}, {"type": "text", "text": "b"}]


@pytest.mark.parametrize(
    ("messages", "accepts", "expected"),
    [
        (arguments('{"x": 1}'), (), arguments({"x": 1})),
        (arguments('{"x": 1}'), ["argument_text"], arguments('{"x": 1}')),
        (arguments(""), (), arguments({})),
        (arguments(None), (), arguments({})),
        (arguments("[1]"), (), arguments("[1]")),
        (arguments('{"x": '), (), arguments('{"x": ')),
        (content(None), (), content("")),
        (content(None), ["null"], content(None)),
        (content(TEXT_PARTS), (), content("a\nb")),
        (content(TEXT_PARTS), ["parts"], content(TEXT_PARTS)),
        (content([]), ["parts"], content("")),
        ([{"role": "assistant", "content": "x", "tool_calls": []}], (), [{"role": "assistant", "content": "x"}]),
        ([{"role": "assistant", "content": "x", "tool_calls": None}], (), [{"role": "assistant", "content": "x"}]),
        ([{"role": "user", "content": None, "name": None}], ["null"], content(None)),
    ],
)
def test_each_rule(messages, accepts, expected):
    before = copy.deepcopy(messages)
    assert normalize(messages, [], accepts=accepts) == (expected, None)
    assert messages == before


def test_calls_without_a_function_are_normalized_too():
    message = {"role": "assistant", "tool_calls": [{"name": "f", "arguments": '{"x": 1}'}]}
    ((right,), _) = normalize([message])
    assert right["tool_calls"] == [{"name": "f", "arguments": {"x": 1}}]


@given(rich_chats())
def test_an_independent_implementation_puts_the_same_right(messages):
    theirs = differential.shared_module("put_right").put_right
    for accepts in ((), ("parts",), ("null",), ("argument_text",)):
        flags = [name in accepts for name in ("parts", "argument_text", "null")]
        assert normalize(messages, accepts=accepts)[0] == theirs(differential.without_nulls(messages), *flags)


def test_what_a_template_takes_is_what_an_independent_reading_of_the_makers_finds():
    differential.reference()
    for slug, model in in_turn(goldens.native_models().items(), 4):
        parts, text, null = differential.accepts(slug)
        expected = {name for name, is_taken in (("parts", parts), ("argument_text", text), ("null", null)) if is_taken}
        assert lect.resolve(model).template.accepts == expected, (model, slug)
