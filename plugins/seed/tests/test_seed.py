"""Seed-OSS against its maker's own template."""

import re

import pytest

import lect
from lect.errors import RefusedError
from lect_kit import AdapterSuite


class TestSeed(AdapterSuite):
    plugin = "seed"
    goldens = {"golden/ByteDance-Seed--Seed-OSS-36B-Instruct.json": "seed-oss"}
    examples = {
        "ByteDance-Seed/Seed-OSS-36B-Instruct": "seed-oss",
        "unsloth/Seed-OSS-36B-Instruct-GGUF": "seed-oss",
        "ByteDance-Seed/Seed-OSS-36B-Base": "default",
        "ByteDance-Seed/Seed-OSS-36B-Base-woSyn": "default",
    }
    base = ["ByteDance-Seed/Seed-OSS-36B-Base", "ByteDance-Seed/Seed-OSS-36B-Base-woSyn"]
    others = ["ByteDance-Seed/Seed-Coder-8B-Instruct", "naver-hyperclovax/HyperCLOVAX-SEED-Think-32B"]


def test_a_budget_that_is_not_a_number_is_refused():
    with pytest.raises(RefusedError, match="thinking_budget is 'much'"):
        lect.template("seed-oss").text([{"role": "user", "content": "Hello!"}], thinking_budget="much")


@pytest.mark.parametrize(
    ("tool", "where"),
    [
        ({"type": "function", "function": {"description": "Add."}}, "tools[0].function.name"),
        ({"type": "function", "description": "Add."}, "tools[0].name"),
    ],
)
def test_a_tool_without_a_name_is_refused(tool, where):
    with pytest.raises(lect.MessageError, match=re.escape(f"{where} is None (NoneType); expected text")):
        lect.template("seed-oss").text([{"role": "user", "content": "Hello!"}], tools=[tool])
