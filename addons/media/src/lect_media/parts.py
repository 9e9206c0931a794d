"""How large an image, a video or a sound is, as its part in a message tells."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from lect.addon import spell
from lect.errors import SourceError, saferepr
from lect.plugin import boundary
from lect_media.images import image_size
from lect_media.items import KINDS, Item
from lect_media.places import Place

SOURCES = ("url", "path", "bytes", "data")
"""Where an image is, in what a part says of it: clients and data sets have mappings there, or the thing itself."""


@boundary
def item_of(place: Place, messages: Sequence[Mapping[str, Any]]) -> Item:
    """Return the part that stands in a place, with its size: as it states it, or as the image itself has it.

    Raises:
        SourceError: If neither tells its size.
    """
    said = _said(place, messages)[1]
    size = tuple(said[name] for name in KINDS[place.kind] if said.get(name) is not None)
    if len(size) < len(KINDS[place.kind]):
        size = _measured(place, messages)
    times = said.get("timestamps")
    return Item(
        place.kind, size, fps=said.get("fps"), timestamps=tuple(times) if times else None,
        sampling_rate=said.get("sampling_rate"), path=place.path,
    )  # fmt: skip


@boundary
def image_of(place: Place, messages: Sequence[Mapping[str, Any]]) -> str | bytes | os.PathLike[str] | None:
    """Return the image that stands in a place, as a path, an address, bytes or a data URL; None if only its size is."""
    given, said = _said(place, messages)
    sources = (given, *(said.get(name) for name in SOURCES))
    return next((each for each in sources if isinstance(each, str | bytes | os.PathLike) and each), None)


def _said(place: Place, messages: Sequence[Mapping[str, Any]]) -> tuple[Any, Mapping[str, Any]]:
    """Return what a part says of its image, by any name, and all that it says."""
    _, message, _, at = place.path
    part = messages[int(message)]["content"][at]
    given = next((part[name] for name in (part["type"], place.kind, f"{place.kind}_url") if part.get(name)), None)
    return given, {**given, **part} if isinstance(given, Mapping) else dict(part)


def _measured(place: Place, messages: Sequence[Mapping[str, Any]]) -> tuple[int, ...]:
    given, said = _said(place, messages)
    if place.kind == "audio" and said.get("array") is not None:
        return (len(said["array"]),)
    if place.kind == "image":
        # As Pillow has it: its images, which `datasets` gives, are not imported for this.
        width_and_height = getattr(given, "size", None)
        if isinstance(width_and_height, tuple):
            width, height = width_and_height
            return height, width
        image = image_of(place, messages)
        if image is not None:
            return image_size(image)
    names = " and ".join(KINDS[place.kind])
    msg = f"{spell(place.path)} is {place.kind}, and does not tell its {names}: {saferepr(said)}"
    raise SourceError(f"{msg}\n  try: {names} in the part, as numbers")
