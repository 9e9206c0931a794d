"""Caches that are bounded in bytes."""

from collections.abc import Callable
from sys import getsizeof
from typing import Any

LARGEST = 512 * 1024
"""Bytes of one entry: agents give tools of up to 100 kB with every request."""
MOST = 4 * 2**20
"""Bytes of all entries of one cache."""
_NOTHING = object()


def remembered(make: Callable[..., Any]) -> Callable[..., Any]:
    """Cache the results of a function for bytes or a text; a cache that has grown too large is cleared.

    The sizes of the first argument and of the result are counted.
    """
    cache: dict[Any, Any] = {}
    total = 0

    def look_up(source: bytes | str, *how: Any) -> Any:
        nonlocal total
        if len(source) > LARGEST:
            return make(source, *how)
        key = source, *how
        made = cache.get(key, _NOTHING)
        if made is _NOTHING:
            made = make(source, *how)
            size = getsizeof(source) + getsizeof(made)
            if size <= LARGEST:
                # Threads that do this at the same time may each miscount by one entry; the bound need not be exact.
                if total + size > MOST:
                    cache.clear()
                    total = 0
                cache[key] = made
                total += size
        return made

    return look_up
