"""A grid of patches: the size is kept in proportion, between a least and a most number of pixels."""

import math
from collections.abc import Iterator

from lect.errors import RefusedError
from lect_media.items import Beside, Item
from lect_media.numbers import Numbers
from lect_media.rules.framed import framed, frames, merged_times
from lect_media.texts import Run

LARGEST_RATIO = 200
"""Of the sides; anything longer is refused by all who use these rules."""
BUDGET = 0.9
"""How much of the tokens for a video its frames may use, where each frame is limited."""
ABOVE_LEAST = 1.05
"""A limit of a frame's pixels is at least so much above the least that a frame has."""


def grid(item: Item, numbers: Numbers, beside: Beside) -> Iterator[Run]:
    """Return the patches of an image, or of each group of a video's frames: Qwen2-VL, 2.5-VL, 3-VL, MiniMax-M3."""
    least, most = numbers.edge("shortest_edge"), float(numbers.edge("longest_edge"))
    groups = merged_times(item, numbers) if item.kind == "video" else [0.0]
    if item.kind == "video" and numbers.yes("cap_pixels_per_frame"):
        budget = numbers.whole("max_video_tokens") * _factor(numbers) ** 2 * BUDGET
        share = budget / item.frames * numbers.whole("temporal_patch_size")
        most = max(min(most, share), int(least * ABOVE_LEAST))
    height, width = _bounded(item, numbers, 1, (item.height, item.width), least, most)
    return frames(numbers, _merged(height, numbers) * _merged(width, numbers), groups)


def grid_over_time(item: Item, numbers: Numbers, beside: Beside) -> Iterator[Run]:
    """Return the patches of an image or a video, whose pixels are counted in all frames: GLM-4.1V, Qwen3-VL's videos.

    An image counts as one group of frames. A side that is shorter than a patch is enlarged first.
    """
    least, most = numbers.edge("shortest_edge"), numbers.edge("longest_edge")
    group, factor = numbers.whole("temporal_patch_size", 1), _factor(numbers)
    count = item.frames if item.kind == "video" else group
    if count < group:
        raise RefusedError(f"a video of {count} frames is refused\n  try: {group} frames, or an image")
    if item.kind == "video" and numbers.yes("cap_pixels_per_frame"):
        share = min(numbers.whole("max_video_tokens") * factor * factor, most // count)
        most = max(share, int(least * ABOVE_LEAST)) * count
    height, width = item.height, item.width
    if height < factor or width < factor:
        scale = max(factor / height, factor / width)
        height, width = int(height * scale), int(width * scale)
    height, width = _bounded(item, numbers, count, (height, width), least, most)
    groups = merged_times(item, numbers) if item.kind == "video" else [0.0]
    return frames(numbers, _merged(height, numbers) * _merged(width, numbers), groups)


def grid_lines(item: Item, numbers: Numbers, beside: Beside) -> Iterator[Run]:
    """Return the patches of an image with one more for each row, and one at either end: HunyuanVL."""
    least, most = numbers.edge("shortest_edge"), numbers.edge("longest_edge")
    height, width = _bounded(item, numbers, 1, (item.height, item.width), least, most)
    more = numbers.whole("spatial_patch_size", 1)
    rows, columns = _merged(height, numbers) // more, _merged(width, numbers) // more
    return framed(numbers, rows * (columns + 1) + 2 * numbers.yes("cat_extra_token", True))


def _factor(numbers: Numbers) -> int:
    """Return the side of what becomes one token, in pixels."""
    return numbers.whole("patch_size") * numbers.whole("merge_size")


def _merged(side: int, numbers: Numbers) -> int:
    return side // _factor(numbers)


def _bounded(
    item: Item, numbers: Numbers, count: int, size: tuple[int, int], least: float, most: float
) -> tuple[int, int]:
    """Return the size to which `count` frames are scaled, in whole tokens."""
    height, width = size
    if max(size) > LARGEST_RATIO * min(size):
        msg = f"{item.width} × {item.height} pixels are refused: one side is more than {LARGEST_RATIO} times the other"
        raise RefusedError(f"{msg}\n  try: an image that is cut, or not as narrow")
    factor, group = _factor(numbers), numbers.whole("temporal_patch_size", 1) if count > 1 else 1
    # A half is rounded to the even neighbour. There is no least here: a narrow side becomes 0, and too few pixels.
    tall, wide = round(height / factor) * factor, round(width / factor) * factor
    pixels = tall * wide * round(count / group) * group
    if pixels > most:
        shrunk = math.sqrt(count * height * width / most)
        tall = max(factor, math.floor(height / shrunk / factor) * factor)
        wide = max(factor, math.floor(width / shrunk / factor) * factor)
    elif pixels < least:
        grown = math.sqrt(least / (count * height * width))
        tall, wide = math.ceil(height * grown / factor) * factor, math.ceil(width * grown / factor) * factor
    if not tall or not wide:
        raise RefusedError(f"nothing is left of {item.width} × {item.height} pixels\n  try: a larger image")
    return tall, wide
