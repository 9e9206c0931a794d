"""Which models a new adapter is for: the rules that fit their names, and the hints by which it is found."""

from __future__ import annotations

import re
from string import digits
from typing import TYPE_CHECKING

from lect.errors import LectError, saferepr
from lect.registry.patterns import NUMBER
from lect.registry.refs import parse_ref, words_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_MODEL = re.compile(r"(?:[\w.-]+/)?[\w.-]+")
UNITS = ("b", "m")
"""What follows the size of a model: billions or millions of parameters."""


def pattern_of(model: str, family: str) -> str:
    """Return the pattern of a rule for a model and its other sizes.

    A name without the family's words may belong to somebody else's models: then the rule is for this model only.

    Raises:
        LectError: If it is not the name of a model, or has neither the family's words nor an owner.
    """
    ref = parse_ref(model)
    if ref.place is not None or not _MODEL.fullmatch(model):
        raise LectError(
            f"{saferepr(model)} is not the name of a model; expected ORG/NAME\n  try: --model {family}/{family}-7b-chat"
        )
    if _holds(ref.words, words_of(family)):
        return " ".join(_any_size(ref.words))
    if ref.owner is None:
        msg = f"{saferepr(model)} has neither an owner nor the word {family!r}\n  try: --model {family}/{model}"
        raise LectError(msg)
    return ref.path


def hint_of(model: str, family: str) -> str:
    """Return a word from the path of a model: the longest of the family's, or else the owner."""
    ref = parse_ref(model)
    words = [word for word in words_of(family) if word in ref.path.lower()]
    return max(words or [str(ref.owner).lower()], key=len)


def owner_of(models: Sequence[str], family: str) -> str:
    """Return who publishes the first of some models."""
    return parse_ref(models[0]).owner or family


def _holds(words: Sequence[str], run: Sequence[str]) -> bool:
    starts = range(len(words) - len(run) + 1)
    return any(tuple(words[start : start + len(run)]) == tuple(run) for start in starts)


def _any_size(words: Sequence[str]) -> Iterator[str]:
    for word, following in zip(words, (*words[1:], ""), strict=True):
        yield NUMBER if word[0] in digits and following in UNITS else word
