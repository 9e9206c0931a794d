"""`lect check` on adapters that are broken in one way each: each fails, with the fault and the advice named."""

import re
import sys

import pytest
from broken_adapters import BROKEN
from installs import install
from sampling import in_turn

import lect
from lect.cli import main

MOST_LINES = 20
number = iter(range(1000))


def report(said):
    """Return a report as one line of words: the screen wraps lines."""
    return re.sub(r"\s+", " ", said)


@pytest.fixture
def site(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    yield tmp_path
    sys.path.remove(str(tmp_path))
    lect.rescan()


def test_there_are_forty():
    assert len(BROKEN) >= 40


@pytest.mark.parametrize("fault", in_turn(BROKEN, 32))
def test_a_broken_adapter_is_rejected_with_its_fault_and_the_advice(site, capsys, fault):
    broken, name = BROKEN[fault], f"broken-{next(number)}"
    usual = {"requires": ["lect>=0.1,<1"], "hints": ["model"], "templates": ["model-chat"], "typed": True}
    install(site, name, name, broken.source, **{**usual, "replies": ["model_replies"], **broken.metadata})
    lect.rescan()
    assert main(["check", name]) == 1
    said = capsys.readouterr().out
    assert all(report(phrase) in report(said) for phrase in broken.says), said
    for failure in said.split("\n\n")[1:]:
        assert len(failure.splitlines()) <= MOST_LINES, failure
