"""The worker process: it renders what it is asked to, and answers in JSON."""

from __future__ import annotations

import json
import os
import pickle
import signal
import sys
from typing import Any

from lect.errors import LectError, LimitError
from lect.plugin import Input
from lect_jinja.engine.isolation import HEADER
from lect_jinja.engine.run import Run, compiled

SPARE_SECONDS = 1
"""How much later than the process that waits for it a worker ends itself."""


def serve() -> None:
    """Answer requests until there are no more."""
    # Ctrl-C is for the process that waits, which ends this one.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    requests = sys.stdin.buffer
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    # Nothing else may write there.
    sys.stdout = sys.stderr
    while len(header := requests.read(HEADER.size)) == HEADER.size:
        number, length = HEADER.unpack(header)
        if len(request := requests.read(length)) < length:
            return
        data = json.dumps(_answer(*pickle.loads(request))).encode()  # noqa: S301 - from the process that started us
        _end_after(0)
        try:
            answers.write(HEADER.pack(number, len(data)) + data)
            answers.flush()
        except OSError:
            # Nobody is waiting any more; what is left in the buffer goes nowhere.
            os._exit(0)


def _answer(source: str, name: str, limits: Any, variables: Any, moment: Any, tracked: bool) -> dict[str, Any]:
    _limit_memory(limits.memory)
    _end_after(limits.seconds + SPARE_SECONDS)
    try:
        run = Run(compiled(source, name, limits), name, limits, variables, moment, tracked=tracked)
        pieces = [(turn, list(map(_sent, pieces))) for turn, pieces in run.pieces()]
        return {"pieces": pieces, "marked": run.marked}
    except LimitError as error:
        return {"error": "LimitError", "message": str(error), "limit": error.limit, "most": error.most}
    except LectError as error:
        return {"error": type(error).__name__, "message": str(error)}


def _sent(piece: str) -> Any:
    return [str(piece), piece.path, piece.start] if isinstance(piece, Input) else piece


def _end_after(seconds: float) -> None:
    """Let the system end this process after some time, or never: the one that waits for it may have been killed."""
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, seconds)


def _limit_memory(memory: int) -> None:
    try:
        import resource

        _, most = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (memory if most < 0 else min(memory, most), most))
    except (ImportError, OSError, ValueError):
        # Not every system supports it; the limits on work and on texts hold everywhere.
        pass
