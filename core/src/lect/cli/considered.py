"""Who was asked about a model path, who was not, and how each of them fared."""

from collections.abc import Iterator
from typing import NamedTuple

from lect.errors import AmbiguousModelError, LectError, UnknownModelError
from lect.registry.discover import Record
from lect.registry.match import NO_FORMAT, Match
from lect.registry.refs import ModelRef
from lect.registry.registry import Registry
from lect.registry.resolve import Candidate, Resolution
from lect.registry.settings import Pin

WON, LOST, EQUAL, TIED, OVERRULED, NO_CLAIM, SPEAKS_NONE = (
    "won",
    "lost",
    "equal",
    "tied",
    "overruled",
    "no claim",
    "no format",
)


class Verdict(NamedTuple):
    """How an adapter that was asked fared."""

    candidate: Candidate
    result: str
    """`won`, `lost`, `equal` (as strong, and the same format), `tied` (as strong, and another), `overruled` (by a
    decision) or `no claim`."""
    why: str


class NotAsked(NamedTuple):
    """An installed adapter that was not asked."""

    record: Record
    why: str


class Considered(NamedTuple):
    """All that led to a resolution, or to an error."""

    ref: ModelRef
    resolution: Resolution | None
    error: LectError | None
    verdicts: tuple[Verdict, ...]
    not_asked: tuple[NotAsked, ...]
    pin: Pin | None
    """The pin that decided."""


def consider(registry: Registry, ref: ModelRef, adapter: str | None) -> Considered:
    """Resolve a path and keep what was considered on the way, also where it fails."""
    resolution: Resolution | None = None
    error: LectError | None = None
    try:
        resolution = registry.resolve(ref.given, adapter=adapter)
    except LectError as raised:
        error = raised
    pin = None if adapter is not None else next((pin for pin in registry.pins() if pin.fits(ref)), None)
    decision = "the --adapter argument" if adapter is not None else f"the pin {pin}" if pin else ""
    if isinstance(error, UnknownModelError):
        candidates = error.candidates
    else:
        candidates = (resolution.candidates if resolution else ()) or tuple(registry.ask(ref))
    asked = {candidate.adapter.id for candidate in candidates}
    if decision:
        verdicts = tuple(_overruled(candidate, resolution, decision) for candidate in candidates)
    else:
        best = next((each.match for each in candidates if each.match and each.match.kind != NO_FORMAT), None)
        verdicts = tuple(_compared(candidate, best, resolution, error) for candidate in candidates)
        # Fallbacks that are tied were asked too, though not by the question above.
        asked |= set(error.claimants if isinstance(error, AmbiguousModelError) else ())
    return Considered(ref, resolution, error, verdicts, tuple(_not_asked(registry, asked)), pin)


def _overruled(candidate: Candidate, resolution: Resolution | None, decision: str) -> Verdict:
    if resolution is not None and resolution.adapter is candidate.adapter:
        return Verdict(candidate, WON, f"by {decision}")
    if candidate.match is None:
        return Verdict(candidate, NO_CLAIM, "")
    return Verdict(candidate, OVERRULED, f"by {decision}")


def _compared(
    candidate: Candidate, best: Match | None, resolution: Resolution | None, error: LectError | None
) -> Verdict:
    match = candidate.match
    if match is not None and match.kind == NO_FORMAT:
        return Verdict(candidate, SPEAKS_NONE, match.reason)
    if match is None or best is None:
        return Verdict(candidate, NO_CLAIM, "")
    if match.strength == best.strength:
        if isinstance(error, AmbiguousModelError):
            return Verdict(candidate, TIED, match.reason)
        if resolution is not None and resolution.adapter is not candidate.adapter:
            return Verdict(candidate, EQUAL, "as strong, and the same format")
        return Verdict(candidate, WON, match.reason)
    if match.specificity != best.specificity:
        return Verdict(candidate, LOST, f"{best.specificity.name} is stronger than {match.specificity.name}")
    return Verdict(candidate, LOST, f"{best.literal!r} is longer than {match.literal!r}")


def _not_asked(registry: Registry, asked: set[str]) -> Iterator[NotAsked]:
    failed = {(failure.package, failure.plugin) for failure in registry.failures}
    usable = {record.id for record in registry.usable()}
    blocked = {(info.package, info.name): info.status for info in registry.plugins()}
    for record in registry.records():
        key = (record.package, record.name)
        if record.id in asked:
            continue
        if record.id not in usable:
            yield NotAsked(record, blocked[key])
        elif key in failed:
            yield NotAsked(record, "it failed")
        elif record.fallback:
            yield NotAsked(record, "a fallback, asked only where no other adapter claims a model")
        else:
            yield NotAsked(record, f"no word of its own is in the path: {', '.join(record.hints)}")
