"""What a request shows to a model: images, videos and sounds, of which only the sizes matter."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from lect.errors import MessageError, saferepr

KINDS = {"image": ("height", "width"), "video": ("frames", "height", "width"), "audio": ("samples",)}
"""What the size of each kind consists of."""
LARGEST = {"height": 1_000_000, "width": 1_000_000, "frames": 100_000, "samples": 10_000_000_000}
"""The largest sizes that are counted: above all known files, and small enough for any work to be bounded."""


class Item(NamedTuple):
    """One image, video or sound of a request."""

    kind: str
    """`image`, `video` or `audio`."""
    size: tuple[int, ...]
    """An image: height, width; a video: frames, height, width; a sound: samples. Empty where nobody has said it."""
    fps: float | None = None
    """The frames of a second, of those that the model gets."""
    timestamps: tuple[float, ...] | None = None
    """The time of each frame in seconds, where they do not follow from `fps`."""
    sampling_rate: int | None = None
    """The samples of a second; by default what the model takes."""
    path: tuple[str | int, ...] = ()
    """Its part, such as `("messages", 0, "content", 1)`, if it is one of a prompt."""

    @property
    def height(self) -> int:
        """The height of an image, or of a frame."""
        return self.size[-2]

    @property
    def width(self) -> int:
        """The width of an image, or of a frame."""
        return self.size[-1]

    @property
    def frames(self) -> int:
        """The number of frames of a video; an image is one."""
        return self.size[0] if self.kind == "video" else 1


class Beside(NamedTuple):
    """What stands beside an item: others of its kind in the same request."""

    position: int
    """Which of its kind the item is, from 0."""
    total: int
    """How many there are."""
    longest: int
    """The most samples that one of them has."""


def expect_items(items: Sequence[Item]) -> None:
    """Refuse what is no item, or has an impossible size.

    Raises:
        MessageError: If there is one.
    """
    for at, item in enumerate(items):
        names = KINDS.get(item.kind)
        if names is None:
            raise MessageError(f"item {at} is of the kind {saferepr(item.kind)}\n  try: one of {', '.join(KINDS)}")
        if len(item.size) != len(names):
            msg = f"the size of item {at}, {item.kind}, is {saferepr(item.size)}\n  try: ({', '.join(names)})"
            raise MessageError(msg)
        for name, number in zip(names, item.size, strict=True):
            expect_whole(f"the {name} of item {at}, {item.kind},", number, LARGEST[name])
        if item.timestamps is not None and len(item.timestamps) != item.frames:
            msg = f"item {at}, {item.kind}, has {len(item.timestamps)} timestamps for {item.frames} frames"
            raise MessageError(f"{msg}\n  try: one for each frame that the model gets")
        for name, value in (("fps", item.fps), ("sampling_rate", item.sampling_rate)):
            if value is not None and not 0 < value < 1e9:
                raise MessageError(
                    f"{name} of item {at}, {item.kind}, is {saferepr(value)}; expected a positive number"
                )


def expect_whole(what: str, number: object, most: int) -> int:
    """Return a whole number from 1 to `most`.

    Raises:
        MessageError: If it is something else.
    """
    if isinstance(number, bool) or not isinstance(number, int) or not 0 < number <= most:
        raise MessageError(f"{what} is {saferepr(number)}; expected a whole number from 1 to {most:,}")
    return number
