"""Made-up names that the pattern of a rule fits."""

from __future__ import annotations

from itertools import islice, product
from typing import TYPE_CHECKING

from lect.registry.patterns import ANYTHING, END, NUMBER

if TYPE_CHECKING:
    from collections.abc import Iterable

MOST = 400
NUMBERS = ("7", "3.5", "13")
BETWEEN = ("", "fine")
"""What may be where a pattern allows anything: at a `*`, and at the end."""


def sample_names(pattern: str) -> list[str]:
    """Return names that a pattern fits: with each alternative, and with and without optional words."""
    if "/" in pattern:
        return [pattern]
    choices = [_choices(word) for word in pattern.removesuffix(END).split()]
    if not pattern.endswith(END):
        choices.append(BETWEEN)
    return ["-".join(filter(None, words)) or "name" for words in islice(product(*choices), MOST)]


def _choices(word: str) -> Iterable[str]:
    if word == ANYTHING:
        return BETWEEN
    wanted = word.removeprefix("?")
    choices = NUMBERS if wanted == NUMBER else tuple(wanted.split("|"))
    return (*choices, "") if word.startswith("?") else choices
