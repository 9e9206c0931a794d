"""Run templates in a worker process, which is killed when one takes too long.

Requests to the worker are pickled, since they come from us. Answers are JSON: a template that had broken out of its
guard could send anything. Both carry a number, and a worker is within reach only while no request is under way: one
whose conversation was disturbed, by whatever exception, is never asked again, so nobody gets another's answer.
"""

from __future__ import annotations

import atexit
import json
import os
import pickle
import subprocess
import sys
from itertools import chain
from struct import Struct
from threading import RLock, Timer
from typing import TYPE_CHECKING, Any

from lect.errors import LectError, LimitError, MessageError, PluginError, RefusedError
from lect.plugin import by_signal, given
from lect_jinja.engine.limits import exceeded

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from datetime import datetime

    from lect_jinja.engine.limits import Limits

ERRORS = {"RefusedError": RefusedError, "MessageError": MessageError, "PluginError": PluginError}
HEADER = Struct(">QQ")
"""What precedes requests and answers: the number of the request, and how many bytes follow."""
_START = "import sys; sys.path[:] = {path!r}; from lect_jinja.engine.worker import serve; serve()"
LONGEST_ANSWER = 1 << 28
"""Bytes."""
LONGEST_READ = 1 << 20


class IsolatedRun:
    """One render of a template in the worker, in place of `engine.Run`."""

    def __init__(
        self,
        source: str,
        name: str,
        limits: Limits,
        variables: Mapping[str, Any],
        moment: datetime | None,
        *,
        tracked: bool,
    ):
        self.name = name
        self.limits = limits
        self.marked: list[tuple[int, int]] | None = None
        self._request = (source, name, limits, dict(variables), moment, tracked)

    def text(self) -> str:
        """Return the prompt."""
        return "".join(piece for _, pieces in self.pieces() for piece in pieces)

    def pieces(self) -> Iterator[tuple[int | None, tuple[str, ...]]]:
        """Yield the pieces of the prompt, each with the message in whose turn it is written."""
        answer = WORKERS.ask(pickle.dumps(self._request), self.name, self.limits)
        try:
            error = _error(answer) if "error" in answer else None
            read = [] if error else [(_turn(turn), tuple(map(_piece, pieces))) for turn, pieces in answer["pieces"]]
            self.marked = _marks(answer.get("marked"))
        except (LookupError, TypeError, ValueError, AttributeError) as invalid:
            if by_signal(invalid):
                raise
            raise _no_answer(self.name) from None
        if error is not None:
            raise error
        yield from read


def _error(answer: Mapping[str, Any]) -> LectError:
    message = str(answer["message"])
    if answer["error"] == "LimitError":
        return LimitError(message, limit=str(answer["limit"]), most=float(answer["most"]))
    return ERRORS.get(answer["error"], LectError)(message)


def _turn(sent: Any) -> int | None:
    return None if sent is None else int(sent)


def _marks(sent: Any) -> list[tuple[int, int]] | None:
    if sent is None:
        return None
    marks = [(int(start), int(end)) for start, end in sent]
    places = [0, *chain.from_iterable(marks)]
    if places != sorted(places):
        raise ValueError
    return marks


def _piece(sent: Any) -> str:
    if isinstance(sent, str):
        return sent
    text, path, start = sent
    if not isinstance(text, str) or not all(isinstance(step, str | int) for step in path):
        raise TypeError
    return given(text, tuple(path), int(start))


def _no_answer(name: str) -> PluginError:
    msg = f"template {name!r}: its worker process gave no valid answer\n  try: do not use this template"
    return PluginError(msg)


