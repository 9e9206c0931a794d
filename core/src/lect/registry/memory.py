"""What was found before, so that it need not be looked for again."""

from __future__ import annotations

from typing import Generic, TypeVar

LONGEST_REMEMBERED = 512
MOST_REMEMBERED = 1024

Found = TypeVar("Found")


class Memory(Generic[Found]):
    """Things by name, bounded in entries and, because only short names are remembered, in bytes. Safe across threads.

    It begins anew when it is full.
    """

    __slots__ = ("_found",)

    def __init__(self) -> None:
        self._found: dict[str, Found] = {}

    def __len__(self) -> int:
        return len(self._found)

    def recall(self, name: str) -> Found | None:
        """Return what was found for a name; None where that is not remembered."""
        # The length first: to look a name up is to hash all of it.
        return self._found.get(name) if len(name) <= LONGEST_REMEMBERED else None

    def remember(self, name: str, found: Found) -> None:
        """Remember what was found for a name, if it is not too long."""
        if len(name) <= LONGEST_REMEMBERED:
            if len(self._found) >= MOST_REMEMBERED:
                self._found.clear()
            self._found[name] = found
