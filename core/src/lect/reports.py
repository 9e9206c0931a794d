"""What is reported of a prompt and of a resolution."""

from typing import Literal, NamedTuple

from lect.values import Match, Path, adapter_label

Outcome = Literal["won", "lost", "equal", "tied", "overruled", "no claim", "no format", "not asked"]
"""The result for an adapter: `equal` is as strong with the same format, `tied` as strong with another; `overruled` by
a decision; `no format`: it knows the model, and that none of its formats is the model's."""


REASONS = {
    "dropped": ("the format has no place for it", "leave it out"),
    "by-rule": ("the maker's format leaves it out on purpose", "leave it out"),
    "repeated": ("an earlier call has the same id", "give each call of the conversation an id of its own"),
    "order": (
        "the format tells results apart by their places, and this is the place of another call's",
        "lect.plugin.normalize(messages, sort_results=True)",
    ),
    "type": ("the format does not read a value of this type", "a value of that type"),
    "absent": ("there is none", "give it"),
}
"""What `Unused.why` means, and what to do about it, for people."""


class Control(NamedTuple):
    """A control marker of the model in text from outside."""

    path: Path
    """The field in which the marker begins."""
    start: int
    """The offset in that field; -1 if the text was transformed."""
    marker: str
    """The marker."""
    position: int
    """The offset in the prompt."""


class Unused(NamedTuple):
    """A field that did not reach the prompt, or that says there something else than it should."""

    path: Path
    """The field, such as `("messages", 3, "content")`."""
    why: Literal["dropped", "by-rule", "repeated", "order", "type", "absent"]
    """`dropped`; `by-rule` if the maker's format leaves it out on purpose; `repeated` for the id of a call that an
    earlier one has too; `order` for a result that has the place of another call's, in a format that writes no ids;
    `type` for an option of a type that is not read; `absent` for messages, or a content, that are not there."""

    @property
    def meant(self) -> str | None:
        """What was probably meant: the field, if no format knows this one, or the type of an option."""
        return None

    @property
    def meaning(self) -> str:
        """What `why` means, for people."""
        return REASONS[self.why][0]

    @property
    def advice(self) -> str:
        """What to do about it, for people."""
        return REASONS[self.why][1]


class Verdict(NamedTuple):
    """The result for one adapter when a path was resolved."""

    adapter: str
    """Its name."""
    package: str
    """The distribution; empty if it was registered in this process."""
    version: str
    """The distribution's version."""
    claim: Match | None
    """Its claim; None if it made none, or was not asked."""
    outcome: Outcome
    """The result."""
    why: str
    """Why, in one line."""

    @property
    def id(self) -> str:
        """The adapter's unique name: `lect-acme:acme`; just the name for one registered in this process."""
        return f"{self.package}:{self.adapter}" if self.package else self.adapter

    def __str__(self) -> str:
        return adapter_label(self.adapter, self.package, self.version)
