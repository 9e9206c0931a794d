"""Pads between the tokens that frame them, and the frames of a video, each with its time."""

from collections.abc import Iterator, Sequence

from lect_media.items import Item
from lect_media.numbers import Numbers
from lect_media.texts import Run, control, plain

NO_FPS = 24
"""The frames of a second where nobody states them."""


def framed(numbers: Numbers, pads: int) -> Iterator[Run]:
    """Return so many pads, between what the family states as `before`, `start`, `end` and `after`."""
    yield plain(numbers.text("before"))
    yield control(numbers.text("start"))
    yield control(numbers.text("pad"), pads)
    yield control(numbers.text("end"))
    yield plain(numbers.text("after"))


def frames(numbers: Numbers, pads: int, seconds: Sequence[float]) -> Iterator[Run]:
    """Return so many pads for each frame, with its time where the family states how it is written.

    `timestamp` may use `{seconds}`, `{whole}` seconds, `{minute}`, `{second}` of it, and the frame's `{number}`.
    """
    if "timestamp" not in numbers:
        yield from framed(numbers, pads * len(seconds))
        return
    after = numbers.yes("timestamp_after")
    yield control(numbers.text("open"))
    for number, at in enumerate(seconds, 1):
        if number > 1:
            yield control(numbers.text("separator"))
            yield plain(numbers.text("between"))
        minute, second = divmod(int(at), 60)
        written = numbers.text("timestamp").format(
            seconds=at, whole=int(at), minute=minute, second=second, number=number
        )
        yield plain("" if after else written)
        yield from framed(numbers, pads)
        yield plain(written if after else "")
    yield control(numbers.text("close"))


def times(item: Item, numbers: Numbers) -> list[float]:
    """Return the time of each frame of a video in seconds."""
    if item.timestamps is not None:
        return list(item.timestamps)
    fps = item.fps or numbers.ratio("fps", NO_FPS)
    return [frame / fps for frame in range(item.frames)]


def merged_times(item: Item, numbers: Numbers) -> list[float]:
    """Return the time of each group of frames that become one: of its first frame, or its middle."""
    size, each = numbers.whole("temporal_patch_size", 1), times(item, numbers)
    if numbers.text("timestamp_of", "first") == "first":
        return each[::size]
    # The last group is filled up with the last frame.
    return [(each[at] + each[min(at + size, len(each)) - 1]) / 2 for at in range(0, len(each), size)]
