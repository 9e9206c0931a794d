"""How strongly an adapter claims a model path."""

from enum import IntEnum
from typing import NamedTuple

NO_FORMAT = "none"
"""The kind of a model that an adapter knows by name, and to speak none of its formats."""


class Specificity(IntEnum):
    """What a claim rests on; a higher one wins."""

    REPO = 100
    """The whole `owner/name`."""
    NAME = 80
    """The beginning of the name."""
    TOKEN = 60
    """A word somewhere in the name."""
    MODEL_TYPE = 40
    """The `model_type` of a config file."""
    FAMILY = 20
    """Nothing but the family."""


class Match(NamedTuple):
    """A claim to a model path.

    Attributes:
        specificity: What the claim rests on.
        literal: The part of the path that it rests on; within one specificity the longer one wins.
        template: The name of the template; empty where the adapter has but one.
        kind: `chat`, `base` for a model that was not trained to chat, or `none` for a name that the adapter knows to
            speak none of its formats: that is no claim, but it keeps fallbacks from guessing.
        reason: One line for people.
    """

    specificity: Specificity
    literal: str
    template: str = ""
    kind: str = "chat"
    reason: str = ""

    @property
    def strength(self) -> tuple[int, int]:
        """What claims are compared by."""
        return (int(self.specificity), len(self.literal))
