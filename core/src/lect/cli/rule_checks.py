"""Whether the hints of a plugin lead to its rules, and its rules use its hints."""

from __future__ import annotations

from itertools import islice, product
from typing import TYPE_CHECKING

import lect
from lect.cli.findings import Finding
from lect.registry.family import Family
from lect.registry.patterns import ANYTHING, END, NUMBER

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lect.registry.discover import Record

MOST_SAMPLES = 256
"""How many names are made of one pattern."""


def examine_rules() -> Iterator[Finding]:
    """Compare the hints of every adapter that is made of rules with these."""
    for record in lect._registry.usable():
        adapter = lect._registry.adapter(record) if record.hints else None
        if adapter is not None and isinstance(adapter.plugin, Family):
            yield from _unseen_rules(record, adapter.plugin)
            yield from _useless_hints(record, adapter.plugin)


def _unseen_rules(record: Record, family: Family) -> Iterator[Finding]:
    for rule in family.rules:
        if rule.pattern.startswith(ANYTHING):
            continue  # Any hint may stand in the rest of the name.
        unseen = next(
            (name for name in samples(rule.pattern) if not any(_occurs(hint, name) for hint in record.hints)), ""
        )
        if unseen:
            yield Finding(
                False,
                f"{record.id} is not asked about {unseen!r}: its rule {rule.pattern!r} fits, but none of its hints "
                f'occurs in the name\n  try: the hint {unseen.split("-")[0]!r} in [project.entry-points."lect.hints"]',
            )


def _useless_hints(record: Record, family: Family) -> Iterator[Finding]:
    if any(rule.pattern.startswith(ANYTHING) for rule in family.rules):
        return
    names = [name for rule in family.rules for name in samples(rule.pattern, optional=True)]
    for hint in record.hints:
        if not any(_occurs(hint, name) for name in names):
            what = f"{record.id} has the hint {hint!r}, but no rule fits a name because of it"
            yield Finding(False, f"{what}\n  try: a rule for such names, or remove the hint")


def samples(pattern: str, *, optional: bool = False) -> Iterator[str]:
    """Yield names that a pattern fits: one for each choice among its alternatives; with `optional`, all words."""
    if "/" in pattern:
        return iter([pattern.lower()])
    choices = [
        _alternatives(word)
        for word in pattern.removesuffix(END).split()
        if word != ANYTHING and (optional or not word.startswith("?"))
    ]
    return ("-".join(words) for words in islice(product(*choices), MOST_SAMPLES))


def _alternatives(word: str) -> list[str]:
    word = word.removeprefix("?")
    return ["7"] if word == NUMBER else word.split("|")


def _occurs(hint: str, name: str) -> bool:
    """Return whether a hint occurs in a name, however the words of the name are joined."""
    return hint.replace("-", "") in name.replace("-", "")
