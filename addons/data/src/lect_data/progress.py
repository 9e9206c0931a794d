"""How far a run has got, for people on a terminal and for logs."""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from lect.addon import Screen

ON_TERMINAL, IN_LOGS = 1.0, 10.0
"""Seconds from one line to the next."""


class Progress:
    """Says how many rows are done, how many a second, and how long the rest will take.

    Args:
        screen: Where to say it.
        total: The bytes of all files.
        bar: A progress bar of rich, if it is to be used.
        clock: Tells the time in seconds.
    """

    def __init__(self, screen: Screen, total: int, bar: Any = None, clock: Callable[[], float] = monotonic):
        self._screen = screen
        self._total = total
        self._clock = clock
        self._begun = self._said = clock()
        self._first: tuple[int, int] | None = None
        self._bar = bar
        self._task = bar.add_task("", total=total) if bar else None

    def show(self, rows: int, done: int) -> None:
        """Say that so many rows, and bytes, are done, if it is time to."""
        if self._first is None:
            # A run that goes on has read the first part without working on it.
            self._first, self._begun = (rows, done), self._clock()
        if self._bar:
            self._bar.update(self._task, completed=done, description=self._text(rows, done))
            return
        now = self._clock()
        if now - self._said >= (ON_TERMINAL if self._screen.is_terminal else IN_LOGS):
            self._said = now
            text = self._text(rows, done)
            (self._screen.replace_line if self._screen.is_terminal else self._screen.line)(text)

    def close(self) -> None:
        """Remove what is temporary."""
        if self._bar:
            self._bar.stop()
        elif self._screen.is_terminal and self._said != self._begun:
            self._screen.replace_line("")

    def _text(self, rows: int, done: int) -> str:
        seconds = self._clock() - self._begun
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


def rich_bar(screen: Screen) -> Any:
    """Return a progress bar of rich, which writes to the terminal as it pleases; None if it is not installed."""
    try:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn
    except ImportError:
        return None
    text = TextColumn("{task.description}")
    bar = Progress(BarColumn(), TaskProgressColumn(), text, console=Console(file=screen.stream), transient=True)
    bar.start()
    return bar
