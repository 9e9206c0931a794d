"""What a data set is made of: counts that can be added, shown and stored."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any

import pyarrow.compute as pc

from lect_data.deviations import KINDS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    import pyarrow as pa

COUNTS = ("rows", "failed", "sequences", "tokens", "trained", "cut", "untrained", "controls")
NO_LOSS = "no token carries loss"
NAMES = dict(zip(KINDS, ("answers not as served", "answers left out", "answers without a stop"), strict=True))
MOST_SHOWN = 8
BAR = 40
MOST_REASONS = 100
"""How many reasons of a kind are told apart."""
OWN_WORDS = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|\d+")
"""What is quoted in a reason, and numbers: rows with the same reason differ in them."""


class Reasons:
    """How many answers deviate in one way, by reason; of each reason, one is kept as an example."""

    def __init__(self, stored: Mapping[str, Any] | None = None):
        known: Mapping[str, Any] = stored or {}
        self.counts: Counter[str] = Counter(known.get("counts", {}))
        self.examples: dict[str, list[str]] = dict(known.get("examples", {}))

    def stored(self) -> dict[str, Any]:
        """Return them as JSON has them."""
        return {"counts": self.counts, "examples": self.examples}

    def add(self, reason: str, where: str) -> None:
        """Count an answer."""
        first, *_ = reason.splitlines() or [""]
        key = OWN_WORDS.sub("_", first)
        if key not in self.counts and len(self.counts) >= MOST_REASONS:
            key = ""
        self.counts[key] += 1
        self.examples.setdefault(key, [first, where])

    def __str__(self) -> str:
        total = self.counts.total()
        if not total:
            return "0"
        ((key, often),) = self.counts.most_common(1)
        reason, where = self.examples[key]
        return f"{total:,}{'' if often == total else f', of which {often:,}'}: {reason} (first in {where})"


class Tally:
    """The counts of a data set.

    Attributes:
        rows: The rows that were read.
        failed: Those that cannot be used.
        sequences: What they became.
        tokens: The tokens of all sequences; characters where they are texts.
        trained: How many of the tokens carry loss.
        cut: The sequences that `max_length` has shortened or split.
        untrained: The rows without a token that carries loss: they are among those that failed.
        controls: The rows with texts that spell a control token.
        deviations: The answers that are not trained as served, by kind: see `lect_data.deviations`.
        unused: For each field, in how many rows it did not reach the prompt.
        lengths: How many sequences have lengths below a power of two, by its exponent.
    """

    def __init__(self, stored: Mapping[str, Any] | None = None):
        known: Mapping[str, Any] = stored or {}
        self.rows, self.failed, self.sequences, self.tokens, self.trained, self.cut, self.untrained, self.controls = (
            known.get(name, 0) for name in COUNTS
        )
        deviations: Mapping[str, Any] = known.get("deviations", {})
        self.deviations = {kind: Reasons(deviations.get(kind)) for kind in KINDS}
        self.unused: Counter[str] = Counter(known.get("unused", {}))
        self.lengths: Counter[int] = Counter({int(size): count for size, count in known.get("lengths", {}).items()})

    def stored(self) -> dict[str, Any]:
        """Return the counts as JSON has them."""
        deviations = {kind: reasons.stored() for kind, reasons in self.deviations.items()}
        counts = {name: getattr(self, name) for name in COUNTS}
        return counts | {"deviations": deviations, "unused": self.unused, "lengths": self.lengths}

    def note(self, *, cut: int = 0, controls: int = 0, unused: Iterable[str] = ()) -> None:
        """Add what is not in the columns of one row."""
        self.cut += cut
        self.controls += controls > 0
        self.unused.update(dict.fromkeys(unused, 1))

    def add(self, rows: int, good: pa.RecordBatch, errors: Iterable[str]) -> None:
        """Add the columns of a batch that was made from so many rows."""
        self.rows += rows
        for error in errors:
            self.failed += 1
            self.untrained += error.startswith(NO_LOSS)
        lengths = good.column("length").to_pylist()
        self.sequences += len(lengths)
        self.tokens += sum(lengths)
        self.lengths.update(length.bit_length() for length in lengths)
        if "labels" in good.schema.names:
            labels = good.column("labels").flatten()
            self.trained += pc.sum(pc.not_equal(labels, -100)).as_py() or 0

    def add_deviations(self, made: pa.RecordBatch, where: Callable[[int], str]) -> None:
        """Add the answers of a batch that are not trained as served; `where` tells in which file and line a row is."""
        column = made.column("deviations")
        if column.null_count == len(made):
            return
        for row, listed in zip(made.column("row").to_pylist(), column.to_pylist(), strict=True):
            for each in listed or ():
                self.deviations[each["kind"]].add(each["reason"], where(row))

    def lines(self, unit: str) -> Iterator[tuple[str, str]]:
        """Yield what to show of it; `unit` is what lengths are counted in."""
        yield "rows", f"{self.rows:,}, {self.failed:,} of which cannot be used"
        yield "sequences", f"{self.sequences:,}"
        trained = f", {self.trained:,} with loss ({self.trained / self.tokens:.0%})" if self.trained else ""
        yield unit, f"{self.tokens:,}{trained}"
        yield "cut by max_length", f"{self.cut:,}"
        yield "rows without loss", f"{self.untrained:,}"
        yield "rows with control text", f"{self.controls:,}"
        for kind, name in NAMES.items():
            yield name, str(self.deviations[kind])
        shown = [f"{field} ({count:,})" for field, count in self.unused.most_common(MOST_SHOWN)]
        more = len(self.unused) - MOST_SHOWN
        yield "fields unused", ", ".join([*shown, *([f"{more} more"] if more > 0 else [])]) or "none"
        most = max(self.lengths.values(), default=0)
        for size in range(min(self.lengths, default=0), max(self.lengths, default=-1) + 1):
            count = self.lengths[size]
            yield f"up to {(1 << size) - 1:,}", f"{'#' * -(-BAR * count // most)} {count:,}"
