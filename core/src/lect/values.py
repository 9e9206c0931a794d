"""The values that everything else is built from. This module imports nothing from lect."""

import re
from enum import Enum, IntEnum
from typing import Literal, NamedTuple

Path = tuple[str | int, ...]
"""Where a field is: `("messages", 3, "content")`."""

EQUAL_BYTES = 2
"""The marshal version in which equal values give equal bytes; in later ones these depend on reference counts."""
TRANSFORMED = -1
"""The offset of text that is not found character for character in its field, such as JSON made from it."""
SPELLINGS = {
    "image": "image", "image_url": "image", "input_image": "image", "audio": "audio", "audio_url": "audio",
    "input_audio": "audio", "video": "video", "video_url": "video",
}  # fmt: skip
"""What each type of a part is: clients spell one thing in several ways. The first of each is the most usual."""


class MadeId(str):
    """The id of a call to which the model gave none: no other reply has it."""

    __slots__ = ()


class Origin(Enum):
    """Who wrote a piece of the prompt."""

    TEMPLATE = "template"
    """The template itself."""
    INPUT = "input"
    """The caller: a message, a tool, an option."""
    UNKNOWN = "unknown"
    """Not known: a text whose origin could not be followed. It is never trusted."""

    def __repr__(self) -> str:
        return f"Origin.{self.name}"


TEMPLATE, INPUT, UNKNOWN = Origin
"""Its members: to look one up in an enumeration takes as long as a call."""


class Segment(NamedTuple):
    """A piece of the prompt, and where it came from."""

    text: str
    """The text."""
    origin: Origin
    """Who wrote it."""
    path: Path
    """The field, such as `("messages", 3, "content")`; empty for template text."""
    start: int
    """The offset in that field; -1 if the text was transformed (JSON-escaped, joined, ...), and for template text."""
    turn: int | None
    """The index of the message whose turn it belongs to; None for preamble and generation prompt."""


ControlPolicy = Literal["report", "raise", "allow"]
"""What to do about control markers in text from outside."""

Kind = Literal["chat", "base", "none"]
"""`chat`, `base` for a model that was not trained to chat, or `none` for a name that an adapter knows to use none of
its formats: that is not a claim, but it keeps fallbacks from guessing."""


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
    """A claim to a model path."""

    specificity: Specificity
    """What the claim rests on."""
    literal: str
    """The part of the path that it rests on; within one specificity, the longer one wins."""
    template: str = ""
    """The name of the template; empty if the adapter has only one."""
    kind: Kind = "chat"
    """What kind of model it is: `chat`, `base` or `none`."""
    reason: str = ""
    """One line for people."""

    @property
    def strength(self) -> tuple[int, int]:
        """What claims are compared by: the specificity, and the length of the literal."""
        return (int(self.specificity), len(self.literal))


def adapter_label(name: str, package: str, version: str) -> str:
    """Return what messages call an adapter: `acme (lect-acme 0.1.0)`."""
    return f"{name} ({package} {version})" if package else f"{name} (registered in this process)"


def normal_name(name: str) -> str:
    """Return the normalised name of a distribution."""
    return re.sub(r"[-_.]+", "-", name).lower()
