"""As many patches as a budget allows, in the proportions of the image."""

import math
from collections.abc import Iterator
from itertools import product

from lect.errors import RefusedError
from lect_media.items import Beside, Item
from lect_media.numbers import Numbers
from lect_media.rules.framed import framed, frames, merged_times
from lect_media.texts import Run

MOST_ALONG = 512
"""Positions of patches along a side that Kimi-VL knows."""


def budget(item: Item, numbers: Numbers, beside: Beside) -> Iterator[Run]:
    """Return pools of patches: every image is scaled until nearly all of the budget is used: Gemma 4."""
    patch, pool, most = (numbers.whole(name) for name in ("patch_size", "pooling_kernel_size", "max_soft_tokens"))
    unit, pixels = patch * pool, most * pool**2 * patch**2
    scale = math.sqrt(pixels / (item.height * item.width))
    rows, columns = math.floor(scale * item.height / unit), math.floor(scale * item.width / unit)
    if not rows and columns:
        rows, columns = 1, min(item.width // item.height, most)
    elif not columns and rows:
        rows, columns = min(item.height // item.width, most), 1
    if not 0 < rows * columns * unit * unit <= pixels:
        msg = f"{item.width} × {item.height} pixels are refused: they do not fit into {most} tokens"
        raise RefusedError(f"{msg}\n  try: another size of image")
    return frames(numbers, rows * columns, merged_times(item, numbers) if item.kind == "video" else [0.0])


def native(item: Item, numbers: Numbers, beside: Beside) -> Iterator[Run]:
    """Return the patches of an image in its own size, reduced only if there are too many: Kimi-K2.5, Kimi-VL."""
    patch, merge = numbers.whole("patch_size"), numbers.whole("merge_size")
    longest = numbers.edge("max_height") * patch
    patches = max(1.0, item.height // patch) * max(1.0, item.width // patch)
    scale = min(1.0, math.sqrt(numbers.whole("max_patches") / patches), longest / item.height, longest / item.width)
    sides = (min(max(1, int(side * scale)), longest) for side in (item.height, item.width))
    rows, columns = (-(-side // (patch * merge)) for side in sides)
    return framed(numbers, rows * columns)


def limited(item: Item, numbers: Numbers, beside: Beside) -> Iterator[Run]:
    """Return the patches of an image in its own size, reduced as a whole if there are too many: Kimi-VL."""
    patch, most = numbers.whole("patch_size"), numbers.whole("in_token_limit")
    ((tall, wide),) = numbers.pairs("merge_kernel_size", 1)
    height, width = item.height, item.width
    patches = (height // patch) * (width // patch)
    if patches > most:
        height, width = (int(side * math.sqrt(most / patches)) for side in (height, width))
    if max(height, width) // patch >= MOST_ALONG:
        msg = f"{item.width} × {item.height} pixels are refused: one side has {MOST_ALONG} patches or more"
        raise RefusedError(f"{msg}\n  try: an image that is cut, or not as narrow")
    return framed(numbers, -(-height // (patch * tall)) * -(-width // (patch * wide)))


def nearest(item: Item, numbers: Numbers, beside: Beside) -> Iterator[Run]:
    """Return the patches of the size that has nearly the image's proportions, with a cap on tokens: Muse Glimmer."""
    unit = numbers.whole("patch_size") * numbers.whole("merge_size")
    most = numbers.whole("max_image_tokens" if item.kind == "image" else "max_video_frame_tokens")
    rows, columns = item.height / unit, item.width / unit
    if rows * columns > most:
        ratio = columns / rows
        rows = (most / ratio) ** 0.5
        columns = rows * ratio
    # Of equally good grids the first of the set is taken, as its maker does: the order of a set of numbers is fixed.
    around = set(product([math.floor(rows), math.ceil(rows)], [math.floor(columns), math.ceil(columns)]))
    fitting = [(high, wide) for high, wide in around if high >= 1 and wide >= 1 and high * wide <= most]
    if not fitting:
        fitting = [(max(1, round(rows)), max(1, round(columns)))]
    high, wide = min(fitting, key=lambda grid: abs(grid[0] / grid[1] - item.height / item.width))
    return frames(numbers, high * wide, merged_times(item, numbers) if item.kind == "video" else [0.0])
