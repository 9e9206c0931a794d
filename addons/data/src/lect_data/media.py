"""Images, videos and sounds of rows: as many tokens as the model gets, or a row is refused."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from lect.addon import spell
from lect.errors import MaskError
from lect.plugin import SPELLINGS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lect import Prompt


def expanded(prompt: Prompt, messages: Sequence[Mapping[str, Any]], media: str) -> Prompt:
    """Return the prompt of a row as it is trained on.

    Raises:
        LectError: If it is not known how many tokens one of its images is.
    """
    if media == "one":
        return prompt
    seen = dict(_media_of(messages[: len(prompt.roles)]))
    # What the format has no place for is counted among what is unused.
    for each in prompt.unused if seen else ():
        seen.pop(each.path[:4], None)
    if not seen:
        return prompt
    made = prompt.expand("parts")
    for path in sorted(seen.keys() - {place.path for place in made.media}):
        what = f"{spell(path)} is {seen[path]}, and how many tokens that is for {prompt.template.label!r} is not known"
        raise MaskError(f"{what}\n  try: media='one', if what trains the model takes one placeholder for each")
    return made


def _media_of(messages: Sequence[Mapping[str, Any]]) -> Iterator[tuple[tuple[Any, ...], str]]:
    """Yield the path and the kind of each part that is no text."""
    for index, message in enumerate(messages):
        content = message.get("content")
        for at, part in enumerate(content if isinstance(content, list | tuple) else ()):
            kind = SPELLINGS.get(str(part.get("type")), "") if isinstance(part, Mapping) else ""
            if kind:
                yield ("messages", index, "content", at), kind
