"""A bounded cache by name."""

from __future__ import annotations

from typing import TypeVar

LONGEST_REMEMBERED = 512
"""Compare the length of a name before looking it up: a look-up hashes all of it."""
MOST_REMEMBERED = 1024

Found = TypeVar("Found")


class Memory(dict[str, Found]):
    """A cache by name, bounded in entries and, as only short names are remembered, in bytes. Thread-safe."""

    __slots__ = ()

    def remember(self, name: str, found: Found) -> None:
        """Remember what was found for a name, unless the name is too long; a full cache is cleared first."""
        if len(name) <= LONGEST_REMEMBERED:
            if len(self) >= MOST_REMEMBERED:
                self.clear()
            self[name] = found
