"""A reader finds a format in one place: `but` says what differs from a format that is near, and not from a chain."""

import json
import subprocess
import sys

import make_metadata
import pytest

DEEPEST = 2
RECORD = """
import importlib, json, pkgutil, sys
from pathlib import Path
from lect.plugin import Template
from lect.plugin.grammar import Grammar

depths, made, kept = {}, [], []

def recorded(but):
    def record(self, **changes):
        new = but(self, **changes)
        depths[id(new)] = depth = depths.get(id(self), 0) + 1
        kept.append(new)  # so that no other object gets its id
        where = sys._getframe(1)
        made.append([Path(where.f_code.co_filename).name, where.f_lineno, getattr(new, "name", ""), depth, [*changes]])
        return new
    return record

for kind in (Template, *Grammar.__mro__):
    if "but" in vars(kind):
        kind.but = recorded(kind.but)
for name in sys.argv[1:]:
    package = importlib.import_module(name)
    for module in pkgutil.walk_packages(package.__path__, f"{name}."):
        importlib.import_module(module.name)
print(json.dumps(made))
"""
"""Imports packages, and prints every `but` in them: file, line, name, how many of them led there, what it changes."""


@pytest.fixture(scope="module")
def made():
    packages = [f"lect_{name}" for name in make_metadata.PLUGINS if not make_metadata.is_apart(name)]
    done = subprocess.run([sys.executable, "-c", RECORD, *packages], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def test_a_format_is_at_most_two_steps_from_one_that_is_written_in_full(made):
    assert max(depth for *_, depth, _ in made) == DEEPEST, [each for each in made if each[3] > DEEPEST]


def test_a_format_with_another_tokenizer_states_its_markers(made):
    # Other ends, or the same with other ids, are a sign of another tokenizer.
    assert [each for each in made if "stop" in each[-1] and "markers" not in each[-1]] == []
