"""What a message is but for its text: a role, or a role and the types of the parts of its content."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from lect.plugin import SPELLINGS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


class InParts(NamedTuple):
    """A message whose content is a text among images, videos and sounds; no answer is."""

    role: str
    parts: tuple[str, ...]
    """Their types, one of which is `text`."""


Turn = str | InParts
"""A role alone stands for a message whose content is a text."""


def turn_of(message: Mapping[str, Any]) -> tuple[Turn, str] | None:
    """Return what a message is, and its text; None if it is something else."""
    role, content = message.get("role"), message.get("content")
    if len(message) != 2 or type(role) is not str:
        return None
    if type(content) is str:
        return role, content
    if type(content) is not list or role == "assistant":
        return None
    kinds = tuple(str(part.get("type")) if type(part) is dict else "" for part in content)
    if kinds.count("text") != 1 or not SPELLINGS.keys() >= {*kinds} - {"text"}:
        return None
    text = content[kinds.index("text")]
    return (InParts(role, kinds), text["text"]) if len(text) == 2 and type(text.get("text")) is str else None


def said(
    turn: Turn, text: str, part: Callable[[str], Mapping[str, Any]] = lambda kind: {"type": kind}
) -> dict[str, Any]:
    """Return a message with a text; `part` makes its other parts."""
    if isinstance(turn, str):
        return {"role": turn, "content": text}
    parts = [{"type": kind, "text": text} if kind == "text" else part(kind) for kind in turn.parts]
    return {"role": turn.role, "content": parts}
