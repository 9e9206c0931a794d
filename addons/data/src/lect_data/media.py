"""Images, videos and sounds of rows: as many tokens as the model gets, or a row is refused."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from lect.addon import spell
from lect.errors import MaskError
from lect.plugin import SPELLINGS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lect import Encoded, LossPolicy, Prompt
    from lect_media import Spliced


def encoded(
    prompt: Prompt,
    messages: Sequence[Mapping[str, Any]],
    tokenizer: Any,
    policy: LossPolicy | None,
    media: str,
    **limits: Any,
) -> Encoded | Spliced:
    """Return the ids of a prompt of a row as it is trained on; `limits` are other arguments of `Prompt.encode`.

    Raises:
        LectError: If it is not known how many tokens one of its images is.
    """

    def encode(some: Prompt, **limits: Any) -> Encoded:
        return some.encode(tokenizer, policy=policy, strict=False if policy else None, **limits)

    if not _is_expanded(prompt, messages, media):
        return encode(prompt, **limits)
    from lect_media import expand, item_of, spliced

    # Most images are one token again and again, which is quickly put into ids with one placeholder.
    items = [item_of(place, messages) for place in prompt.media]
    made = expand(prompt.template.media, items, where=f"template {prompt.template.label!r}")
    quick = spliced(encode(prompt), made, tokenizer)
    if quick is None or len(quick.ids) > limits.get("max_length", len(quick.ids)):
        return encode(prompt.expand("parts"), **limits)
    return quick


def reached(encoded: Any) -> int | None:
    """Return up to which character something was encoded; None if nothing was cut off."""
    if not encoded.report.truncated:
        return None
    end: int = encoded.offsets[-1][1]
    return end


def _is_expanded(prompt: Prompt, messages: Sequence[Mapping[str, Any]], media: str) -> bool:
    """Return whether a prompt has something that is more than one token.

    Raises:
        MaskError: If it is not known how many tokens that is.
    """
    if media == "one":
        return False
    seen = dict(_media_of(messages[: len(prompt.roles)]))
    written = {place.path for place in prompt.media} if seen else set()
    # What the format has no place for is counted among what is unused.
    for each in prompt.unused if seen.keys() - written else ():
        seen.pop(each.path[:4], None)
    for path in sorted(seen.keys() - written):
        what = f"{spell(path)} is {seen[path]}, and how many tokens that is for {prompt.template.label!r} is not known"
        raise MaskError(f"{what}\n  try: media='one', if what trains the model takes one placeholder for each")
    return bool(seen)


def _media_of(messages: Sequence[Mapping[str, Any]]) -> Iterator[tuple[tuple[Any, ...], str]]:
    """Yield the path and the kind of each part that is no text."""
    for index, message in enumerate(messages):
        content = message.get("content")
        for at, part in enumerate(content if isinstance(content, list | tuple) else ()):
            kind = SPELLINGS.get(str(part.get("type")), "") if isinstance(part, Mapping) else ""
            if kind:
                yield ("messages", index, "content", at), kind
