"""An image on the best of some canvases, without the borders, and once more as a whole."""

import math
from collections.abc import Iterator

from lect_media.items import Beside, Item
from lect_media.numbers import Numbers
from lect_media.rules.fixed import selected
from lect_media.rules.framed import framed
from lect_media.rules.tiles import lined
from lect_media.texts import Run

FULL = 1.1
"""Only what exceeds the most features by more is reduced."""
ENLARGED = 2
"""How many images of a request are shown on canvases; where there are more, none is."""


def views(item: Item, numbers: Numbers, beside: Beside) -> Iterator[Run]:
    """Return the features of the canvas, one for each of its rows, and those of the whole: LLaVA-NeXT."""
    tile = numbers.whole("crop_size" if "crop_size" in numbers else "size")
    side = tile // numbers.whole("patch_size")
    rows, columns = _unpadded(item, *_canvas(item, numbers, tile, side))
    whole = side * side + numbers.whole("num_additional_image_tokens", 0, least=0)
    return framed(numbers, selected(numbers, rows * columns + rows + whole))


def views_or_one(item: Item, numbers: Numbers, beside: Beside) -> Iterator[Run]:
    """Return the same, with a most number of features, for an image that is alone: LLaVA-OneVision.

    Of several images each is seen once, and has one more feature.
    """
    whole = numbers.whole("num_image_tokens")
    if beside.total > 1:
        return framed(numbers, selected(numbers, whole + 1))
    side = math.isqrt(whole)
    rows, columns = _unpadded(item, *_canvas(item, numbers, numbers.whole("size"), side))
    most = int(numbers.text("vision_aspect_ratio", "anyres_max_9").rpartition("_")[2])
    excess = math.sqrt(rows * columns / (most * side**2))
    if excess > FULL:
        rows, columns = int(rows // excess), int(columns // excess)
    return framed(numbers, selected(numbers, rows * columns + rows + whole))


def lined_views(item: Item, numbers: Numbers, beside: Beside) -> Iterator[Run]:
    """Return the whole and the canvas with one pad more for each row, and one between: DeepSeek-VL2.

    Where there are more than two images, the canvas of each is one tile.
    """
    canvases = [(height, width) for width, height in numbers.pairs("candidate_resolutions")]
    tile = canvases[0][1]
    rows, columns = (side // tile for side in _best(item, canvases)) if beside.total <= ENLARGED else (1, 1)
    return framed(numbers, lined(numbers, tile, 1, 1) + 1 + lined(numbers, tile, columns, rows))


def pooled_frames(item: Item, numbers: Numbers, beside: Beside) -> Iterator[Run]:
    """Return a quarter of the features of each frame of a video, and one: LLaVA-OneVision."""
    side = math.ceil(math.isqrt(numbers.whole("num_image_tokens")) / 2)
    return framed(numbers, item.frames * side * side + 1)


def _canvas(item: Item, numbers: Numbers, tile: int, side: int) -> tuple[int, int]:
    """Return the rows and columns of features of the best canvas."""
    height, width = _best(item, numbers.pairs("image_grid_pinpoints"))
    return height // tile * side, width // tile * side


def _best(item: Item, canvases: list[tuple[int, int]]) -> tuple[int, int]:
    """Return the canvas, as (height, width), on which most of the image is seen, and of these the least is wasted."""
    best, seen, wasted = canvases[0], 0, float("inf")
    for height, width in canvases:
        scale = min(width / item.width, height / item.height)
        pixels = min(int(item.width * scale) * int(item.height * scale), item.width * item.height)
        waste = width * height - pixels
        if pixels > seen or (pixels == seen and waste < wasted):
            best, seen, wasted = (height, width), pixels, waste
    return best


def _unpadded(item: Item, rows: int, columns: int) -> tuple[int, int]:
    """Return the rows and columns without those that show only a border."""
    if item.width / item.height > columns / rows:
        used = int(round(item.height * (columns / item.width), 7))
        return rows - (rows - used) // 2 * 2, columns
    used = int(round(item.width * (rows / item.height), 7))
    return rows, columns - (columns - used) // 2 * 2
