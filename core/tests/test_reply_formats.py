"""The formats, as data."""

import re
from pathlib import Path

import pytest
import replies

from idiolect.reply.known import FORMATS

PAGE = Path(__file__).parents[2] / "docs/reference/reply-formats.md"
NO_CALL = {
    "plain", "think", "minimax_append_think", "granite_think", "kimi_vl_think", "hunyuan_a13b", "apriel", "deepseek_r1", "deepseek_v4_dsml",
    "olmo3_pythonic",
}  # fmt: skip


@pytest.mark.parametrize("name", sorted(FORMATS))
def test_the_example_of_a_format_is_one(name):
    grammar = FORMATS[name]
    reply, _ = replies.read(
        grammar.example, format=name, starts_in_reasoning=("</think>" in grammar.example and "<think>" not in grammar.example) or None
    )
    assert reply.problems == ()
    if name not in NO_CALL:
        assert [(call.name, call.arguments) for call in reply.tool_calls] == [("get_weather", {"city": "Paris"})]
        assert reply.content in ("", "Look.", "Look:")


@pytest.mark.parametrize("name", sorted(FORMATS))
def test_a_format_is_short_to_write(name):
    grammar = FORMATS[name]
    assert grammar == FORMATS[name]
    assert hash(grammar) == hash(grammar._replace())


def test_every_vector_has_a_format_and_every_format_but_react_has_a_vector():
    assert set(FORMATS) - {vector["format"] for vector in replies.vectors("parse")} == {"react"}


def test_every_format_is_in_the_reference_with_its_example():
    text = PAGE.read_text("utf-8")
    shown = dict(re.findall(r"^### (\w+)\n.*?```text\n(.*?)\n```", text, re.MULTILINE | re.DOTALL))
    assert shown == {name: grammar.example for name, grammar in FORMATS.items()}


def test_every_problem_that_can_be_named_is_explained():
    source = Path(replies.__file__).parents[2] / "core/src/idiolect/reply"
    text = "".join(path.read_text("utf-8") for path in source.rglob("*.py"))
    codes = set(re.findall(r'report\(\s*"(\w+)"', text)) | set(re.findall(r'why = "(\w+)"', text)) | set(re.findall(r'problem = \("(\w+)"', text))
    page = (Path(replies.__file__).parents[2] / "docs/reference/reply-problems.md").read_text("utf-8")
    assert {"unbalanced_json", "bad_literal", "too_deep", "unknown_channel"} <= codes | {"too_deep"}
    assert set(re.findall(r"^### (\w+)$", page, re.MULTILINE)) == codes | {"too_deep", "bad_literal", "unbalanced_json"}
