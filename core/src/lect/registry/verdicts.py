"""The result for every adapter when a path was resolved, and why."""

from collections.abc import Sequence

from lect.errors import AmbiguousModelError, saferepr
from lect.format.compare import first_difference
from lect.format.template import Template
from lect.registry.adapter import Adapter
from lect.registry.adapters import Adapters
from lect.registry.discover import Record
from lect.registry.groups import PATHS
from lect.registry.refs import LONGEST_SHOWN, ModelRef
from lect.registry.resolve import Candidate
from lect.registry.settings import PINS, pattern_for
from lect.reports import Outcome, Verdict
from lect.values import Match

MOST_HINTS = 50
"""How many hints a verdict lists."""


def verdicts(
    adapters: Adapters,
    candidates: Sequence[Candidate],
    winner: Adapter | None = None,
    *,
    decision: str = "",
    no_fallback: str = "",
) -> tuple[Verdict, ...]:
    """Return the results for all adapters. `candidates` are those that were asked, the strongest claim first.

    Without a `winner`, the strongest are tied. `decision` overruled all claims; `no_fallback` turns fallbacks off.
    """
    best = candidates[0].match if candidates else None
    ids = {each.adapter.id for each in candidates}
    others = [record for record in adapters.records() if record.id not in ids]
    return (
        *(_verdict(each.adapter, each.match, *_outcome(adapters, each, best, winner, decision)) for each in candidates),
        *(_verdict(each, None, "not asked", _why_not_asked(adapters, each, no_fallback)) for each in others),
    )


def _verdict(on: Adapter | Record, claim: Match | None, outcome: Outcome, why: str) -> Verdict:
    return Verdict(on.name, on.package, on.version, claim, outcome, why)


def _outcome(
    adapters: Adapters, candidate: Candidate, best: Match | None, winner: Adapter | None, decision: str
) -> tuple[Outcome, str]:
    adapter, ref, match = candidate.adapter, candidate.ref, candidate.match
    if decision and adapter is winner:
        return "won", f"by {decision}"
    if match is None:
        return "no claim", adapters.ask(adapter, adapter.near_miss, ref) or ""
    if decision:
        return "overruled", f"by {decision}"
    if best is None or match.kind == "none":
        return "no format", match.reason
    if match.specificity != best.specificity:
        return "lost", f"{best.specificity.name} is stronger than {match.specificity.name}"
    if match.strength != best.strength:
        return "lost", f"{best.literal!r} is longer than {match.literal!r}"
    if winner is None:
        return "tied", match.reason
    return ("won", match.reason) if adapter is winner else ("equal", "as strong, and the same format")


def _why_not_asked(adapters: Adapters, record: Record, no_fallback: str) -> str:
    if (blocked := adapters.settings.blocks(record)) is not None:
        return f"blocked: {blocked}"
    if adapters.failures_of(record):
        return "it failed"
    if record.fallback:
        off = f"turned off by {no_fallback}" if no_fallback else "asked only where no other adapter claims a model"
        return f"a fallback, {off}"
    if record.group == PATHS:
        return "asked only about a directory or a file"
    more = len(record.hints) - MOST_HINTS
    hints = ", ".join(record.hints[:MOST_HINTS]) + (f" and {more} more" if more > 0 else "")
    return f"none of its hints occurs in the path: {hints}"


def refuse_tie(
    adapters: Adapters, ref: ModelRef, tied: Sequence[tuple[Candidate, Template]], candidates: Sequence[Candidate]
) -> None:
    """Refuse equal claims that lead to different templates; the error shows where these differ and how to decide."""
    (first, template), *others = tied
    for other, its_template in others:
        if (difference := first_difference(template, its_template)) is None:
            continue
        claim = first.match
        assert claim is not None, "only claims can be tied"
        pattern = pattern_for(ref.path)
        msg = (
            f"{saferepr(ref.original, LONGEST_SHOWN)} is claimed equally ({claim.specificity.name}, "
            f"{len(claim.literal)} characters) by {first.adapter.id} and {other.adapter.id}\n"
            f"  the templates differ first in {difference}\n"
            f"  try: {PINS}='{pattern}={other.adapter.id}'\n"
            f"   or: lect.pin({pattern!r}, {other.adapter.id!r})"
        )
        ids = [candidate.adapter.id for candidate, _ in tied]
        raise AmbiguousModelError(msg, name=ref.original, claimants=ids, candidates=verdicts(adapters, candidates))
