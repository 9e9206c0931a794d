"""Lines of sessions as files: JSON Lines, with the columns that trainers read."""

from __future__ import annotations

import json
import logging
import os
from typing import TYPE_CHECKING, Any

from lect import LectError
from lect_serve import journal
from lect_serve.answers import dumps

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from lect_serve.lines import Line
    from lect_serve.model import Model

LOG = logging.getLogger("lect_serve")
UNTRAINED = -100
"""The label of a token that was not sampled, as trainers know it."""
TOKENS, MESSAGES = "kept_tokens", "kept_messages"
"""How many tokens and messages of a row a step leaves as they are: its own follow them."""


def step_of(line: Line, before: Line | None, logprobs: Sequence[float | None], model: Model) -> dict[str, Any]:
    """Return what a line adds to the row of the line that it goes on with; all of it, if there is none.

    Args:
        line: The line.
        before: The one before it.
        logprobs: The log probabilities of what was sampled last, with which the line ends.
        model: The model.
    """
    tokens, messages = (len(before.ids), _shared(before.messages, line.messages)) if before else (0, 0)
    had = _columns(before, model) if before else {}
    changed = {name: value for name, value in _columns(line, model).items() if name not in had or had[name] != value}
    added = {"messages": line.messages[messages:], "input_ids": line.ids[tokens:].tolist(), "logprobs": [*logprobs]}
    return {**changed, **added, TOKENS: tokens, MESSAGES: messages}


def _columns(line: Line, model: Model) -> dict[str, Any]:
    """Return the columns of a line, of which those that grow are empty."""
    return {
        "session": line.key,
        "line": line.number,
        "model": model.name,
        "template": model.template.name,
        "messages": [],
        "tools": line.rendered.tools,
        "options": {name: str(value) if name == "date" else value for name, value in line.rendered.options.items()},
        "input_ids": [],
        "labels": [],
        "logprobs": [],
        "turns": line.turns,
        "finish": line.finish,
        "is_whole": line.is_whole,
        "changes": [*line.changes],
        "why": line.why and {"rule": line.why.rule, "reason": line.why.reason, "line": line.why.earlier},
    }


def _shared(one: Sequence[Any], other: Sequence[Any]) -> int:
    pairs = zip(one, other, strict=False)
    return next((at for at, (each, its) in enumerate(pairs) if each != its), min(len(one), len(other)))


def row_of(steps: Iterable[bytes]) -> bytes | None:
    """Return the row that steps add up to: `input_ids`, `labels` and `logprobs` are of one length.

    It is None if nothing in it was sampled: then it says nothing to a trainer.
    """
    row: dict[str, Any] = {}
    lists: dict[str, list[Any]] = {"messages": [], "input_ids": [], "labels": [], "logprobs": []}
    for each in steps:
        step = json.loads(each)
        tokens, messages = step.pop(TOKENS), step.pop(MESSAGES)
        ids, logprobs = step["input_ids"], step["logprobs"]
        given = len(ids) - len(logprobs)
        lists["messages"][messages:] = step["messages"]
        lists["input_ids"][tokens:] = ids
        lists["labels"][tokens:] = [UNTRAINED] * given + ids[given:]
        lists["logprobs"][tokens:] = [None] * given + logprobs
        row |= step
    return dumps(row | lists) if any(label != UNTRAINED for label in lists["labels"]) else None


class Recorder:
    """Writes lines to a file of this process in a directory: each answer at once, and each line once it has ended."""

    def __init__(self, directory: str, model: Model) -> None:
        self._model, self._directory = model, directory
        self._journals: journal.Journals | None = None
        self._names: dict[Line, str] = {}
        """The journals of the lines that have not ended."""
        self._count = 0
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

    def recover(self) -> None:
        """Write the lines of processes that were killed before they could."""
        for left in journal.left(self._directory, row_of):
            count = 0
            for name in left.names():
                try:
                    left.finish(name)
                    count += 1
                except Exception:
                    # A server serves, whatever another has left.
                    LOG.exception("a session of a server that was killed cannot be read: %s", left.path(name))
            left.close()
            if count:
                LOG.warning("lines of sessions recovered from a server that was killed: %d", count)

    def add(self, line: Line, before: Line | None, logprobs: Sequence[float | None]) -> None:
        """Write an answer into the journal of its line.

        Raises:
            OSError: If it cannot be written. Then nothing of it is.
        """
        if self._journals is None:
            # A server that only tries its engines leaves nothing.
            self._journals = journal.begin(self._directory, row_of)
        name = self._names[before] if before else str(self._count)
        self._journals.append(name, dumps(step_of(line, before, logprobs, self._model)))
        self._count += before is None
        if before:
            del self._names[before]
        self._names[line] = name

    def write(self, lines: Iterable[Line]) -> None:
        """Write lines that have ended."""
        for line in lines:
            assert self._journals is not None
            try:
                self._journals.finish(self._names.pop(line))
            except Exception:
                # The next server that starts tries again.
                LOG.exception("session %s is not written", line.key)

    def close(self) -> None:
        """Leave nothing but rows."""
        if self._journals is not None:
            self._journals.close()
            self._journals = None
