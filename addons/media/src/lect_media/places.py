"""Where the images, videos and sounds of a conversation stand in its prompt."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from lect import Origin, Prompt
from lect.plugin import SPELLINGS

Path = tuple[str | int, ...]


class Place(NamedTuple):
    """Where an image, a video or a sound stands."""

    kind: str
    """`image`, `video` or `audio`."""
    path: Path
    """Its part, such as `("messages", 0, "content", 1)`."""
    start: int
    """Where it begins: a character of a prompt, or a token of what was encoded."""
    end: int
    """Where it ends."""


def media_places(prompt: Prompt, messages: Sequence[Mapping[str, Any]]) -> Iterator[Place]:
    """Yield where each part that is no text stands in a prompt, in order.

    A placeholder in text from outside is text. Those that the template writes in the turn of a message are its parts',
    in their order.
    """
    placeholders = {kind: stated["placeholder"] for kind, stated in prompt.template.media.items()}
    lists = ((at, each.get("content")) for at, each in enumerate(messages))
    waiting = {
        at: list(_parts(content, at, placeholders)) for at, content in lists if isinstance(content, list | tuple)
    }
    if not any(waiting.values()):
        return
    pattern = _any_of(*placeholders.values())
    for begin, segment in zip(prompt.layout.starts, prompt.segments, strict=False):
        parts = [] if segment.turn is None else waiting.get(segment.turn, [])
        for match in pattern.finditer(segment.text) if parts and segment.origin is Origin.TEMPLATE else ():
            part = next((each for each in parts if placeholders[each[0]] == match[0]), None)
            if part is not None:
                parts.remove(part)
                yield Place(*part, begin + match.start(), begin + match.end())


@lru_cache(256)
def _any_of(*placeholders: str) -> re.Pattern[str]:
    return re.compile("|".join(map(re.escape, sorted(placeholders, key=len, reverse=True))))


def _parts(content: Sequence[Mapping[str, Any]], message: int, kinds: Mapping[str, str]) -> Iterator[tuple[str, Path]]:
    for at, part in enumerate(content):
        kind = SPELLINGS.get(part["type"], "")
        if kind in kinds:
            yield kind, ("messages", message, "content", at)
