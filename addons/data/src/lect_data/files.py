"""Files of conversations, read in chunks: whatever the size of a file, one chunk is in memory."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from lect.errors import SourceError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

JSON, PARQUET, ARROW = (".jsonl", ".ndjson", ".json"), (".parquet", ".pq"), (".arrow", ".feather")
COMPRESSED = {".gz": "gzip", ".zst": "zstd"}
ROWS = 1024
"""The most rows of a chunk."""
BYTES = 16 << 20
"""The most bytes of a chunk, unless one row has more."""
BLOCK = 1 << 20
LONGEST_LINE = 1 << 28
BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class Source(NamedTuple):
    """A file of conversations."""

    path: Path
    suffix: str
    compression: str | None
    size: int
    changed: int


class Chunk(NamedTuple):
    """Some rows of a file: lines of JSON, or a batch."""

    rows: Sequence[bytes] | pa.RecordBatch
    path: Path
    lines: Sequence[int]
    """The line of each row, or its number in the table, from 1."""
    done: int
    """How many bytes of all files are read, roughly."""


def find(paths: Iterable[str]) -> list[Source]:
    """Return the files that paths name; in directories, all of a known kind, in order of their names.

    Raises:
        SourceError: If there is none, or a kind is not known.
    """
    found: list[Source] = []
    for path in map(Path, paths):
        if path.is_dir():
            within = [each for name in sorted(path.rglob("*")) if (each := _source(name)) is not None]
            if not within:
                msg = f"{str(path)!r} has no file to read\n  try: a directory with {_kinds()}"
                raise SourceError(msg)
            found += within
            continue
        source = _source(path)
        if source is None:
            what = "is not a file of a known kind" if path.is_file() else "does not exist"
            msg = f"{str(path)!r} {what}\n  try: {_kinds()}, or a directory of them"
            raise SourceError(msg)
        found.append(source)
    return found


def _kinds() -> str:
    return f"a file with one of the endings {', '.join((*JSON, *PARQUET, *ARROW))}, or .jsonl.gz, .jsonl.zst"


def _source(path: Path) -> Source | None:
    suffixes = [suffix.lower() for suffix in path.suffixes]
    compression = COMPRESSED.get(suffixes[-1]) if suffixes else None
    kinds = suffixes[:-1] if compression else suffixes
    known = JSON if compression else (*JSON, *PARQUET, *ARROW)
    if not kinds or kinds[-1] not in known or not path.is_file():
        return None
    about = path.stat()
    return Source(path, kinds[-1], compression, about.st_size, about.st_mtime_ns)


def read(sources: Sequence[Source]) -> Iterator[Chunk]:
    """Yield the rows of files in chunks, always the same.

    Raises:
        SourceError: If a file cannot be read.
    """
    before = 0
    for source in sources:
        line = 0
        try:
            chunks = _json if source.suffix in JSON else _parquet if source.suffix in PARQUET else _arrow
            for rows, lines, part in chunks(source):
                line = lines[-1]
                yield Chunk(rows, source.path, lines, before + part)
        except (OSError, pa.ArrowException) as error:
            msg = f"{str(source.path)!r} cannot be read after row {line:,}: {error}"
            raise SourceError(msg) from error
        before += source.size


def _json(source: Source) -> Iterator[tuple[Sequence[bytes], Sequence[int], int]]:
    with source.path.open("rb") as file:
        rows: list[bytes] = []
        lines: list[int] = []
        size = 0
        for line, row in enumerate(_lines(pa.input_stream(file, compression=source.compression)), 1):
            if line == 1 and source.suffix == ".json" and row.lstrip().startswith(b"["):
                what = f"{str(source.path)!r} is one list, which cannot be read in parts"
                msg = f"{what}\n  try: jq -c '.[]', into a .jsonl"
                raise SourceError(msg)
            if not row.strip():
                continue
            rows.append(row)
            lines.append(line)
            size += len(row)
            if len(rows) == ROWS or size >= BYTES:
                yield rows, lines, source.size if file.closed else file.tell()
                rows, lines, size = [], [], 0
        if rows:
            yield rows, lines, source.size


def _lines(stream: Any) -> Iterator[bytes]:
    parts: list[bytes] = []
    size = 0
    block = stream.read(BLOCK).removeprefix(BYTE_ORDER_MARK)
    while block:
        first, *others = block.split(b"\n")
        parts.append(first)
        size += len(first)
        if size > LONGEST_LINE:
            msg = f"a line has more than {LONGEST_LINE:,} bytes"
            raise OSError(msg)
        if others:
            yield b"".join(parts)
            yield from others[:-1]
            parts, size = [others[-1]], len(others[-1])
        block = stream.read(BLOCK)
    yield b"".join(parts)


def _parquet(source: Source) -> Iterator[tuple[pa.RecordBatch, Sequence[int], int]]:
    with pq.ParquetFile(source.path) as file:
        count = file.metadata.num_rows
        yield from _cut(file.iter_batches(batch_size=ROWS), lambda row: source.size * row // count)


def _arrow(source: Source) -> Iterator[tuple[pa.RecordBatch, Sequence[int], int]]:
    with source.path.open("rb") as stream:
        try:
            file = pa.ipc.open_file(stream)
            batches: Iterable[pa.RecordBatch] = (file.get_batch(index) for index in range(file.num_record_batches))
        except pa.ArrowInvalid:
            stream.seek(0)
            batches = pa.ipc.open_stream(stream)
        yield from _cut(batches, lambda _: stream.tell())


def _cut(
    batches: Iterable[pa.RecordBatch], done: Callable[[int], int]
) -> Iterator[tuple[pa.RecordBatch, Sequence[int], int]]:
    row = 0
    for batch in batches:
        step = max(1, min(ROWS, len(batch) * BYTES // max(batch.nbytes, 1)))
        for start in range(0, len(batch), step):
            part = batch.slice(start, step)
            lines = range(row + 1, row + len(part) + 1)
            row += len(part)
            yield part, lines, done(row)
