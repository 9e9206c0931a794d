"""Columns that are copied to a result, as text: whatever the files hold, all batches of it have the same types."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from lect_data.output import TEXT

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


def columns_of_rows(rows: Sequence[Any], names: Iterable[str]) -> dict[str, pa.Array]:
    """Return columns of rows that were read from JSON; what a row does not have is null."""
    return {name: texts_of(row.get(name) if isinstance(row, Mapping) else None for row in rows) for name in names}


def with_texts(batch: pa.RecordBatch, names: Iterable[str]) -> pa.RecordBatch:
    """Return a batch with texts in these columns."""
    texts = {name: texts_of(batch.column(name).to_pylist()) for name in names}
    return pa.RecordBatch.from_pydict({name: batch.column(name) for name in batch.schema.names} | texts)


def texts_of(values: Iterable[Any]) -> pa.Array:
    """Return values as texts: what is no text as JSON, and a lone surrogate, which Arrow cannot hold, escaped."""
    texts = (
        value if value is None or isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
        for value in values
    )
    return pa.array(
        [text if text is None else text.encode("utf-8", "backslashreplace").decode("utf-8") for text in texts], TEXT
    )
