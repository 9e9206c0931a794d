"""Real names of models, and which of lect's own families knows each."""

from __future__ import annotations

from functools import cache
from pathlib import Path

CORPUS = Path(__file__).with_name("corpus.txt")
"""A line for each model; `[lect-acme]` comes before those that a package knows."""


@cache
def owners() -> dict[str, str]:
    """Return the package that knows each model."""
    found, owner = {}, ""
    for line in CORPUS.read_text("utf-8").splitlines():
        if line.startswith("["):
            owner = line.strip("[]")
        elif line and not line.startswith("#"):
            found[line] = owner
    return found
