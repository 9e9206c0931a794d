"""The formats of the dialects, as installed."""

import lect
from lect_kit import AdapterSuite


class TestDialects(AdapterSuite):
    plugin = "dialects"
    examples = {}
    others = ["RekaAI/reka-flash-3", "ByteDance-Seed/Seed-OSS-36B-Instruct"]


def test_a_call_is_read():
    output = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Paris"}}\n</tool_call>'
    (call,) = lect.parse(None, output, format="reka").tool_calls
    assert (call.name, call.arguments) == ("get_weather", {"city": "Paris"})
