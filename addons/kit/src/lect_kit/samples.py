"""Made-up names that a pattern fits."""

from __future__ import annotations

from itertools import islice, product
from typing import TYPE_CHECKING

from lect.registry.patterns import ANYTHING, NUMBER, WHOLE_NAME

if TYPE_CHECKING:
    from collections.abc import Iterable

MOST_SAMPLES = 400
_NUMBERS = ("7", "3.5", "13")
_BETWEEN = ("", "fine")
"""What may be where a pattern allows anything: at a `*`, and at the end."""


def sample_names(pattern: str) -> list[str]:
    """Return names that a pattern fits: with each alternative, and with and without optional words."""
    if "/" in pattern:
        return [pattern]
    choices = [_choices_of(word) for word in pattern.removesuffix(WHOLE_NAME).split()]
    if not pattern.endswith(WHOLE_NAME):
        choices.append(_BETWEEN)
    return ["-".join(filter(None, words)) or "name" for words in islice(product(*choices), MOST_SAMPLES)]


def _choices_of(word: str) -> Iterable[str]:
    if word == ANYTHING:
        return _BETWEEN
    wanted = word.removeprefix("?")
    choices = _NUMBERS if wanted == NUMBER else tuple(wanted.split("|"))
    return (*choices, "") if word.startswith("?") else choices
