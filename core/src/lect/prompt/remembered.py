"""Caches that are bounded in bytes."""

from __future__ import annotations

from sys import getsizeof
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

LARGEST = 64 * 1024
"""Bytes of one entry: anything larger is seldom given twice, and takes long to build anyway."""
MOST = 4 * 2**20
"""Bytes of all entries of one cache."""
_NOTHING = object()


class Remembered:
    """A function that caches its results for bytes or a text. A cache that has grown too large is cleared.

    Args:
        make: The function. The sizes of its first argument and result are counted.
    """

    __slots__ = ("_made", "_make", "_size")

    def __init__(self, make: Callable[..., Any]):
        self._make = make
        self._made: dict[Any, Any] = {}
        self._size = 0

    def __call__(self, source: bytes | str, *how: Any) -> Any:
        if len(source) > LARGEST:
            return self._make(source, *how)
        key = source, *how
        made = self._made.get(key, _NOTHING)
        if made is _NOTHING:
            made = self._make(source, *how)
            size = getsizeof(source) + getsizeof(made)
            if size <= LARGEST:
                # Threads that do this at the same time may each miscount by one entry; the bound need not be exact.
                if self._size + size > MOST:
                    self._made, self._size = {}, 0
                self._made[key] = made
                self._size += size
        return made
