"""Some of very many cases, the same in every run. `nox -s stress` sets LECT_STRESS=1, which tries them all."""

import json
import os
import random
from functools import cache
from pathlib import Path

STRESS = os.environ.get("LECT_STRESS") == "1"
PART = 4
"""One case in this many is tried in an ordinary run."""
FASTCHATS = Path(__file__).parents[2] / "plugins/fastchat/tests/golden/templates.json"


def some(cases, seed):
    """Return some of the cases in their order, at least one. Another seed, such as a template's name, gives others."""
    cases = list(cases)
    if STRESS or not cases:
        return cases
    chosen = random.Random(seed).sample(range(len(cases)), -(-len(cases) // PART))
    return [cases[index] for index in sorted(chosen)]


def few(examples):
    """Return how many examples of so many hypothesis is to try."""
    return examples if STRESS else -(-examples // PART)


def one_a_style(names, owner="fastchat:"):
    """Return names of templates without those of FastChat whose separator style is that of an earlier one."""
    return [name for name in names if STRESS or not name.startswith(owner) or name.removeprefix(owner) not in alike()]


@cache
def alike():
    """Return FastChat's templates whose separator style is that of an earlier one."""
    styles, found = set(), set()
    for name, template in json.loads(FASTCHATS.read_text("utf-8"))["templates"].items():
        style = template["fields"]["sep_style"]
        if style in styles:
            found.add(name)
        styles.add(style)
    return found
