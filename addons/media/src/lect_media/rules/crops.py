"""Crops of an image, as many as its proportions ask for, beside the whole."""

import math
from collections.abc import Iterator

from lect.errors import RefusedError
from lect_media.items import Beside, Item
from lect_media.numbers import Numbers
from lect_media.rules.canvases import MOST_TILES, nearest_ratio
from lect_media.rules.framed import framed
from lect_media.texts import Run, plain

CROP = 336
"""The side of a crop of Phi-3-vision, in pixels."""
NARROWEST = 10
"""In pixels: an image that becomes narrower is refused."""


def pan_and_scan(item: Item, numbers: Numbers, beside: Beside) -> Iterator[Run]:
    """Return the image with a fixed number of pads, and where pan and scan is on, crops of a long one: Gemma 3."""
    whole = list(framed(numbers, numbers.whole("image_seq_length")))
    crops = _crops(item, numbers) if numbers.yes("do_pan_and_scan") else 0
    if not crops:
        return iter(whole)
    runs = [plain("Here is the original image "), *whole]
    runs += [plain(" and here are some crops to help you see better "), *whole]
    for _ in range(crops - 1):
        runs += [plain(" "), *whole]
    return iter(runs)


def _crops(item: Item, numbers: Numbers) -> int:
    """Return the number of crops along the longer side; none if the image is nearly square, or crops would be small."""
    longer, shorter = max(item.height, item.width), min(item.height, item.width)
    least = numbers.whole("pan_and_scan_min_crop_size")
    if longer / shorter < numbers.ratio("pan_and_scan_min_ratio_to_activate"):
        return 0
    # A half is rounded up here.
    wanted = min(longer // least, math.floor(longer / shorter + 0.5))
    crops = min(max(2, wanted), numbers.whole("pan_and_scan_max_num_crops", most=MOST_TILES))
    return crops if min(math.ceil(longer / crops), shorter) >= least else 0


def lined_crops(item: Item, numbers: Numbers, beside: Beside) -> Iterator[Run]:
    """Return crops and the whole, with pads that end rows and one between: Phi-3-vision, Phi-3.5-vision."""
    most, each = numbers.whole("num_crops", most=MOST_TILES), numbers.whole("num_img_tokens")
    longer, shorter = max(item.height, item.width), min(item.height, item.width)
    ratio, along = longer / shorter, 1
    while along * math.ceil(along / ratio) <= most:
        along += 1
    along -= 1
    # What does not fill the last crop is padded.
    across = math.ceil(int(along * CROP / ratio) / CROP)
    rows = along if item.height > item.width else across
    return framed(numbers, (along * across + 1) * each + 1 + (rows + 1) * math.isqrt(each))


def masked_crops(item: Item, numbers: Numbers, beside: Beside) -> Iterator[Run]:
    """Return the features of crops without the border, one more for each row, and the whole: Phi-4-multimodal."""
    size, patch, most = numbers.whole("size"), numbers.whole("patch_size"), numbers.whole("dynamic_hd", most=MOST_TILES)
    columns, rows = math.ceil(item.width / size), math.ceil(item.height / size)
    if columns * rows > most:
        columns, rows = nearest_ratio(item.height, item.width, size, 1, most)
    wide, tall = size * columns, size * rows
    by_width, by_height = wide / item.width, tall / item.height
    used_wide, used_tall = wide, tall
    if by_width < by_height:
        used_tall = int(item.height * by_width)
    else:
        used_wide = int(item.width * by_height)
    if min(used_wide, used_tall) < NARROWEST:
        msg = f"{item.width} × {item.height} pixels are refused: they become {used_wide} × {used_tall}"
        raise RefusedError(f"{msg}\n  try: an image that is cut, or not as narrow")
    side = size // patch
    lines = _seen(rows, side, (tall - used_tall) // patch)
    across = _seen(columns, side, (wide - used_wide) // patch)
    half = math.ceil(side / 2)
    return framed(numbers, half * half + 1 + lines * across + lines + half)


def _seen(crops: int, side: int, border: int) -> int:
    """Return how many of every second patch, from the first in each crop, are not in the border at the end."""
    seen = crops * side - border
    full, rest = divmod(seen, side)
    return full * math.ceil(side / 2) + math.ceil(rest / 2)
