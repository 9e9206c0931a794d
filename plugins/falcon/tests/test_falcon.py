"""Falcon against its maker's own templates."""

from family import FamilySuite

import lect


class TestFalcon(FamilySuite):
    family = "falcon"
    goldens = {
        "tiiuae--Falcon-H1-7B-Instruct": "falcon-h1",
        "tiiuae--Falcon3-3B-Instruct": "falcon3",
        "tiiuae--falcon-11B": "falcon-11b",
        "tiiuae--falcon-180B-chat": "falcon-180b-chat",
        "tiiuae--falcon-7b-instruct": "falcon-instruct",
    }
    names = [
        ("tiiuae/Falcon-H1-1.5B-Deep-Instruct", "falcon-h1", "chat"),
        ("tiiuae/Falcon-H1-0.5B-Base", "default", "base"),
        ("tiiuae/Falcon3-10B-Instruct-GGUF", "falcon3", "chat"),
        ("tiiuae/Falcon3-7B-Base", "default", "base"),
        ("tiiuae/falcon-180B-chat", "falcon-180b-chat", "chat"),
        ("tiiuae/falcon-11B", "falcon-11b", "base"),
        ("tiiuae/falcon-7b-instruct", "falcon-instruct", "chat"),
        ("tiiuae/falcon-40b", "default", "base"),
        ("tiiuae/falcon-mamba-7b", "default", "base"),
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
