"""What is to be rendered, and its messages as templates see them."""

# Annotations are not postponed: a named tuple with string annotations takes twice as long to create.
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from lect.prompt.inputs import Input, given
from lect.values import Path

REASONING_NAMES = ("reasoning_content", "thinking", "reasoning")
"""The fields in which people give an assistant's reasoning; the first one present counts."""

Raw = Mapping[str, Any]


class Request(NamedTuple):
    """What is to be rendered."""

    messages: Sequence[Raw]
    tools: Sequence[Raw] | None
    options: dict[str, Any]
    add_generation_prompt: bool


class Part(NamedTuple):
    """One part of a content list."""

    type: str
    """Its kind, such as `text` or `image`, which is also that of an `image_url` or `input_image`."""
    text: str
    """Its text; empty unless the part is text."""
    path: Path
    """Where it was given."""
    raw: Raw
    """The mapping as given."""


class Call(NamedTuple):
    """A tool call."""

    name: str
    """The name of the function."""
    arguments: Mapping[str, Any] | str
    """The arguments; a text only if it was given as one and is not the JSON of an object."""
    id: str | None
    """The id, or None."""
    path: Path
    """Where it was given."""
    raw: Raw
    """The mapping as given."""


class Message:
    """One message."""

    # Most messages are a role and a text, and slots are quick. Other fields are the class's until a `FullMessage`'s.
    __slots__ = ("content", "index", "raw", "role")

    index: int
    """Its index in the conversation."""
    role: str
    """Its role."""
    content: str
    """Its text, or the joined texts of its parts; empty if there is none."""
    raw: Raw
    """The mapping as given, normalized."""
    parts: tuple[Part, ...] = ()
    """The parts of a content list; empty if the content was text."""
    reasoning: str | None = None
    """An assistant's reasoning, or None."""
    tool_calls: tuple[Call, ...] = ()
    """Its calls."""
    name: str | None = None
    """Its name, or None."""


class FullMessage(Message):
    """A message that may have any field."""


@lru_cache(maxsize=4096)
def tracked_role(role: str, index: int) -> Input:
    """Return a role of the caller; there are few, so each is made once."""
    return given(role, ("messages", index, "role"))
