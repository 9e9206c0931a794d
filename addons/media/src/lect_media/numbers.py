"""The numbers of a rule, by the names that the makers' own files have for them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lect.errors import LectError, PluginError, saferepr

MOST = 1 << 40
"""No number of any maker is larger."""


class Numbers:
    """The numbers and texts of a rule; each is checked when it is asked for, because a file may state anything.

    Args:
        stated: The numbers and texts by name.
        where: Who states them, for errors.
        error: The class of errors about them.
    """

    def __init__(self, stated: Mapping[str, Any], where: str, error: type[LectError] = PluginError):
        self._stated, self._where, self._error = stated, where, error

    def __contains__(self, name: str) -> bool:
        return self._stated.get(name) is not None

    def whole(self, name: str, default: int | None = None, *, most: int = MOST, least: int = 1) -> int:
        """Return a whole number; one that is stated by side, as `{"height": 14, "width": 14}`, must be square."""
        value = self._stated.get(name)
        if isinstance(value, Mapping):
            sides = {value[side] for side in ("height", "width", "longest_edge", "shortest_edge") if side in value}
            value = sides.pop() if len(sides) == 1 else value
        return self._checked(name, default if value is None else value, most, least)

    def edge(self, name: str, default: int | None = None) -> int:
        """Return a number that belongs to the size: `{"size": {"longest_edge": 1024}}`, or is stated by itself."""
        size = self._stated.get("size")
        inside = size if isinstance(size, Mapping) else {}
        value = self._stated.get(name, inside.get(name, default))
        return self._checked(name, value, MOST, 1)

    def ratio(self, name: str, default: float | None = None) -> float:
        """Return a positive number, whole or not."""
        value = self._stated.get(name, default)
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < MOST:
            raise self._wrong(name, value, "a positive number")
        return value

    def yes(self, name: str, default: bool = False) -> bool:
        """Return whether something is on."""
        value = self._stated.get(name)
        if value is not None and not isinstance(value, bool):
            raise self._wrong(name, value, "true or false")
        return default if value is None else value

    def text(self, name: str, default: str = "") -> str:
        """Return a text."""
        value = self._stated.get(name, default)
        if not isinstance(value, str):
            raise self._wrong(name, value, "a text")
        return value

    def pairs(self, name: str, most: int = 10_000) -> list[tuple[int, int]]:
        """Return a list of pairs of whole numbers; one pair may stand there by itself."""
        value = self._stated.get(name)
        if isinstance(value, list | tuple) and len(value) == 2 and isinstance(value[0], int):
            value = [value]
        if not isinstance(value, list | tuple) or not 0 < len(value) <= most:
            raise self._wrong(name, value, f"a list of at most {most:,} pairs")
        found = []
        for pair in value:
            if not isinstance(pair, list | tuple) or len(pair) != 2:
                raise self._wrong(name, pair, "a pair of whole numbers")
            found.append((self._checked(name, pair[0], MOST, 1), self._checked(name, pair[1], MOST, 1)))
        return found

    def _checked(self, name: str, value: object, most: int, least: int) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            raise self._wrong(name, value, f"a whole number from {least} to {most:,}")
        return value

    def _wrong(self, name: str, value: object, expected: str) -> LectError:
        return self._error(f"{self._where}: {name} is {saferepr(value)}; expected {expected}")
