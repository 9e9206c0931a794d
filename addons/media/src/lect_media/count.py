"""How many tokens an image, a video or a sound is for a model."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import lect
from lect.errors import MessageError, SourceError
from lect.plugin import Template, boundary
from lect_media.checkpoint import of_family, with_checkpoint
from lect_media.expansion import Expansion, expand
from lect_media.images import image_size
from lect_media.items import Item


@boundary
def media_tokens(
    model: str | os.PathLike[str] | Template,
    *,
    height: int | None = None,
    width: int | None = None,
    frames: int | None = None,
    samples: int | None = None,
    fps: float | None = None,
    timestamps: Sequence[float] | None = None,
    sampling_rate: int | None = None,
    image: str | os.PathLike[str] | bytes | None = None,
    request: Sequence[Mapping[str, Any]] | None = None,
    numbers: str | os.PathLike[str] | Mapping[str, Any] | bool = True,
    adapter: Any = None,
    default: str | None = None,
) -> Expansion | list[Expansion]:
    """Return how many tokens an image, a video or a sound is for a model, and the text that becomes of it.

    Args:
        model: The model, as for `lect.get_template`, or a template.
        height: The height of an image, or of the frames of a video, in pixels.
        width: The width.
        frames: The number of frames of a video, of those that the model gets.
        samples: The number of samples of a sound.
        fps: How many of these frames make up a second.
        timestamps: The time of each frame in seconds, instead of `fps`.
        sampling_rate: The samples of a second; by default what the model takes.
        image: An image instead of its size: a path, the bytes of a file, or a data URL. Only its header is read.
        request: Several at once, in the order of the prompt, each as a mapping of the arguments above: what one
            becomes may depend on those beside it. A list is returned.
        numbers: Where a checkpoint's own numbers come from: its directory, the numbers themselves, or, by default, the
            directory that `model` is; with False, the family's numbers are used.
        adapter: As for `lect.get_template`.
        default: As for `lect.get_template`.

    Raises:
        RefusedError: If the model's maker refuses the size, or the model takes nothing of that kind.
        MessageError: If arguments are missing, or a size is impossible.
        SourceError: If the image, or a file of the checkpoint, cannot be read.
        UnknownModelError: If no adapter knows the model.
    """
    stated: dict[str, Any] = {
        "height": height, "width": width, "frames": frames, "samples": samples, "fps": fps, "timestamps": timestamps,
        "sampling_rate": sampling_rate, "image": image,
    }  # fmt: skip
    if request is None:
        return expansions(model, [_item(**stated)], numbers=numbers, adapter=adapter, default=default)[0]
    if any(value is not None for value in stated.values()):
        raise MessageError("either several items are given as request=, or one item by itself\n  try: one of them")
    items = [_item(**each) for each in request]
    return expansions(model, items, numbers=numbers, adapter=adapter, default=default)


@boundary
def expansions(
    model: str | os.PathLike[str] | Template,
    items: Sequence[Item],
    *,
    numbers: str | os.PathLike[str] | Mapping[str, Any] | bool = True,
    adapter: Any = None,
    default: str | None = None,
) -> list[Expansion]:
    """Return what becomes of all images, videos and sounds of one request, in the order of its prompt.

    All at once, because what one becomes may depend on what is beside it. `numbers`, `adapter` and `default` are those
    of `media_tokens`, as are the errors.
    """
    template = model if isinstance(model, Template) else lect.get_template(model, adapter=adapter, default=default)
    media: Mapping[str, Mapping[str, Any]] = template.media
    where = f"template {template.label!r}"
    if isinstance(numbers, Mapping):
        media = {kind: {**stated, **numbers} for kind, stated in media.items()}
        return expand(media, items, where=f"{where} with numbers=", error=MessageError)
    if numbers is False:
        media = of_family(media)
    elif numbers is not True:
        directory = os.fspath(numbers)
        if not os.path.isdir(directory):
            raise SourceError(f"numbers={directory!r} is no directory\n  try: the directory of a downloaded model")
        media = with_checkpoint(media, directory)
    return expand(media, items, where=where)


def _item(
    height: int | None = None,
    width: int | None = None,
    frames: int | None = None,
    samples: int | None = None,
    fps: float | None = None,
    timestamps: Sequence[float] | None = None,
    sampling_rate: int | None = None,
    image: str | os.PathLike[str] | bytes | None = None,
) -> Item:
    """Return what the arguments describe."""
    if image is not None:
        if (height, width, frames, samples) != (None,) * 4:
            raise MessageError("an image has a size of its own\n  try: without height, width, frames and samples")
        height, width = image_size(image)
    more = (fps, None if timestamps is None else tuple(timestamps), sampling_rate)
    if samples is not None:
        if (height, width, frames) != (None,) * 3:
            raise MessageError("a sound has samples, and no height, width and frames\n  try: one call for each")
        return Item("audio", (samples,), *more)
    if height is None or width is None:
        missing = "height" if height is None else "width"
        raise MessageError(f"{missing} is missing\n  try: height= and width=, image= a path, or samples= for a sound")
    return Item("image", (height, width), *more) if frames is None else Item("video", (frames, height, width), *more)
