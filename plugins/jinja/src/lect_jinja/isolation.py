"""Run templates in a worker process, which is killed when one takes too long.

Requests to the worker are pickled, since they come from us. Answers are JSON: a template that had broken out of its
guard could send anything.
"""

from __future__ import annotations

import atexit
import json
import os
import pickle
import subprocess
import sys
from threading import Lock, Timer
from typing import TYPE_CHECKING, Any

from lect.errors import LectError, LimitError, MessageError, PluginError, RefusedError
from lect.plugin import given
from lect_jinja.limits import exceeded

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from datetime import datetime

    from lect_jinja.limits import Limits

ERRORS = {"RefusedError": RefusedError, "MessageError": MessageError, "PluginError": PluginError}
_START = "import sys; sys.path[:] = {path!r}; from lect_jinja.worker import serve; serve()"
LONGEST_ANSWER = 1 << 28
"""Bytes."""


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
        self._request = (source, name, limits, dict(variables), moment, tracked)

    def text(self) -> str:
        """Return the prompt."""
        return "".join(piece for _, pieces in self.pieces() for piece in pieces)

    def pieces(self) -> Iterator[tuple[int | None, tuple[str, ...]]]:
        """Yield the pieces of the prompt, each with the message in whose turn it is written."""
        answer = WORKER.ask(pickle.dumps(self._request), self.name, self.limits)
        try:
            error = _error(answer) if "error" in answer else None
            read = [] if error else [(_turn(turn), tuple(map(_piece, pieces))) for turn, pieces in answer["pieces"]]
        except (LookupError, TypeError, ValueError, AttributeError):
            msg = f"template {self.name!r}: its worker process gave no valid answer\n  try: do not use this template"
            raise PluginError(msg) from None
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


def _piece(sent: Any) -> str:
    if isinstance(sent, str):
        return sent
    text, path, start = sent
    if not all(isinstance(step, str | int) for step in path):
        raise TypeError
    return given(text, tuple(path), int(start))


class _Worker:
    """The worker of this process, started when it is first needed, and again after it was killed."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._owner = 0

    def ask(self, request: bytes, name: str, limits: Limits) -> dict[str, Any]:
        """Return the answer to a request.

        Raises:
            LimitError: If it takes too long, or the worker runs out of memory.
        """
        with self._lock:
            process = self._started()
            timer = Timer(limits.seconds, process.kill)
            timer.start()
            try:
                process.stdin.write(len(request).to_bytes(8, "big") + request)  # type: ignore[union-attr]
                process.stdin.flush()  # type: ignore[union-attr]
                length = int.from_bytes(_read(process, 8), "big")
                if length > LONGEST_ANSWER:
                    raise EOFError
                answer = json.loads(_read(process, length))
            except (OSError, EOFError, ValueError):
                late = not timer.is_alive()
                self.end()
                limit = "seconds" if late else "memory"
                raise exceeded(name, limits, limit, "its worker process was killed") from None
            finally:
                timer.cancel()
        return answer if isinstance(answer, dict) else {}

    def _started(self) -> subprocess.Popen[bytes]:
        # A forked process must not talk to its parent's worker.
        if self._process is None or self._owner != os.getpid() or self._process.poll() is not None:
            self._process = subprocess.Popen(  # noqa: S603 - our own interpreter and module
                [sys.executable, "-I", "-c", _START.format(path=sys.path)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
            )
            self._owner = os.getpid()
        return self._process

    def end(self) -> None:
        """End the worker process."""
        process, self._process = self._process, None
        if process is not None and self._owner == os.getpid():
            process.kill()
            process.wait()
            for pipe in (process.stdin, process.stdout):
                if pipe is not None:
                    pipe.close()


def _read(process: subprocess.Popen[bytes], length: int) -> bytes:
    data = process.stdout.read(length)  # type: ignore[union-attr]
    if len(data) < length:
        raise EOFError
    return data


WORKER = _Worker()
atexit.register(WORKER.end)
