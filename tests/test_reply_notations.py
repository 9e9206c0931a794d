"""Mistakes in the arguments of calls, in every notation and every installed grammar: a table that is generated."""

import json

import notations
import pytest
import replies
from sampling import in_turn
from together import together

UNCERTAIN = {
    *("a missing brace", "two missing braces", "a missing bracket", "a missing comma", "a missing quote"),
    "doubled brackets",
    # In JSON a quote ends a string, and a comment in a call of Python may be part of a string that lacks its quote.
    *("a raw quote", "a comment"),
}
"""Mistakes after which nobody can say for certain what was meant."""
SPACES = {"a raw line end": "\n", "a raw tab": "\t"}


def meant(mistake):
    """Return the arguments that are meant."""
    space = SPACES.get(mistake, " ")
    return notations.ARGUMENTS | {"s": notations.ARGUMENTS["s"].replace("so, ", f"so,{space}")}


@together(("name", "reply_format"), in_turn(notations.grammars().items(), 3))
def test_a_mistake_is_understood_wherever_its_notation_occurs(name, reply_format):
    ways = {number: call for number, _, call, _ in notations.places(reply_format.grammar)}
    for (number, notation, mistake), text in notations.mistaken(reply_format.grammar):
        reply = replies.heard(text, format=reply_format, tools=notations.TOOLS)
        found = [(call.name, call.arguments) for call in reply.tool_calls]
        where = (number, notation, mistake, text, reply)
        if mistake in UNCERTAIN:
            assert reply.problems or found == [("f", meant(mistake))], where
            assert not found or [problem.code for problem in reply.problems] != [], where
        else:
            assert found == [("f", meant(mistake))], where
            assert mistake != "none" or ways[number].foreign == bool(reply.problems), where


def test_the_table_covers_every_notation():
    every = {place[1] for each in notations.grammars().values() for place, _ in notations.mistaken(each.grammar)}
    assert every == {"Json", "JsonMap", "NamedJson", "Params", "Literals"}


GEMMA = "<|tool_call>call:f{{{}}}<tool_call|>"


@pytest.mark.parametrize(
    "text",
    ["# Title\nbody", "// a path, x: c", "[draft] a, b", "{x}", "12", "null", "-", "it's", "a}b", "a, n 1", "a\n"],
)
def test_a_string_without_quotes_is_its_text(text):
    for written in (f"s:{text}", f"n:3,s:{text}", f"s:{text},n:3"):
        reply = replies.heard(GEMMA.format(written), format="gemma4", tools=notations.TOOLS)
        (call,) = reply.tool_calls
        assert call.arguments["s"] == text.strip()


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("gemma4", '<|tool_call>call:f(s: "a", n: 3)<tool_call|>'),
        ("gemma4", '<|tool_call>call:f{s="a", n=3}<tool_call|>'),
        ("functiongemma", '<start_function_call>call:f(s: "a", n: 3)<end_function_call>'),
        ("seed_oss_xml", "<seed:tool_call>{'name': 'f', 'arguments': {'s': 'a', 'n': 3}}</seed:tool_call>"),
        ("step:step-3.5", "<tool_call>{'name': 'f', 'arguments': {'s': 'a', 'n': 3}}</tool_call>"),
        ("step:step-3.5", "<tool_call>{“name”: “f”, “arguments”: {“s”: “a”, “n”: 3}}</tool_call>"),
        ("mistral", "[TOOL_CALLS]f[ARGS]" + json.dumps('{"s": "a", "n": 3}')),
    ],
)
def test_a_mistake_that_was_reported_for_one_model_is_read_and_named(name, text):
    reply = replies.heard(text, format=notations.grammars()[name], tools=notations.TOOLS)
    assert [(call.name, call.arguments) for call in reply.tool_calls] == [("f", {"s": "a", "n": 3})]
    assert {problem.code for problem in reply.problems} <= {"repaired"}


def test_an_object_for_the_arguments_counts_only_if_its_members_are_parameters():
    tools = [{"name": "g", "parameters": {"properties": {"o": {"type": "object"}}}}]
    reply = replies.heard("[g({'k': 1})]", format="pythonic", tools=tools)
    assert [call.arguments for call in reply.tool_calls] == [{"o": {"k": 1}}]
    reply = replies.heard("[g({'o': {'k': 1}})]", format="pythonic", tools=tools)
    assert [call.arguments for call in reply.tool_calls] == [{"o": {"k": 1}}]
