"""What is said of two prompts, one of which was to extend the other."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

from lect.addon import spell

if TYPE_CHECKING:
    from lect import Prompt

Path = tuple[str | int, ...]
Kind = Literal["extension", "fork", "other"]
Rule = Literal[
    "extended", "changed", "left out", "gone", "new", "removed", "inserted", "moved", "option", "no answer",
    "other words", "opening", "template", "beginning", "tokens", "other",
]  # fmt: skip
RULES: tuple[Rule, ...] = get_args(Rule)


def as_it_is(path: Path) -> Path:
    """Return a path."""
    return path


class Sent(NamedTuple):
    """A request as the prompt that a model gets."""

    prompt: Prompt
    """The prompt."""
    options: Mapping[str, Any] = {}
    """The options with which it was rendered, as far as they are known."""
    where: Callable[[Path], Path] = as_it_is
    """Returns the path in the request, as chat completions write it, of a field in the prompt."""


class Step(NamedTuple):
    """How one prompt follows another."""

    rule: Rule
    """What decided: `extended` if it extends it; else why not, as a word; the documentation lists them."""
    reason: str
    """The same in a sentence."""
    at: int
    """The first character that differs; where it extends the one before, the length of that."""
    kept: int
    """How many tokens of the one before, with what was sampled after it, it begins with; characters without
    `by_tokens`."""
    lost: int
    """How many of them it does not begin with."""
    by_tokens: bool
    """Whether tokens are counted."""
    was: Path
    """The field of the request before that is in that place, or next to it; empty for text of the template."""
    now: Path
    """The field of the new request in that place."""
    before: str
    """The text of the one before from there on, or some of it."""
    after: str
    """The new text from there on."""
    earlier: int = 0
    """The request before, by its index in the session."""

    @property
    def kind(self) -> Kind:
        """Whether it extends the one before, forks from it, or is another conversation."""
        if self.rule == "extended":
            return "extension"
        return "other" if self.rule == "other" else "fork"

    @property
    def extends(self) -> bool:
        """Whether it extends the one before."""
        return self.rule == "extended"

    def __str__(self) -> str:
        unit = "token" if self.by_tokens else "character"
        counted = f"{self.kept} {unit}{'s' * (self.kept != 1)} kept, {self.lost} lost"
        return f"{self.kind}: {counted}" + ("" if self.extends else f": {self.reason}")


def spelled(path: Path) -> str:
    """Write a path as Python would reach the field; text of the template has none."""
    return spell(path) if path else "the template"
