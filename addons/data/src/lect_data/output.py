"""The columns of a batch that is being made."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lect_data.deviations import Deviation
    from lect_data.sequences import Made

UNTRAINED = -100
"""The label that the cross entropy of PyTorch leaves out."""
IDS, LABELS, WEIGHTS = pa.list_(pa.int32()), pa.list_(pa.int64()), pa.list_(pa.float32())
TEXT = pa.large_string()
DEVIATIONS = pa.list_(pa.struct([("message", pa.int32()), ("kind", pa.string()), ("reason", pa.string())]))


class Lists:
    """A column of lists of numbers, as one array; None is null."""

    def __init__(self, code: str):
        self.values = array(code)
        self._ends = array("i", [0])
        self._nulls: list[bool] = []

    def append(self, values: list[Any] | array[Any] | None) -> None:
        if isinstance(values, list):
            self.values.fromlist(values)  # In a third of the time that `extend` takes.
        elif values is not None:
            self.values.extend(values)
        self._ends.append(len(self.values))
        self._nulls.append(values is None)

    def flat(self) -> pa.Array:
        """Return all numbers."""
        kind = pa.int32() if self.values.typecode == "i" else pa.float64()
        return pa.Array.from_buffers(kind, len(self.values), [None, pa.py_buffer(self.values)])

    def column(self, values: pa.Array) -> pa.Array:
        """Return these numbers in lists of the same lengths."""
        ends = pa.Array.from_buffers(pa.int32(), len(self._ends), [None, pa.py_buffer(self._ends)])
        return pa.ListArray.from_arrays(ends, values, mask=pa.array(self._nulls, pa.bool_()))


class Output:
    """A batch that is being made, row by row: `rows` are places in the input batch."""

    def __init__(self, names: Sequence[str]):
        self.rows: list[int] = []
        self.parts: list[int] = []
        self._names = names
        self._lengths: list[int | None] = []
        self._turns: list[int | None] = []
        self._deviations: list[Sequence[Deviation]] = []
        self._errors: list[str | None] = []
        self._texts: dict[str, list[str | None]] = {}
        self._lists: dict[str, Lists] = {}
        for name in names:
            if name.endswith("_ids"):
                self._lists[name] = Lists("i")
            elif name == "weights":
                self._lists[name] = Lists("d")
            elif name != "labels":
                self._texts[name] = []

    def add(self, row: int, part: int, made: Made) -> None:
        """Add a sequence."""
        self._deviations.append(made.deviations)
        self._add(row, part, made.values, made.length, made.turns, None)

    def refuse(self, row: int, error: str) -> None:
        """Add a row that cannot be used."""
        self._deviations.append(())
        self._add(row, 0, {}, None, None, _encodable(error))

    def _add(
        self, row: int, part: int, values: Mapping[str, Any], length: int | None, turns: int | None, error: str | None
    ) -> None:
        self.rows.append(row)
        self.parts.append(part)
        self._lengths.append(length)
        self._turns.append(turns)
        self._errors.append(error)
        for name, texts in self._texts.items():
            texts.append(values.get(name))
        for name, lists in self._lists.items():
            lists.append(values.get(name))

    def columns(self) -> dict[str, pa.Array]:
        """Return all columns but those that come from the input."""
        made: dict[str, pa.Array] = {"part": pa.array(self.parts, pa.int32())}
        made |= {name: self._column(name) for name in self._names}
        made["length"] = pa.array(self._lengths, pa.int64())
        made["turns"] = pa.array(self._turns, pa.int32())
        made["deviations"] = deviation_column(self._deviations)
        made["error"] = pa.array(self._errors, TEXT)
        return made

    def _column(self, name: str) -> pa.Array:
        if name in self._texts:
            return pa.array(self._texts[name], TEXT)
        if name == "labels":
            ids = self._lists["input_ids"]
            is_trained = pc.not_equal(self._lists["weights"].flat(), 0)
            return ids.column(pc.if_else(is_trained, ids.flat(), UNTRAINED).cast(pa.int64()))
        lists = self._lists[name]
        if name != "weights":
            return lists.column(lists.flat())
        flat = lists.flat()
        is_whole = pc.or_(pc.equal(flat, 0), pc.equal(flat, 1))
        if pc.all(is_whole).as_py():
            return pa.nulls(len(self.rows), WEIGHTS)
        column = lists.column(flat.cast(pa.float32()))
        wholes = lists.column(is_whole).to_pylist()
        return pc.if_else(pa.array([not row or all(row) for row in wholes]), pa.scalar(None, WEIGHTS), column)


def deviation_column(deviations: Sequence[Sequence[Deviation]]) -> pa.Array:
    """Return what deviates in each sequence; null where nothing does."""
    if not any(deviations):
        return pa.nulls(len(deviations), DEVIATIONS)
    listed = [[(message, kind, _encodable(reason)) for message, kind, reason in each] or None for each in deviations]
    return pa.array(listed, DEVIATIONS)


def _encodable(text: str) -> str:
    """Return a text in which a lone surrogate, which Arrow cannot hold, is escaped."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def text_columns(prompts: Any) -> dict[str, pa.Array]:
    """Return the same columns for prompts that were written as columns."""
    count = len(prompts.rows)
    return {
        "part": pa.array([0] * count, pa.int32()),
        "text": prompts.texts,
        "length": pc.utf8_length(prompts.texts).cast(pa.int64()),
        "turns": pa.array(prompts.turns, pa.int32()),
        "deviations": deviation_column(prompts.deviations),
        "error": pa.nulls(count, TEXT),
    }
