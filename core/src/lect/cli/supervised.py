"""Commands that may run a stranger's template: in a process of their own, which ends at Ctrl-C, or after some time.

No Python code can interrupt one long call in C, and no list of what a template may do can be proven complete. The
process is forked, which costs a few milliseconds, and not the start of another interpreter; where the system cannot
fork, as on Windows, the commands run as all others.
"""

import gc
import os
import signal
import sys
from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Callable
from contextlib import suppress
from io import BufferedReader, BufferedWriter, FileIO, RawIOBase, TextIOWrapper
from typing import Any

from lect.errors import LectError, saferepr

TIMEOUT = 20.0
LONGEST_TIMEOUT = 1e6


class TimedOutError(LectError):
    """A command took too long, and was ended."""

    exit_code = 124


def add_timeout(parser: ArgumentParser) -> None:
    """Add the option for how long the command may take."""
    help_text = (
        f"how long it may take, {TIMEOUT:g} by default, without the time that it waits for input or to print; then it "
        "is ended, with the exit code 124"
    )
    parser.add_argument("--timeout", metavar="SECONDS", type=_seconds, default=TIMEOUT, help=help_text)


def _seconds(argument: str) -> float:
    with suppress(ValueError):
        if 0 < (seconds := float(argument)) <= LONGEST_TIMEOUT:
            return seconds
    msg = f"{saferepr(argument)} is not a number of seconds, such as 60"
    raise ArgumentTypeError(msg)


def supervise(command: str, seconds: float) -> int | None:
    """Go on in a new process, while this one waits for it.

    Returns:
        None in the new process; in this one, the exit code of the new one.

    Raises:
        TimedOutError: In this process, if the new one takes longer.
        LectError: If it is ended by a signal, as by a segmentation fault.
    """
    if not hasattr(os, "fork"):
        return None
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
            _limit(seconds)
            return None
        code = _exit_code(process, awaited)
    finally:
        signal.signal(signal.SIGCHLD, handler or signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
    if code == -signal.SIGINT:
        raise KeyboardInterrupt
    if code == -signal.SIGALRM:
        advice = f"--timeout {seconds * 10:g}, if you trust what it reads"
        msg = f"`lect {command}` was ended: it took more than {seconds:g} s\n  try: {advice}"
        raise TimedOutError(msg)
    if code < 0:
        msg = f"`lect {command}` was ended by signal {-code} ({signal.strsignal(-code)})"
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


def _limit(seconds: float) -> None:
    """Let this process end at once at Ctrl-C, and after some time."""
    # Python's own handler would wait for the end of a call in C. If Ctrl-C was ignored, it still is.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    sys.stdin, sys.stdout, sys.stderr = map(_patient, (sys.stdin, sys.stdout, sys.stderr))
    signal.setitimer(signal.ITIMER_REAL, seconds)


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
