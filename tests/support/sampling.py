"""Some of very many cases. Most samples are the same in every run; those of the makers' templates rotate with the
commit, so that all are tried in time.

`LECT_FULL=1`, which `nox -s full` sets, tries all that rotate, `LECT_FULL=8` at least one in eight; `LECT_STRESS=1`,
which `nox -s stress` sets, tries everything. `LECT_SAMPLE_SEED` repeats the sample of another commit.
"""

import json
import os
import random
import subprocess
from functools import cache
from hashlib import sha256

from repository import REPOSITORY, folder

STRESS = os.environ.get("LECT_STRESS") == "1"
ROTATING = 1 if STRESS else int(os.environ.get("LECT_FULL") or 0)
"""In `nox -s full` one case in this many of those that rotate is tried; elsewhere 0."""
FULL = ROTATING > 0
PART = 4
"""One case in this many is tried in an ordinary run."""
FASTCHATS = folder("fastchat") / "tests/golden/templates.json"


def commit():
    """Return the commit that is checked out; a fixed word where there is no git."""
    try:
        asked = subprocess.run(
            ["git", "rev-parse", "HEAD"], cwd=REPOSITORY, capture_output=True, text=True, check=False
        )
    except OSError:
        return "none"
    return asked.stdout.strip()[:12] or "none"


# Processes that this one starts, such as the workers of pytest-xdist, choose the same cases.
SEED = os.environ.setdefault("LECT_SAMPLE_SEED", commit())


def sampling_environment():
    """Return the environment in which a run of tests tries samples, whatever this one tries."""
    return {name: value for name, value in os.environ.items() if name not in ("LECT_FULL", "LECT_STRESS")}


def in_turn(cases, part, seed=""):
    """Return one in `part` cases, at least one: those whose turn it is at this commit. Another seed, such as a template's
    name, begins elsewhere."""
    cases = list(cases)
    part = min(ROTATING or part, part)
    # At one commit, `nox -s full` begins with the case after that of `nox`.
    first = (int(sha256(f"{SEED} {seed}".encode()).hexdigest(), 16) + FULL) % min(part, len(cases) or 1)
    return cases[first::part]


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
