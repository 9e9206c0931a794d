"""Files of conversations, read in chunks: whatever the size of a file, one chunk is in memory."""

from __future__ import annotations

import json
import re
from codecs import getincrementaldecoder
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

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
OPENS, CONTINUES, ENDS = (re.compile(rf"[ \t\n\r]*{each}[ \t\n\r]*") for each in (r"\[", ",", r"\]"))
"""What stands before the first value of a list, before the others, and after the last."""


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
    """The line of each row, or its number in the table or list, from 1."""
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
                raise SourceError(f"{str(path)!r} has no file to read\n  try: a directory with {_kinds()}")
            found += within
            continue
        source = _source(path)
        if source is None:
            what = "is not a file of a known kind" if path.is_file() else "does not exist"
            raise SourceError(f"{str(path)!r} {what}\n  try: {_kinds()}, or a directory of them")
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
            raise SourceError(f"{str(source.path)!r} cannot be read after row {line:,}: {error}") from error
        before += source.size


def _json(source: Source) -> Iterator[tuple[Sequence[bytes], Sequence[int], int]]:
    with source.path.open("rb") as file:
        rows: list[bytes] = []
        lines: list[int] = []
        size = 0
        stream = pa.input_stream(file, compression=source.compression)
        first = stream.read(BLOCK).removeprefix(BYTE_ORDER_MARK)
        blocks = chain([first], iter(partial(stream.read, BLOCK), b""))
        for line, row in enumerate((_values if _is_list(first, source.suffix) else _lines)(blocks), 1):
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


def _is_list(start: bytes, suffix: str) -> bool:
    """Return whether a file is one list of rows, and not a row on each line, which may be a list too."""
    first, _, others = start.lstrip().partition(b"\n")
    return first.startswith(b"[") and (suffix == ".json" or (first.strip() == b"[" and bool(others)))


def _values(blocks: Iterator[bytes]) -> Iterator[bytes]:
    """Yield the values of a list of JSON as they stand in it.

    Raises:
        OSError: If it is no such list, or a value is too long.
    """
    # What is not UTF-8 is in the row as it was, for `lect.row` to refuse.
    decode = getincrementaldecoder("utf-8")("surrogateescape").decode
    parse = json.JSONDecoder().raw_decode
    text, at, before = "", 0, OPENS
    while True:
        try:
            begun = before.match(text, at)
            if begun is None:
                if ENDS.match(text, at):
                    break
                raise json.JSONDecodeError("Expecting ',' delimiter", text, at)
            if before is OPENS and ENDS.match(text, begun.end()):
                at = begun.end()
                break
            _, end = parse(text, begun.end())
            if not (CONTINUES.match(text, end) or ENDS.match(text, end)):
                # It may go on: 12 is the beginning of 123.
                raise json.JSONDecodeError("Expecting ',' delimiter", text, end)
        except (ValueError, RecursionError) as error:
            text, at = text[at:], 0
            more = _as_long_as(text, blocks)
            if not more or len(text) > LONGEST_LINE or isinstance(error, RecursionError):
                raise OSError(f"it is one list, which is not JSON: {error}") from None
            text += decode(more)
            continue
        yield text[begun.end() : end].encode("utf-8", "surrogateescape")
        at, before = end, CONTINUES
    if text[at:].strip() != "]" or any(block.strip() for block in blocks):
        raise OSError("there is more after its list; lists on lines of their own are rows in a .jsonl")


def _as_long_as(text: str, blocks: Iterator[bytes]) -> bytes:
    """Read on, at least as much as there is: a long value is not parsed again for each block."""
    parts: list[bytes] = []
    size = 0
    for block in blocks:
        parts.append(block)
        size += len(block)
        if size >= len(text):
            break
    return b"".join(parts)


def _lines(blocks: Iterator[bytes]) -> Iterator[bytes]:
    parts: list[bytes] = []
    size = 0
    for block in blocks:
        first, *others = block.split(b"\n")
        parts.append(first)
        size += len(first)
        if size > LONGEST_LINE:
            raise OSError(f"a line has more than {LONGEST_LINE:,} bytes")
        if others:
            yield b"".join(parts)
            yield from others[:-1]
            parts, size = [others[-1]], len(others[-1])
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
