"""What a process has not finished when it is killed: journals, one for each line, in a folder that is locked."""

from __future__ import annotations

import os
import sys
import threading
import time
import uuid
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Joined = Callable[[list[bytes]], bytes | None]

LOCK, WRITING = "lock", "@"
SUFFIX, HIDDEN = ".jsonl", "."
"""How the file of finished rows ends, and how its folder of journals begins: what reads a directory passes over it."""


class Journals:
    """The journals of one process, and the file of rows that they become.

    Each is a file to which a step is appended at once, and which becomes one row when its line ends. A process that is
    killed leaves them behind: whoever finds the folder without a lock finishes them. While a row is being written its
    journal is called after the size that the file had before, so that a row of which only a part was written is known,
    and one that was written is not written again.

    Args:
        place: The path of the file of rows, without its suffix.
        joined: A function that makes a row from steps; None if there is nothing to keep.

    Raises:
        OSError: If the folder cannot be made, or another process has it.
    """

    def __init__(self, place: str, joined: Joined) -> None:
        self._rows, self._joined = place + SUFFIX, joined
        self._folder = os.path.join(os.path.dirname(place), HIDDEN + os.path.basename(place))
        # What was said is for whoever started the server.
        os.makedirs(self._folder, 0o700, exist_ok=True)
        self._lock = _locked(self.path(LOCK))
        self._one_by_one = threading.Lock()

    def path(self, name: str) -> str:
        """Return where a journal is."""
        return os.path.join(self._folder, name)

    def append(self, name: str, step: bytes) -> None:
        """Append a step to a journal, all of it or nothing."""
        path = self.path(name)
        _append(path, _size(path), step + b"\n")

    def finish(self, name: str) -> None:
        """Write the row that a journal is, and remove the journal."""
        name, _, written = name.partition(WRITING)
        path = self.path(name)
        with self._one_by_one:
            if written:
                if _size(self._rows) > int(written):
                    os.truncate(self._rows, int(written))
                os.rename(path + WRITING + written, path)
            with open(path, "rb") as file:
                # The last one may be torn: its answer never came to its end.
                *steps, _ = file.read().split(b"\n")
            if (row := self._joined(steps)) is not None:
                size = _size(self._rows)
                writing = f"{path}{WRITING}{size}"
                os.rename(path, writing)
                try:
                    _append(self._rows, size, row + b"\n")
                except OSError:
                    os.rename(writing, path)
                    raise
                path = writing
            os.remove(path)

    def names(self) -> list[str]:
        """Return the journals, the one whose row may be in the file already first."""
        names = (name for name in os.listdir(self._folder) if name != LOCK)
        return sorted(names, key=lambda name: (WRITING not in name, name))

    def close(self) -> None:
        """Remove the folder, unless a journal is left in it."""
        os.close(self._lock)
        with suppress(OSError):
            os.remove(self.path(LOCK))
            os.rmdir(self._folder)


def begin(directory: str, joined: Joined) -> Journals:
    """Return the journals of this process.

    Raises:
        OSError: If they cannot be made.
    """
    while True:
        name = f"sessions-{int(time.time())}-{os.getpid()}-{uuid.uuid4().hex[:8]}"
        # Another process that starts may have found the folder before it was locked, and removed it.
        with suppress(BlockingIOError, FileNotFoundError):
            return Journals(os.path.join(directory, name), joined)


def left(directory: str, joined: Joined) -> Iterator[Journals]:
    """Yield the journals of processes that are no more."""
    for name in sorted(os.listdir(directory)):
        if name.startswith(f"{HIDDEN}sessions-"):
            with suppress(OSError):
                yield Journals(os.path.join(directory, name.removeprefix(HIDDEN)), joined)


def _size(path: str) -> int:
    return os.path.getsize(path) if os.path.exists(path) else 0


def _append(path: str, size: int, data: bytes) -> None:
    """Let a file have data after its first bytes; if there is no room for all of it, none."""
    file = os.open(path, os.O_WRONLY | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o600)
    try:
        os.ftruncate(file, size)
        os.lseek(file, size, os.SEEK_SET)
        rest = memoryview(data)
        try:
            while rest:
                rest = rest[os.write(file, rest) :]
        except OSError:
            os.ftruncate(file, size)
            raise
    finally:
        os.close(file)


def _locked(path: str) -> int:
    """Return a file that is locked until this process ends, however it ends.

    Raises:
        OSError: If another has locked it.
    """
    file = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(file)
        raise
    return file
