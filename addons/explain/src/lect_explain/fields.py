"""What callers gave, as it stands in a prompt: which fields, in which order, and what they say."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from lect import Prompt
    from lect_explain.step import Path

INSTRUCTIONS = ("system", "developer")


class Field(NamedTuple):
    """A text of the caller in a prompt."""

    path: Path
    text: str
    start: int
    """Where it begins in the prompt."""

    @property
    def end(self) -> int:
        """Where it ends."""
        return self.start + len(self.text)


class Side:
    """A prompt, as its fields.

    Attributes:
        prompt: The prompt.
        fields: The texts in it that a caller gave, in order.
        paths: Their paths.
        roles: The roles of the messages.
    """

    def __init__(self, prompt: Prompt):
        layout = prompt.layout
        placed = zip(layout.segments, layout.starts, strict=False)
        self.prompt = prompt
        self.fields = [Field(each.path, each.text, start) for each, start in placed if each.path]
        self.paths = {field.path for field in self.fields}
        self.roles = prompt.roles
        self._texts: dict[Path, list[str]] = {}
        for field in self.fields:
            self._texts.setdefault(field.path[:2], []).append(field.text)

    def all_said(self, group: str) -> list[list[str]]:
        """Return the texts of all messages, or of all tools, in order; what is not in the prompt has none."""
        last = max((int(path[1]) for path in self._texts if path[0] == group and len(path) > 1), default=-1)
        return [self._texts.get((group, index), []) for index in range(last + 1)]

    def has(self, path: Path) -> bool:
        """Return whether a field, or something in it, is in the prompt."""
        return any(each[: len(path)] == path for each in self.paths)

    def text_of(self, path: Path) -> str:
        """Return all text of a field, and of what is in it."""
        return "".join(field.text for field in self.fields if field.path[: len(path)] == path)

    def instructions(self) -> list[list[str]]:
        """Return the texts of the messages before anybody speaks."""
        return self.all_said("messages")[: self._first_spoken()]

    def spoken(self) -> list[list[str]]:
        """Return the texts of the messages from then on."""
        return self.all_said("messages")[self._first_spoken() :]

    def _first_spoken(self) -> int:
        return len([*takewhile(INSTRUCTIONS.__contains__, self.roles)])

    def left_out(self, path: Path) -> Any:
        """Return what is reported of a field that did not reach the prompt, or of what it is in; None if nothing."""
        lost = (each for each in self.prompt.unused if each.why in ("dropped", "by-rule"))
        return next(
            (each for each in lost if each.path[: len(path)] == path or path[: len(each.path)] == each.path), None
        )


def common(one: Sequence[Any], other: Sequence[Any]) -> int:
    """Return how many items two sequences begin with alike; slices are compared, which is done in C."""
    least, most = 0, min(len(one), len(other))
    if one[:most] == other[:most]:
        return most
    while most - least > 1:
        middle = (least + most) // 2
        if one[least:middle] == other[least:middle]:
            least = middle
        else:
            most = middle
    return least
