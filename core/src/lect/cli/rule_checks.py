"""Whether the hints of a plugin lead to its rules, and its rules use its hints."""

from __future__ import annotations

from typing import TYPE_CHECKING

import lect
from lect.cli.findings import Finding
from lect.registry.family import Family
from lect.registry.patterns import ANYTHING
from lect.registry.samples import sample_names

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lect.registry.discover import Record


def examine_rules() -> Iterator[Finding]:
    """Compare the hints of every rule-based adapter with its rules."""
    for record in lect._registry.adapters.usable():
        adapter = lect._registry.adapters.adapter(record) if record.hints else None
        if adapter is not None and isinstance(adapter.plugin, Family):
            yield from _unseen_rules(record, adapter.plugin)
            yield from _useless_hints(record, adapter.plugin)


def _unseen_rules(record: Record, family: Family) -> Iterator[Finding]:
    for rule in family.rules:
        if rule.pattern.startswith(ANYTHING):
            continue  # Any hint may occur in the rest of the name.
        unseen = next(
            (name for name in sample_names(rule.pattern) if not any(_occurs(hint, name) for hint in record.hints)), ""
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
    names = [name for rule in family.rules for name in sample_names(rule.pattern)]
    for hint in record.hints:
        if not any(_occurs(hint, name) for name in names):
            what = f"{record.id} has the hint {hint!r}, but no name with it fits a rule"
            yield Finding(False, f"{what}\n  try: a rule for such names, or remove the hint")


def _occurs(hint: str, name: str) -> bool:
    """Return whether a hint occurs in a name, however the words of the name are joined."""
    return hint.replace("-", "") in name.lower().replace("-", "")
