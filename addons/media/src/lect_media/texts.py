"""The text that becomes of an image, a video or a sound: in runs, because thousands of equal tokens are common."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple


class Run(NamedTuple):
    """A text, and how often it stands there in a row."""

    text: str
    """The text."""
    times: int = 1
    """How often it stands there."""
    is_control: bool = True
    """Whether the text is one control token; plain text, such as a time, is cut into tokens by the tokenizer."""


Runs = tuple[Run, ...]


def control(text: str, times: int = 1) -> Run:
    """Return a control token, so many times; none if the text is empty."""
    return Run(text, times if text else 0)


def plain(text: str) -> Run:
    """Return a plain text."""
    return Run(text, 1 if text else 0, is_control=False)


def joined(runs: Iterable[Run]) -> Runs:
    """Return runs without those that are empty; neighbours that are one token again, or both plain, become one."""
    made: list[Run] = []
    for run in runs:
        if not run.times:
            continue
        last = made[-1] if made else None
        if last is not None and run.is_control == last.is_control and not run.is_control:
            made[-1] = plain(last.text + run.text)
        elif last is not None and run.is_control == last.is_control and run.text == last.text:
            made[-1] = control(run.text, last.times + run.times)
        else:
            made.append(run)
    return tuple(made)
