"""How far a run has got, for people on a terminal and for logs."""

from __future__ import annotations

from contextlib import AbstractContextManager
from time import monotonic
from typing import TYPE_CHECKING

from lect.addon import commands

if TYPE_CHECKING:
    from collections.abc import Callable

    from lect.addon import Screen

IN_LOGS = 10.0
"""Seconds from one line to the next."""


class Progress(AbstractContextManager["Progress"]):
    """Says how many rows are done, how many a second, and how long the rest will take.

    Args:
        screen: Where to say it: on a terminal a bar, elsewhere a line now and then.
        total: The bytes of all files.
        clock: Tells the time in seconds.
    """

    def __init__(self, screen: Screen, total: int, clock: Callable[[], float] = monotonic):
        self._screen = screen
        self._total = total
        self._clock = clock
        self._begun = self._said = clock()
        self._first: tuple[int, int] | None = None
        self._bar = commands.Progress(screen)

    def show(self, rows: int, done: int) -> None:
        """Say that so many rows, and bytes, are done, if it is time to."""
        now = self._clock()
        if self._first is None:
            # A run that goes on has read the first part without working on it.
            self._first, self._begun = (rows, done), now
        text = self._text(rows, done, now - self._begun)
        self._bar.show(text, done, self._total)
        if not self._screen.is_terminal and now - self._said >= IN_LOGS:
            self._said = now
            self._screen.line(text)

    def __exit__(self, *error: object) -> None:
        """Erase what is temporary."""
        self._bar.__exit__(*error)

    def _text(self, rows: int, done: int, seconds: float) -> str:
        rows_before, done_before = self._first or (0, 0)
        text = f"{rows:,} row{'s' * (rows != 1)}"
        if seconds and done > done_before:
            left = seconds * (self._total - done) / (done - done_before)
            text += f", {(rows - rows_before) / seconds:,.0f} rows/s, {_spelled(left)} left"
        return text


def _spelled(seconds: float) -> str:
    minutes, seconds = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}"
