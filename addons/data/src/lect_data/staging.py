"""An output that is written step by step, and gets its name only when it is whole.

Until then its batches are in a file beside it, an Arrow stream, to which each step appends; a small file says how far
it has got. Whatever ends the process, `resume` goes on after the last step that was complete.
"""

from __future__ import annotations

import json
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import pyarrow as pa
import pyarrow.parquet as pq

from lect.addon import replacing
from lect.errors import LectError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from lect_data.packing import Packs

END_OF_STREAM = b"\xff\xff\xff\xff\0\0\0\0"
KINDS = (".parquet", ".arrow", ".jsonl")


class Staging:
    """The output of a run, and the file of its errors.

    Args:
        output: The file to write.
        errors: The file for rows that cannot be used; None for none.
        run: What the run is made of: only the same one can go on.
        resume: Whether to go on with one that was interrupted.
        restart: Whether to begin anew, whatever is there.

    Attributes:
        steps: How many steps are done.
        tally: What the last step has noted, for the next to go on from.

    Raises:
        LectError: If the file cannot be written, or is there, or a run has begun it that is not to go on.
    """

    def __init__(self, output: Path, errors: Path | None, run: Mapping[str, Any], *, resume: bool, restart: bool):
        if output.suffix not in KINDS:
            msg = f"{str(output)!r} is not a file of a known kind\n  try: one of the endings {', '.join(KINDS)}"
            raise LectError(msg)
        self.output = output
        self.steps = 0
        self.tally: Mapping[str, Any] = {}
        self._errors = errors
        self._run = json.loads(json.dumps(run))
        self._state = _beside(output, ".partial.json")
        self._files: dict[str, BinaryIO] = {}
        self._places = {} if restart else self._stored(resume=resume)

    def _open(self) -> None:
        """Open the files, if they are not: as long as there is nothing to write, there are none."""
        if self._files:
            return
        if not self._places:
            self._state.unlink(missing_ok=True)  # It says how far another run got.
        for name, path in (("rows", self.output), ("errors", self._errors)):
            if path is not None:
                self._files[name] = _opened(_beside(path, ".partial"), self._places.get(name, 0))

    def _stored(self, *, resume: bool) -> dict[str, Any]:
        """Return how far another run got, if it is to go on."""
        if not self._state.exists():
            if self.output.exists():
                msg = f"{str(self.output)!r} is complete\n  try: another OUT, or --restart, which makes it anew"
                raise LectError(msg)
            partial = _beside(self.output, ".partial")
            if partial.exists() and not resume:
                msg = (
                    f"{str(partial)!r} is there, and nothing says how far it got\n"
                    "  try: another OUT, or --restart, which begins anew"
                )
                raise LectError(msg)
            return {}
        stored: dict[str, Any] = json.loads(self._state.read_text("utf-8"))
        differing = [name for name, value in self._run.items() if stored["run"].get(name) != value]
        if differing or not resume:
            what = f"was begun by a run with another {', '.join(differing)}" if differing else "is not complete"
            goes_on = "the same arguments and files with --resume, which goes on" if differing else "--resume, to go on"
            raise LectError(f"{str(self.output)!r} {what}\n  try: {goes_on}, or --restart, which begins anew")
        self.steps, self.tally = stored["steps"], stored["tally"]
        return stored

    def write(self, batch: pa.RecordBatch, errors: Iterable[Mapping[str, Any]], tally: Mapping[str, Any]) -> None:
        """Append the results of a step. It counts from when all of them are written."""
        with _writing(self.output):
            self._open()
            rows = self._files["rows"]
            if not rows.tell():
                rows.write(batch.schema.serialize())
            if len(batch):
                rows.write(batch.serialize())
            if "errors" in self._files:
                self._files["errors"].writelines(json.dumps(error).encode() + b"\n" for error in errors)
            for file in self._files.values():
                file.flush()
            self.steps += 1
            places = {name: file.tell() for name, file in self._files.items()}
            state = {"steps": self.steps, "tally": tally, "run": self._run, **places}
            with replacing(self._state) as file:
                file.write(json.dumps(state).encode())

    def finish(self, sequences: int, packs: Packs | None = None) -> None:
        """Write the output in its own format, and give it its name, if it has so many sequences.

        Rows are packed here, all of them, so that it does not matter in how many runs they were written.
        """
        partial = _beside(self.output, ".partial")
        with _writing(self.output):
            self._open()
            if self.output.suffix == ".arrow":
                self._files["rows"].write(END_OF_STREAM)
            self.close()
            _check_count(partial, ".arrow", sequences)
            if self.output.suffix == ".arrow" and packs is None:
                partial.replace(self.output)
            else:
                write = {".parquet": _write_parquet, ".arrow": _write_arrow, ".jsonl": _write_json}[self.output.suffix]
                with replacing(self.output) as file, partial.open("rb") as rows:
                    batches = pa.ipc.open_stream(rows)
                    write(batches if packs is None else packs.all_of(batches), file)
                    file.flush()
                    _check_count(Path(file.name), self.output.suffix, packs.count if packs else sequences)
                partial.unlink()
            if self._errors is not None:
                _beside(self._errors, ".partial").replace(self._errors)
            self._state.unlink()

    def close(self) -> None:
        """Leave everything as it is, for another run to go on."""
        for file in self._files.values():
            file.close()


def _beside(path: Path, suffix: str) -> Path:
    return path.with_name(path.name + suffix)


def _opened(path: Path, size: int) -> BinaryIO:
    """Open a file to append to it, without what was written after the last complete step."""
    if size and path.stat().st_size < size:
        raise OSError(f"{path.name} is shorter than it was")
    file = path.open("r+b" if size else "wb")
    file.truncate(size)
    file.seek(size)
    return file


@contextmanager
def _writing(path: Path) -> Iterator[None]:
    try:
        yield
    except (OSError, pa.ArrowException, ValueError) as error:
        msg = f"{str(path)!r} cannot be written: {error}\n  try: room on the disk, then --resume, which goes on"
        raise LectError(msg) from error


def _write_parquet(batches: pa.RecordBatchReader, file: BinaryIO) -> None:
    with pq.ParquetWriter(file, batches.schema, compression="zstd") as writer:
        for batch in batches:
            writer.write_batch(batch)


def _write_arrow(batches: pa.RecordBatchReader, file: BinaryIO) -> None:
    with pa.ipc.new_stream(file, batches.schema) as writer:
        for batch in batches:
            writer.write_batch(batch)


def _check_count(path: Path, kind: str, rows: int) -> None:
    """Raise unless a file has so many rows."""
    with path.open("rb") as file:
        if kind == ".parquet":
            count = pq.read_metadata(file).num_rows
        else:
            count = sum(map(len, pa.ipc.open_stream(file))) if kind == ".arrow" else sum(1 for _ in file)
    if count != rows:
        raise OSError(f"{path.name} has {count:,} rows, and {rows:,} were written")


def _write_json(batches: pa.RecordBatchReader, file: BinaryIO) -> None:
    for batch in batches:
        for row in batch.to_pylist():
            present = {name: value for name, value in row.items() if value is not None}
            file.write(json.dumps(present, ensure_ascii=False).encode() + b"\n")
