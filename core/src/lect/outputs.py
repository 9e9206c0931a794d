"""Writing an output: one process at a time, and whole or not at all.

The owner of an output says who it is in a file beside it, which the system locks: a lock ends with its process, however
that ends. Where the system has no locks, the file alone is the lock.
"""

from __future__ import annotations

import os
from contextlib import contextmanager, suppress
from errno import EACCES, EAGAIN
from importlib import import_module
from typing import TYPE_CHECKING

from lect.boundaries import boundary
from lect.errors import LectError, OutputWarning, saferepr, warn_caller

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import BinaryIO

    Path = str | os.PathLike[str]

SUFFIX = ".lect-owner"
BEGINNING = "process "
LONGEST = 1000
"""Bytes of what an owner says."""
_FLAGS = os.O_RDWR | sum(getattr(os, f"O_{name}", 0) for name in ("NOFOLLOW", "NONBLOCK", "CLOEXEC", "BINARY"))


@contextmanager
def owned(output: Path) -> Iterator[None]:
    """Own an output: whoever else asks for it meanwhile is refused. What is no file, such as a pipe, has no owner.

    Raises:
        LectError: If it has an owner, or nothing can be written there.
    """
    path = os.path.realpath(output)
    if os.path.exists(path) and not (os.path.isfile(path) or os.path.isdir(path)):
        yield
        return
    try:
        descriptor = _claimed(output, path + SUFFIX)
    except OSError as error:
        raise _unwritable(output, error) from error
    try:
        yield
    finally:
        _release(path + SUFFIX, descriptor)


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """Write a file, which the caller owns, under another name; it loses that when it is whole."""
    temporary = f"{os.fspath(path)}.temporary"
    try:
        with open(temporary, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        with suppress(FileNotFoundError):
            os.chmod(temporary, os.stat(path).st_mode & 0o7777)
        os.replace(temporary, path)
    finally:
        with suppress(FileNotFoundError):
            os.unlink(temporary)


@boundary
def write_whole(output: Path, text: str) -> None:
    """Write a text into a file that the caller owns, whole or not at all; or into a pipe.

    Raises:
        LectError: If it cannot be written.
    """
    path = os.path.realpath(output)
    is_file = os.path.isfile(path) or not os.path.exists(path)
    try:
        with replacing(path) if is_file else open(path, "wb") as file:
            file.write(text.encode())
    except (OSError, ValueError) as error:
        raise _unwritable(output, error) from error


def _unwritable(output: Path, error: Exception) -> LectError:
    reason = getattr(error, "strerror", None) or error
    return LectError(f"cannot write {saferepr(os.fspath(output))}: {reason}\n  try: a path that you may write to")


def _claimed(output: Path, path: str) -> int:
    """Return the open file in which this process says that it is the owner."""
    while True:
        descriptor, is_new = _opened(path)
        try:
            is_locked = _lock(descriptor)
            if is_locked is False or _is_at(path, descriptor):
                os.lseek(descriptor, 0, os.SEEK_SET)
                said = os.read(descriptor, LONGEST).decode("utf-8", "replace")
                _refuse_others(output, path, said, is_locked=is_locked, is_new=is_new)
                os.ftruncate(descriptor, 0)
                os.lseek(descriptor, 0, os.SEEK_SET)
                os.write(descriptor, _this_process())
                return descriptor
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)  # The last owner has removed it in between.


def _opened(path: str) -> tuple[int, bool]:
    """Return a file, open, and whether it is new."""
    while True:
        with suppress(FileExistsError):
            return os.open(path, _FLAGS | os.O_CREAT | os.O_EXCL, 0o666), True
        with suppress(FileNotFoundError):
            return os.open(path, _FLAGS), False


def _lock(descriptor: int) -> bool | None:
    """Return whether this process has locked a file; None if the system has no locks, or not for that file."""
    try:
        try:
            fcntl = import_module("fcntl")
        except ImportError:
            # On Windows nobody else could read what is locked.
            os.lseek(descriptor, 2 * LONGEST, os.SEEK_SET)
            msvcrt = import_module("msvcrt")
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        else:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (OSError, ImportError) as error:
        return False if getattr(error, "errno", None) in (EACCES, EAGAIN) else None
    return True


def _refuse_others(output: Path, path: str, said: str, *, is_locked: bool | None, is_new: bool) -> None:
    """Raise unless nobody owns an output; say it if the owner has ended."""
    owner = saferepr(said, LONGEST) if said else "a process that has just begun"
    if is_locked is False:
        wrong, advice = f"it is being written by {owner}", "again when that has ended, or another output"
    elif not said.startswith(BEGINNING) and said:
        wrong, advice = f"{saferepr(path)} is there, and not lect's", "another output"
    elif is_locked is None and not is_new:
        wrong = f"it is being written by {owner}; files have no locks here, so that may have ended"
        advice = f"remove {saferepr(path)}, if it has"
    else:
        if said:
            warn_caller(f"{saferepr(os.fspath(output))} is taken over from {owner}, which has ended", OutputWarning)
        return
    raise LectError(f"cannot write {saferepr(os.fspath(output))}: {wrong}\n  try: {advice}")


def _this_process() -> bytes:
    import shlex
    import socket
    import sys
    from time import strftime

    words = shlex.join(sys.orig_argv)
    said = f"{BEGINNING}{os.getpid()} on {socket.gethostname()}, since {strftime('%Y-%m-%d %H:%M:%S %z')}: {words}"
    return said.encode("utf-8", "backslashreplace")[:LONGEST]


def _is_at(path: str, descriptor: int) -> bool:
    with suppress(FileNotFoundError):
        return os.path.samestat(os.stat(path), os.fstat(descriptor))
    return False


def _release(path: str, descriptor: int) -> None:
    """Remove the file of an owner, while nobody else can have locked it: Windows removes none that is open."""
    is_ours = _is_at(path, descriptor)
    if os.name == "nt":
        os.close(descriptor)
    with suppress(OSError):
        if is_ours:
            os.unlink(path)
    if os.name != "nt":
        os.close(descriptor)
