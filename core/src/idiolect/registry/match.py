"""How strongly an adapter claims a model path."""

from enum import IntEnum
from typing import NamedTuple


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
        kind: `chat`, or `base` for a model that was not trained to chat.
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
