"""Falcon against its maker's own templates."""

import lect
from lect_kit import AdapterSuite


class TestFalcon(AdapterSuite):
    plugin = "falcon"
    goldens = {
        "golden/tiiuae--Falcon-H1-7B-Instruct.json": "falcon-h1",
        "golden/tiiuae--Falcon3-3B-Instruct.json": "falcon3",
        "golden/tiiuae--falcon-11B.json": "falcon-11b",
        "golden/tiiuae--falcon-180B-chat.json": "falcon-180b-chat",
        "golden/tiiuae--falcon-7b-instruct.json": "falcon-instruct",
    }
    examples = {
        "tiiuae/Falcon-H1-1.5B-Deep-Instruct": "falcon-h1",
        "tiiuae/Falcon-H1-0.5B-Base": "default",
        "tiiuae/Falcon3-10B-Instruct-GGUF": "falcon3",
        "tiiuae/Falcon3-7B-Base": "default",
        "tiiuae/falcon-180B-chat": "falcon-180b-chat",
        "tiiuae/falcon-11B": "falcon-11b",
        "tiiuae/falcon-7b-instruct": "falcon-instruct",
        "tiiuae/falcon-40b": "default",
        "tiiuae/falcon-mamba-7b": "default",
    }
    base = [
        "tiiuae/Falcon-H1-0.5B-Base",
        "tiiuae/Falcon3-7B-Base",
        "tiiuae/falcon-11B",
        "tiiuae/falcon-40b",
        "tiiuae/falcon-mamba-7b",
    ]
    others = [
        "tiiuae/falcon-mamba-7b-instruct",
        "ericzzz/falcon-rw-1b-chat",
        "tiiuae/Falcon3-Mamba-7B-Instruct",
        "falcony-7b",
    ]


def test_calls_are_read():
    output = (
        '<tool_call>\n[\n  {"name": "a", "arguments": {"x": 1}},\n  {"name": "b", "arguments": {}}\n]\n</tool_call>'
    )
    reply = lect.parse("tiiuae/Falcon3-7B-Instruct", output)
    assert [(call.name, call.arguments) for call in reply.tool_calls] == [("a", {"x": 1}), ("b", {})]
    reply = lect.parse(
        "tiiuae/Falcon-H1-7B-Instruct", '<tool_call>\n{"arguments": {"x": 1}, "name": "a"}\n</tool_call>'
    )
    assert [(call.name, call.arguments) for call in reply.tool_calls] == [("a", {"x": 1})]