class _Worker:
    """A worker process."""

    def __init__(self) -> None:
        self.is_late = False
        self._process = subprocess.Popen(  # noqa: S603 - our own interpreter and module
            [sys.executable, "-I", "-c", _START.format(path=sys.path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            # Without a buffer: a forked process would write what is left in its copy of it.
            bufsize=0,
            # Ctrl-C is for the process that waits, which ends this one.
            process_group=0,
        )

    @property
    def is_running(self) -> bool:
        return self._process.poll() is None

    def ask(self, number: int, request: bytes, seconds: float) -> Any:
        """Return what the worker answers: None if it ends instead, and an empty mapping if that is no answer to this.

        Whatever is raised, the worker is not to be asked again.
        """
        timer = Timer(seconds, self._expire)
        timer.daemon = True
        try:
            timer.start()
            answer = self._answer(number, request)
        finally:
            timer.cancel()
        # A timer that is just running out must not kill the worker in its next conversation.
        timer.join()
        return answer

    def _expire(self) -> None:
        self.is_late = True
        self._process.kill()

    def _answer(self, number: int, request: bytes) -> Any:
        if not self._has_sent(HEADER.pack(number, len(request)) + request):
            return None
        header = self._read(HEADER.size)
        if header is None:
            return None
        answered, length = HEADER.unpack(header)
        if answered != number:
            return {}
        data = self._read(length) if length <= LONGEST_ANSWER else None
        try:
            return None if data is None else json.loads(data)
        except (ValueError, RecursionError) as error:
            if by_signal(error):
                raise
            return {}

    def _has_sent(self, data: bytes) -> bool:
        rest = memoryview(data)
        try:
            while rest:
                rest = rest[os.write(self._process.stdin.fileno(), rest) :]  # type: ignore[union-attr]
        except OSError as error:
            if by_signal(error):
                raise
            return False
        return True

    def _read(self, length: int) -> bytes | None:
        """Return so many bytes; None if the worker ends before."""
        data = bytearray()
        while len(data) < length:
            most = min(length - len(data), LONGEST_READ)
            more = os.read(self._process.stdout.fileno(), most)  # type: ignore[union-attr]
            if not more:
                return None
            data += more
        return bytes(data)

    def end(self) -> None:
        """End the process."""
        self._process.kill()
        self._close()
        self._process.wait()

    def disown(self) -> None:
        """Leave the process to the one that this one was forked from."""
        self._close()
        self._process.returncode = 0

    def _close(self) -> None:
        for pipe in (self._process.stdin, self._process.stdout):
            pipe.close()  # type: ignore[union-attr]


class _Workers:
    """The worker of this process, started when it is first needed, and replaced after a conversation was disturbed."""

    def __init__(self) -> None:
        # A signal handler may render too, while the code that it interrupts waits for an answer.
        self._lock = RLock()
        self._idle: _Worker | None = None
        self._number = 0

    def ask(self, request: bytes, name: str, limits: Limits) -> Mapping[str, Any]:
        """Return the answer to a request, empty if it is not valid.

        Raises:
            LimitError: If it takes too long, or the worker runs out of memory.
        """
        with self._lock:
            answer, is_late = self._conversation(request, limits.seconds)
        if answer is None:
            raise exceeded(name, limits, "seconds" if is_late else "memory", "its worker process was killed")
        return answer if isinstance(answer, dict) else {}

    def _conversation(self, request: bytes, seconds: float) -> tuple[Any, bool]:
        """Return the answer of a worker, and whether it was killed for taking too long."""
        worker: _Worker | None = None
        try:
            worker, self._idle = self._idle, None
            if worker is not None and not worker.is_running:
                worker.end()
                worker = None
            worker = worker or _Worker()
            self._number += 1
            answer = worker.ask(self._number, request, seconds)
            if not answer or not isinstance(answer, dict) or worker.is_late:
                worker.end()
        except BaseException:
            if worker is not None:
                worker.end()
            raise
        # A signal handler that rendered has left its own.
        self.end()
        self._idle = worker
        return answer, worker.is_late

    def end(self) -> None:
        """End the worker, if it is waiting for requests."""
        worker, self._idle = self._idle, None
        if worker is not None:
            worker.end()

    def forked(self) -> None:
        """Begin anew in a forked process, which must not talk to its parent's worker, nor wait for its threads."""
        if self._idle is not None:
            self._idle.disown()
        self._lock, self._idle = RLock(), None


WORKERS = _Workers()
atexit.register(WORKERS.end)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=WORKERS.forked)
