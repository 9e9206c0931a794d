"""Sequences side by side in packs of one length, so that next to nothing of a batch is padding.

A sequence is never cut. As many as a buffer holds are packed at once, each, from the longest on, where it leaves the
least room. Then the fuller half of the packs leaves, and what is in the others waits for sequences that fit better.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, insort
from itertools import accumulate, chain
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from lect.errors import MaskError, saferepr
from lect.plugin import boundary
from lect_data.output import UNTRAINED, WEIGHTS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

BUFFER = 1 << 21
"""How many tokens are packed at once, unless that makes too few packs."""
FEWEST = 16
"""How many packs the buffer holds at least."""
TOKENS = ("input_ids", "labels", "weights")
"""The columns with a value for each token."""


@boundary
def pack(batches: Iterable[Any], length: int) -> Iterator[pa.RecordBatch]:
    """Return packs of sequences, in batches: each holds whole ones, at most `length` tokens of them.

    `input_ids`, `labels` and `weights` of the sequences follow each other. `position_ids` begin at 0 in each sequence,
    `seq_lengths` has the length of each and `length` that of the pack. The label of the first token of a sequence is
    -100: nothing is predicted from the sequence before it. All other columns, such as `row` and `part`, become lists
    of a value for each sequence; an `attention_mask`, which would join the sequences again, is left out. Which
    sequences share a pack does not depend on how they are divided into batches.

    Args:
        batches: Record batches or tables of sequences with `input_ids` and `labels`, such as the first result of
            `Formatter.split`.
        length: The most tokens of a pack.

    Raises:
        MaskError: If a sequence is longer, or has no ids.
    """
    return Packs(length).made_of(iter(batches))


class Packs:
    """Sequences that are being packed.

    Attributes:
        length: The most tokens of a pack.
        count: How many packs were made.
        tokens: The tokens in them.
        trained: How many of the tokens carry loss.
        seen: Is called with how many sequences were added.
    """

    seen: Callable[[int], None] | None = None

    def __init__(self, length: int):
        if type(length) is not int or length < 1:
            msg = f"the length of a pack is {saferepr(length)}; expected a positive number of tokens\n  try: 4096"
            raise MaskError(msg)
        self.length = length
        self.count = self.tokens = self.trained = self._added = 0
        self._most = max(BUFFER, FEWEST * length)
        self._waiting: list[pa.RecordBatch] = []
        self._size = 0

    def add(self, batch: pa.RecordBatch) -> list[pa.RecordBatch]:
        """Add sequences; return the packs that leave.

        Raises:
            MaskError: If a sequence does not fit into a pack, or has no ids.
        """
        made = []
        start = 0
        for end, size in enumerate(_lengths(batch), 1):
            self._check(size)
            self._size += size
            if self._size >= self._most:
                self._waiting.append(batch.slice(start, end - start))
                made.append(self._leave(all_of_them=False))
                start = end
        self._waiting.append(batch.slice(start))
        self._added += batch.num_rows
        if self.seen:
            self.seen(self._added)
        return made

    def rest(self) -> list[pa.RecordBatch]:
        """Return the packs of all that waits: a batch, which is empty if nothing does."""
        return [self._leave(all_of_them=True)] if self._waiting else []

    def made_of(self, batches: Iterable[Any]) -> Iterator[pa.RecordBatch]:
        """Yield the packs of batches or tables."""
        for batch in batches:
            if not isinstance(batch, pa.RecordBatch | pa.Table):
                msg = f"{saferepr(batch)} is no batch\n  try: pack the first result of Formatter.split(table)"
                raise MaskError(msg)
            for each in batch.to_batches() if isinstance(batch, pa.Table) else [batch]:
                yield from self.add(each)
        yield from self.rest()

    def all_of(self, batches: pa.RecordBatchReader) -> pa.RecordBatchReader:
        """Return a reader of the packs of all that another reads."""
        nothing = pa.RecordBatch.from_pylist([], schema=batches.schema)
        return pa.RecordBatchReader.from_batches(_side_by_side(nothing, []).schema, self.made_of(batches))

    def lines(self) -> Iterator[tuple[str, str]]:
        """Yield what to show of them."""
        full = self.tokens / (self.count * self.length) if self.count else 0
        yield "packs", f"{self.count:,} of {self.length:,} tokens, {full:.1%} full"

    def _check(self, size: int | None) -> None:
        if not size:
            raise MaskError("a sequence has no input_ids\n  try: pack the first result of Formatter.split(table)")
        if size > self.length:
            advice = f"try: Formatter(..., max_length={self.length})"
            raise MaskError(f"a sequence has {size:,} tokens, more than a pack, {self.length:,}\n  {advice}")

    def _leave(self, *, all_of_them: bool) -> pa.RecordBatch:
        """Pack all that waits; return the fuller half of the packs, or all, in the order of their sequences."""
        batch = pa.concat_batches(self._waiting)
        lengths = _lengths(batch)
        packs = _best_fit(lengths, self.length)
        packs.sort(key=lambda pack: -sum(lengths[place] for place in pack))
        count = len(packs) if all_of_them else -(-len(packs) // 2)
        waiting = sorted(chain.from_iterable(packs[count:]))
        self._waiting = [batch.take(pa.array(waiting, pa.int64()))]
        self._size = sum(lengths[place] for place in waiting)
        made = _side_by_side(batch, sorted(map(sorted, packs[:count])))
        self.count += count
        self.tokens += pc.sum(made.column("length")).as_py() or 0
        self.trained += pc.sum(pc.not_equal(made.column("labels").flatten(), UNTRAINED)).as_py() or 0
        return made


def _lengths(batch: pa.RecordBatch) -> list[Any]:
    names = batch.schema.names
    missing = next((name for name in ("input_ids", "labels") if name not in names), None)
    if missing is not None:
        raise MaskError(f"there is no column {missing!r}, only {', '.join(names)}\n  try: Formatter(MODEL, tokenizer)")
    lengths: list[Any] = pc.list_value_length(batch.column("input_ids")).to_pylist()
    return lengths


def _best_fit(lengths: Sequence[int], most: int) -> list[list[int]]:
    """Return the places of sequences pack by pack; each, from the longest on, is where the least room is left."""
    packs: list[list[int]] = []
    rooms: list[tuple[int, int]] = []
    for place in sorted(range(len(lengths)), key=lambda place: -lengths[place]):
        at = bisect_left(rooms, (lengths[place], 0))
        if at < len(rooms):
            room, number = rooms.pop(at)
            packs[number].append(place)
        else:
            room, number = most, len(packs)
            packs.append([place])
        insort(rooms, (room - lengths[place], number))
    return packs


def _side_by_side(batch: pa.RecordBatch, packs: Sequence[Sequence[int]]) -> pa.RecordBatch:
    """Return the sequences of a batch in packs, which are their places."""
    taken = batch.take(pa.array(chain.from_iterable(packs), pa.int64()))
    lengths = _lengths(taken)
    ends = pa.array(accumulate(map(len, packs), initial=0), pa.int32())
    tokens = pa.array(accumulate(lengths, initial=0), pa.int32()).take(ends)
    counted = array("i", range(max(lengths, default=0)))
    positions = array("i")
    for length in lengths:
        positions.extend(counted[:length])
    flat = pa.Array.from_buffers(pa.int32(), len(positions), [None, pa.py_buffer(positions)])
    is_first = pc.equal(flat, 0)
    columns: dict[str, pa.Array] = {}
    for name in taken.schema.names:
        column = taken.column(name)
        if name not in TOKENS:
            columns[name] = pa.ListArray.from_arrays(ends, column)
        elif name == "weights":
            columns[name] = _weights(taken, ends, tokens, is_first)
        else:
            values = column.flatten()
            values = pc.if_else(is_first, pa.scalar(UNTRAINED, values.type), values) if name == "labels" else values
            columns[name] = pa.ListArray.from_arrays(tokens, values)
    columns.pop("attention_mask", None)
    columns["position_ids"] = pa.ListArray.from_arrays(tokens, flat)
    columns["seq_lengths"] = pa.ListArray.from_arrays(ends, pa.array(lengths, pa.int32()))
    columns["length"] = pc.list_value_length(columns["input_ids"]).cast(pa.int64())
    return pa.RecordBatch.from_pydict(columns)


def _weights(taken: pa.RecordBatch, ends: pa.Array, tokens: pa.Array, is_first: pa.Array) -> pa.Array:
    """Return the weights of packs: null unless one of the sequences has some, as those of sequences are."""
    column, labels = taken.column("weights"), taken.column("labels")
    if column.null_count == len(column):
        return pa.nulls(len(ends) - 1, WEIGHTS)
    offsets = pa.array(accumulate(_lengths(taken), initial=0), pa.int32())
    wholes = pa.ListArray.from_arrays(offsets, pc.not_equal(labels.flatten(), UNTRAINED).cast(pa.float32()))
    values = pc.if_else(column.is_null(), wholes, column.cast(WEIGHTS)).flatten()
    given = pa.ListArray.from_arrays(ends, column.is_valid()).to_pylist()
    is_null = pa.array([not any(each) for each in given])
    return pa.ListArray.from_arrays(tokens, pc.if_else(is_first, pa.scalar(0, pa.float32()), values), mask=is_null)
