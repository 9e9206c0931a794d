"""A prompt with images, videos and sounds as a model gets them: an engine gets one placeholder for each."""

from __future__ import annotations

import os
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import accumulate
from typing import Any, Literal

from lect import Origin, Prompt, Segment
from lect.errors import LimitError, MessageError, saferepr
from lect.plugin import boundary
from lect_media.expansion import expand
from lect_media.images import image_size
from lect_media.items import Item
from lect_media.parts import item_of
from lect_media.places import Place

Size = tuple[int, ...] | str | bytes | os.PathLike[str] | Item
"""What says how large something is: its size, an image itself, or an item with more than its size."""
LONGEST = 64 << 20
"""No prompt is longer."""
POSITIONS = ("begin", "header_end", "start", "stop", "end", "close")
"""The places in a prompt that a turn has."""


@boundary
def expanded(
    prompt: Prompt,
    messages: Sequence[Mapping[str, Any]],
    media: Sequence[Size] | Callable[[list[Item]], Sequence[int | str]] | Literal["parts"],
) -> Prompt:
    """Return a prompt in which each image, video and sound is the text that the model gets: see `Prompt.expand`."""
    places = prompt.media
    if callable(media):
        texts = _texts(prompt, places, media([Item(place.kind, (), path=place.path) for place in places]))
    else:
        if media == "parts":
            media = [item_of(place, messages) for place in places]
        _expect_as_many(media, places)
        where = f"template {prompt.template.label!r}"
        items = [_item(place, size) for place, size in zip(places, media, strict=True)]
        made_of = expand(prompt.template.media, items, where=where)
        _expect_short(sum(len(run.text) * run.times for each in made_of for run in each.runs))
        texts = [each.text for each in made_of]
    made = prompt.with_segments(list(_segments(prompt, places, texts)))
    ends = [place.end for place in places]
    grown: list[int] = [
        0,
        *accumulate(len(text) - place.end + place.start for text, place in zip(texts, places, strict=True)),
    ]

    def moved(position: int) -> int:
        return position + grown[bisect_right(ends, position)]

    made.media = tuple(place._replace(start=moved(place.start), end=moved(place.end)) for place in places)
    # Turns are found by writing other conversations, which have placeholders.
    made.turns = [_moved(turn, moved) for turn in prompt.turns]
    made.trains, made.deviations = prompt.trains, prompt.deviations
    return made


def _moved(turn: Any, moved: Callable[[int], int]) -> Any:
    return turn._replace(**{name: moved(getattr(turn, name)) for name in POSITIONS})


def _segments(prompt: Prompt, places: Sequence[Place], texts: Sequence[str]) -> Iterator[Segment]:
    """Yield the segments of a prompt with other texts in some places; each of these is one of its own."""
    replaced = dict(zip((place.start for place in places), zip(places, texts, strict=True), strict=True))
    for begin, segment in zip(prompt.layout.starts, prompt.segments, strict=False):
        at, end = begin, begin + len(segment.text)
        for start in (each for each in replaced if begin <= each < end):
            place, text = replaced[start]
            if at < start:
                yield segment._replace(text=segment.text[at - begin : start - begin])
            yield Segment(text, Origin.TEMPLATE, place.path, -1, segment.turn)
            at = place.end
        if at < end:
            yield segment._replace(text=segment.text[at - begin :]) if at > begin else segment


def _expect_as_many(given: Sequence[object], places: Sequence[Place]) -> None:
    if len(given) != len(places):
        kinds = ", ".join(place.kind for place in places) or "none"
        msg = f"media says what {len(given)} images, videos and sounds are; the prompt has {len(places)}: {kinds}"
        raise MessageError(f"{msg}\n  try: one for each, in the order of prompt.media")


def _expect_short(length: int) -> None:
    if length > LONGEST:
        msg = f"the images, videos and sounds of one prompt would be {length:,} characters; the most is {LONGEST:,}"
        raise LimitError(f"{msg}\n  try: fewer or smaller ones")


def _item(place: Place, size: Size) -> Item:
    """Return what stands in a place, as large as is said: where an image itself is given, as large as that is."""
    if isinstance(size, Item):
        return size._replace(path=place.path)
    if isinstance(size, str | bytes | os.PathLike):
        size = image_size(size)
    return Item(place.kind, tuple(size), path=place.path)


def _texts(prompt: Prompt, places: Sequence[Place], given: Sequence[int | str]) -> list[str]:
    """Return the texts for some places that a function has given: a number stands for as many placeholders."""
    _expect_as_many(given, places)
    texts = []
    repeated = (each if isinstance(each, int) else 0 for each in given)
    _expect_short(sum((place.end - place.start) * each for place, each in zip(places, repeated, strict=True)))
    for place, each in zip(places, given, strict=True):
        if isinstance(each, int) and not isinstance(each, bool) and each >= 0:
            texts.append(prompt.text[place.start : place.end] * each)
        elif isinstance(each, str):
            texts.append(each)
        else:
            raise MessageError(
                f"media says {saferepr(each)} for {place.kind}; expected a number of placeholders, or a text"
            )
    return texts
