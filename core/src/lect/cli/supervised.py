"""Commands that may run a stranger's template: in a process of their own, with little time and memory.

No Python code can interrupt one long call in C, and no list of what a template may do can be proven complete. The
process is forked, which costs a few milliseconds, and not the start of another interpreter; where the system cannot
fork, as on Windows, the commands run as all others; where it cannot limit memory, as on macOS, only time is bounded.
"""

import gc
import os
import signal
import sys
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from io import BufferedReader, BufferedWriter, FileIO, RawIOBase, TextIOWrapper
from typing import Any

from lect.errors import LectError, saferepr

TIMEOUT, MEMORY = 20.0, 1.0
LARGEST = 1e6
GIB = 1 << 30
OUT_OF_MEMORY: Any = getattr(signal, "SIGUSR1", None)
"""The signal with which a process ends itself that has no memory left, not even for a message."""


class TimedOutError(LectError):
    """A command took too long, and was ended."""

    exit_code = 124


def add_bounds(parser: ArgumentParser) -> None:
    """Add the options for how long the command may take, and how much memory."""
    timeout = parser.get_default("timeout") or TIMEOUT
    seconds = (
        f"how long it may take, {timeout:g} by default, without the time that it waits for input or to print; then it "
        "is ended, with the exit code 124"
    )
    gib = f"how much memory it may use, {MEMORY:g} by default, where the system can limit that"
    time, size = partial(_number, "seconds, such as 60"), partial(_number, "GiB, such as 4")
    parser.add_argument("--timeout", metavar="SECONDS", type=time, default=timeout, help=seconds)
    parser.add_argument("--memory", metavar="GIB", type=size, default=MEMORY, help=gib)


def _number(what: str, argument: str) -> float:
    with suppress(ValueError):
        if 0 < (number := float(argument)) <= LARGEST:
            return number
    raise ArgumentTypeError(f"{saferepr(argument)} is not a number of {what}")


def supervised(command: str, run: Callable[[Namespace], Any], arguments: Namespace) -> Any:
    """Run a command in a new process, while this one waits for it.

    Returns:
        What the command returns, in the new process; in this one, the exit code of the new one.

    Raises:
        TimedOutError: In this process, if the new one takes longer than it may.
        LectError: If it needs more memory than it may, or is ended by a signal, as by a segmentation fault.
    """
    if not hasattr(os, "fork"):
        return run(arguments)
    try:
        code = _fork(command, arguments.timeout, arguments.memory)
        return run(arguments) if code is None else code
    except BaseException as error:
        if _lacks_memory(error, ()):
            signal.raise_signal(OUT_OF_MEMORY)
        raise


def _lacks_memory(error: BaseException | None, seen: tuple[BaseException, ...]) -> bool:
    """Return whether an exception, or a reason for it, is that there is no memory; reasons may go round in circles."""
    if error is None or error in seen:
        return False
    return isinstance(error, MemoryError) or _lacks_memory(error.__cause__ or error.__context__, (*seen, error))


def _fork(command: str, seconds: float, memory: float) -> int | None:
    """Go on in a new process, in which this returns None; return its exit code in this one, which waits for it."""
    sys.stdout.flush()
    sys.stderr.flush()
    # Otherwise the collector would copy all shared memory in going through it, which takes longer than the rest.
    gc.freeze()
    # Signals are waited for, and not handled: one that came just before a call to wait would be noticed only after it.
    awaited = {signal.SIGCHLD, signal.SIGTERM}
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        awaited.add(signal.SIGINT)
    # Some systems drop a signal that has no handler, even while it is blocked.
    handler = signal.signal(signal.SIGCHLD, lambda *_: None)
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, awaited)
    process = os.fork()
    try:
        if process == 0:
            _limit(seconds, memory)
            return None
        code = _exit_code(process, awaited)
    finally:
        signal.signal(signal.SIGCHLD, handler or signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
    if code == -signal.SIGINT:
        raise KeyboardInterrupt
    if code == -signal.SIGALRM:
        advice = f"--timeout {seconds * 10:g}, if you trust what it reads"
        raise TimedOutError(f"`lect {command}` was ended: it took more than {seconds:g} s\n  try: {advice}")
    if code < 0:
        advice = f"\n  try: --memory {memory * 10:g}, if you trust what it reads"
        msg = f"`lect {command}` was ended: it needs more than {memory:g} GiB of memory{advice}"
        if code != -OUT_OF_MEMORY:
            # Some libraries abort if they are refused memory.
            advice = advice if code == -signal.SIGABRT else ""
            msg = f"`lect {command}` was ended by signal {-code} ({signal.strsignal(-code)}){advice}"
        raise LectError(msg)
    return code


def _exit_code(process: int, awaited: set[signal.Signals]) -> int:
    """Return the exit code of a process, after its end; it is ended if this one is told to end."""
    while (number := signal.sigwait(awaited)) == signal.SIGCHLD:
        # It may only have been stopped.
        ended, status = os.waitpid(process, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)
    os.kill(process, signal.SIGKILL)
    os.waitpid(process, 0)
    if number == signal.SIGINT:
        raise KeyboardInterrupt
    sys.exit(128 + number)


def _limit(seconds: float, memory: float) -> None:
    """Let this process end at once at Ctrl-C, and after some time, and get no more than some memory."""
    # Python's own handler would wait for the end of a call in C. If Ctrl-C was ignored, it still is.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    sys.stdin = _patient(sys.stdin)
    for stream in (sys.stdout, sys.stderr):
        stream.exact = _patient(stream.exact)  # type: ignore[union-attr]
    signal.setitimer(signal.ITIMER_REAL, seconds)
    signal.signal(OUT_OF_MEMORY, signal.SIG_DFL)
    limit_memory(int(memory * GIB))


def limit_memory(size: int | None) -> None:
    """Let this process and its children get no more bytes than this, where the system can limit it; None lifts that."""
    with suppress(ImportError, OSError, ValueError):
        import resource

        # Of Linux, all that can be written to: a model's file that is mapped, and what threads reserve, are free.
        kind = resource.RLIMIT_DATA if sys.platform == "linux" else resource.RLIMIT_AS
        _, most = resource.getrlimit(kind)
        resource.setrlimit(kind, (most if size is None or 0 <= most < size else size, most))


class _PatientFile(FileIO):
    """A standard stream: the clock stands still while it waits, such as for a person or a pager."""

    def readinto(self, buffer: Any) -> Any:
        return _waiting(super().readinto, buffer)

    def write(self, data: Any) -> Any:
        return _waiting(super().write, data)

    # Those of FileIO do not call `readinto`.
    read, readall = RawIOBase.read, RawIOBase.readall  # type: ignore[assignment]


def _waiting(call: Callable[[Any], Any], argument: Any) -> Any:
    left, _ = signal.setitimer(signal.ITIMER_REAL, 0)
    try:
        return call(argument)
    finally:
        signal.setitimer(signal.ITIMER_REAL, left)


def _patient(stream: Any) -> Any:
    if not isinstance(stream, TextIOWrapper):
        return stream
    is_input = stream.readable()
    file = _PatientFile(stream.fileno(), "r" if is_input else "w", closefd=False)
    buffer = BufferedReader(file) if is_input else BufferedWriter(file)
    return TextIOWrapper(buffer, stream.encoding, stream.errors, line_buffering=stream.line_buffering)
