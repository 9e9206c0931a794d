"""Other parsers, put to the conformance pack: they answer, and are not judged here."""

import json
import subprocess
import sys

import pytest
from pages import REPOSITORY

pytest.importorskip("trl", reason="TRL is not installed: nox -s grpo")
CALL = '<tool_call>\n{"name": "f", "arguments": {"x": 1}}\n</tool_call><|im_end|>'
LINE = {
    "id": "a", "task": "reply", "model": "Qwen/Qwen3-8B", "format": "hermes_json", "prompt": None,
    "starts_in_reasoning": None, "text": CALL, "tools": None, "stop": [], "sizes": [[1], [3, 1, 7], [40]],
}  # fmt: skip


def test_transformers_reads_by_the_templates_of_trl():
    lines = [
        LINE,
        LINE | {"id": "b", "model": "moonshotai/Kimi-K2-Instruct"},
        LINE | {"id": "c", "model": None, "text": "Hm.</think>Hi", "starts_in_reasoning": True},
        LINE | {"id": "d", "task": "prompt"},
    ]
    done = subprocess.run(
        [sys.executable, REPOSITORY / "conformance/peers/answer_transformers.py"],
        input="".join(json.dumps(line) + "\n" for line in lines),
        stdout=subprocess.PIPE,
        encoding="utf-8",
        check=True,
    )
    first, second, third, fourth = map(json.loads, done.stdout.splitlines())
    assert (first["id"], first["calls"]) == ("a", [{"name": "f", "arguments": {"x": 1}}])
    assert [len(deltas) for deltas in first["streams"]] == [1, 1, 1]
    assert "skip" in second
    assert (third["reasoning"].strip(), third["content"]) == ("Hm.", "Hi")
    assert "skip" in fourth
