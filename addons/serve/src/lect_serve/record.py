"""Lines of sessions as files: JSON Lines, with the columns that trainers read."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Any

from lect import LectError
from lect_serve.answers import dumps

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lect_serve.lines import Line
    from lect_serve.model import Model

UNTRAINED = -100
"""The label of a token that was not sampled, as trainers know it."""


def row_of(line: Line, model: Model) -> dict[str, Any]:
    """Return a line as a row: `input_ids`, `labels` and `logprobs` are of one length."""
    labels = [each if is_sampled else UNTRAINED for each, is_sampled in zip(line.ids, line.sampled, strict=True)]
    return {
        "session": line.key,
        "line": line.number,
        "model": model.name,
        "template": model.template.name,
        "messages": line.messages,
        "tools": line.rendered.tools,
        "options": {name: str(value) if name == "date" else value for name, value in line.rendered.options.items()},
        "input_ids": line.ids.tolist(),
        "labels": labels,
        "logprobs": line.logprobs or None,
        "turns": line.turns,
        "finish": line.finish,
        "is_whole": line.is_whole,
        "changes": [*line.changes],
        "why": line.why and {"rule": line.why.rule, "reason": line.why.reason, "line": line.why.earlier},
    }


class Recorder:
    """Writes lines to a file of this process in a directory; each line once, when it has ended."""

    def __init__(self, directory: str, model: Model) -> None:
        self._model, self._directory = model, directory
        self._file: int | None = None
        try:
            os.makedirs(directory, exist_ok=True)
        except OSError as error:
            raise self._unusable(error) from error
        if not os.access(directory, os.W_OK):
            raise self._unusable("it cannot be written to")

    def _unusable(self, why: object) -> LectError:
        return LectError(
            f"sessions cannot be recorded in {self._directory!r}: {why}\n  try: record='DIR', which can be written"
        )

    def _opened(self) -> int:
        """Return the file, which is made for the first line: a server that only tries its engines leaves none."""
        if self._file is None:
            name = f"sessions-{int(time.time())}-{os.getpid()}.jsonl"
            # What was said is for whoever started the server.
            self._file = os.open(os.path.join(self._directory, name), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        return self._file

    def write(self, lines: Iterable[Line]) -> None:
        """Write lines; those in which nothing was sampled say nothing to a trainer."""
        for line in lines:
            if any(line.sampled):
                os.write(self._opened(), dumps(row_of(line, self._model)) + b"\n")

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            os.close(self._file)
            self._file = None
