"""The result for every adapter when a path was resolved, and why."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from typing import TYPE_CHECKING

from lect.registry.groups import PATHS
from lect.values import Verdict

if TYPE_CHECKING:
    from lect.registry.adapter import Adapter
    from lect.registry.discover import Record
    from lect.registry.resolve import Candidate
    from lect.values import Match


MOST_HINTS = 50
"""How many hints a verdict lists."""


def by_decision(candidates: Sequence[Candidate], winner: Adapter | None, decision: str) -> Iterator[Verdict]:
    """Yield the results where a decision overrules all claims."""
    for candidate in candidates:
        if candidate.adapter is winner:
            yield candidate.fares("won", f"by {decision}")
        elif candidate.match is None:
            yield candidate.fares("no claim", candidate.near_miss)
        else:
            yield candidate.fares("overruled", f"by {decision}")


def by_strength(candidates: Sequence[Candidate], winner: Adapter | None) -> Iterator[Verdict]:
    """Yield the results by strength of claim; without a winner, the strongest are tied."""
    best = next((candidate.match for candidate in candidates if candidate.claims), None)
    for candidate in candidates:
        match = candidate.match
        if match is not None and match.kind == "none":
            yield candidate.fares("no format", match.reason)
        elif match is None or best is None:
            yield candidate.fares("no claim", candidate.near_miss)
        elif match.strength != best.strength:
            yield candidate.fares("lost", _weaker(match, best))
        elif winner is None:
            yield candidate.fares("tied", match.reason)
        elif candidate.adapter is winner:
            yield candidate.fares("won", match.reason)
        else:
            yield candidate.fares("equal", "as strong, and the same format")


def _weaker(match: Match, best: Match) -> str:
    if match.specificity != best.specificity:
        return f"{best.specificity.name} is stronger than {match.specificity.name}"
    return f"{best.literal!r} is longer than {match.literal!r}"


def not_asked(
    records: Sequence[Record], asked: Set[str], blocked: dict[str, str], failed: Set[str], no_fallback: str
) -> Iterator[Verdict]:
    """Yield the verdicts on installed adapters that were not asked; `blocked` says by id what blocks some of them.

    `no_fallback` says what turns fallbacks off; it is empty if nothing does.
    """
    for record in records:
        if record.id in asked:
            continue
        if record.id in blocked:
            why = f"blocked: {blocked[record.id]}"
        elif record.id in failed:
            why = "it failed"
        elif record.fallback:
            why = "a fallback, " + (
                f"turned off by {no_fallback}" if no_fallback else "asked only where no other adapter claims a model"
            )
        elif record.group == PATHS:
            why = "asked only about a directory or a file"
        else:
            more = len(record.hints) - MOST_HINTS
            hints = ", ".join(record.hints[:MOST_HINTS]) + (f" and {more} more" if more > 0 else "")
            why = f"none of its hints occurs in the path: {hints}"
        yield Verdict(record.name, record.package, record.version, None, "not asked", why)
