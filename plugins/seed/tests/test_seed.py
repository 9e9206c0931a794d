"""Seed-OSS against its maker's own template."""

import pytest
from family import FamilySuite

import lect
from lect.errors import RefusedError


class TestSeed(FamilySuite):
    family = "seed"
    goldens = {"ByteDance-Seed--Seed-OSS-36B-Instruct": "seed-oss"}
    names = [
        ("ByteDance-Seed/Seed-OSS-36B-Instruct", "seed-oss", "chat"),
        ("unsloth/Seed-OSS-36B-Instruct-GGUF", "seed-oss", "chat"),
        ("ByteDance-Seed/Seed-OSS-36B-Base", "default", "base"),
        ("ByteDance-Seed/Seed-OSS-36B-Base-woSyn", "default", "base"),
    ]
    others = ["ByteDance-Seed/Seed-Coder-8B-Instruct", "naver-hyperclovax/HyperCLOVAX-SEED-Think-32B"]


def test_a_budget_that_is_no_number_is_refused():
    with pytest.raises(RefusedError, match="thinking_budget is 'much'"):
        lect.template("seed-oss").text([{"role": "user", "content": "Hello!"}], thinking_budget="much")
