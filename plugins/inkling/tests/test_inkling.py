"""Inkling against its maker's own package."""

import json
from pathlib import Path

import pytest

import lect
from lect_kit import AdapterSuite

GOLDEN = json.loads((Path(__file__).parent / "golden/inkling.json").read_text("utf-8"))["cases"]
ASKED = [{"role": "user", "content": "Hi"}]


class TestInkling(AdapterSuite):
    plugin = "inkling"
    goldens = {"golden/inkling.json": "inkling"}
    examples = {"thinkingmachines/Inkling": "inkling", "thinkingmachines/Inkling-NVFP4": "inkling"}
    others = ["inklings-7b", "thinkingmachines/Inkling-Small"]


@pytest.mark.parametrize("case", GOLDEN)
def test_control_tokens_have_the_ids_that_the_maker_gives_them(case):
    markers = lect.template("inkling").markers
    found = [markers[text] for text in markers.pattern.findall(GOLDEN[case]["text"])]
    assert found == [each for each in GOLDEN[case]["ids"] if each in markers.values()]


@pytest.mark.parametrize(("given", "written"), [(0, "0"), (1, "1"), (0.555, "0.56"), (0.125, "0.12"), ("low", "0.2")])
def test_an_effort_is_a_number_of_two_digits(given, written):
    assert f"Thinking effort level: {written}<" in lect.template("inkling").render(ASKED, reasoning_effort=given).text


@pytest.mark.parametrize("given", [-0.1, 1.5, True, "some", float("nan"), [0.5]])
def test_an_effort_that_does_not_exist_is_refused(given):
    with pytest.raises(lect.LectError, match="reasoning_effort is"):
        lect.template("inkling").render(ASKED, reasoning_effort=given)
