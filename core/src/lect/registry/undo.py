"""Undo a change of the registry."""

from __future__ import annotations

from collections.abc import Callable


class Undo:
    """Undoes a change when it is called, or at the end of its `with` statement."""

    __slots__ = ("_take_back",)

    def __init__(self, take_back: Callable[[], None]):
        self._take_back = take_back

    def __call__(self) -> None:
        self._take_back()

    def __enter__(self) -> Undo:
        return self

    def __exit__(self, *raised: object) -> None:
        self._take_back()
