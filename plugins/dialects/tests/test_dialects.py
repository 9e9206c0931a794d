"""The formats of the dialects, as installed."""

import tomllib
from pathlib import Path

import pytest

import lect

PROJECT = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text("utf-8"))["project"]
NAMES = sorted(PROJECT["entry-points"]["lect.replies"])


def test_they_are_found_by_name():
    assert set(NAMES) <= set(lect.reply_formats())


@pytest.mark.parametrize("name", NAMES)
def test_each_can_be_read_by_and_ends_at_its_own_stops(name):
    reply_format = lect._registry.reply_format(name)
    assert reply_format.names
    assert reply_format.example
    assert lect.parse(None, "Hello!", format=name, starts_in_reasoning=False).content.endswith("Hello!")
    for stop in reply_format.stop:
        assert lect.parse(None, f"Hello!{stop}", format=name, starts_in_reasoning=False).stop == stop


def test_a_call_is_read():
    output = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Paris"}}\n</tool_call>'
    (call,) = lect.parse(None, output, format="reka").tool_calls
    assert (call.name, call.arguments) == ("get_weather", {"city": "Paris"})
