"""What a constraint does not honour: found by which keywords of a schema were never read."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(eq=False)
class Lost:
    """The paths of keywords that a constraint does not honour exactly.

    Attributes:
        loose: Those that it may violate.
        tight: Those of which it allows less than they do.
    """

    loose: list[str] = field(default_factory=list)
    tight: list[str] = field(default_factory=list)

    def add(self, other: Lost) -> None:
        """Add what another part does not honour."""
        self.loose += other.loose
        self.tight += other.tight

    def every(self, kind: Literal["loose", "tight"]) -> tuple[str, ...]:
        """Return the paths of a kind, each once."""
        return tuple(dict.fromkeys(getattr(self, kind)))

    def __len__(self) -> int:
        return len({*self.loose}) + len({*self.tight})


class Keywords:
    """The keywords of a normal schema, which remember whether they were read."""

    def __init__(self, schema: Mapping[str, Any], path: str):
        self.schema, self.path = schema, path
        self.read: set[str] = set()

    def get(self, word: str, default: Any = None) -> Any:
        """Return the value of a keyword that is honoured from here on."""
        self.read.add(word)
        return self.schema.get(word, default)

    def unread(self) -> list[str]:
        """Return the paths of the keywords that nobody asked for."""
        return [f"{self.path}/{word}" for word in self.schema if word not in self.read]
