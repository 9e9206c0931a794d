"""Square windows that are moved over an image, then the whole."""

from collections.abc import Iterator

from lect.errors import LimitError
from lect_media.items import Beside, Item
from lect_media.numbers import Numbers
from lect_media.rules.canvases import MOST_TILES
from lect_media.texts import Run, control

THIN, THIN_RATIO = 32, 4
"""What is thinner, in pixels, and longer than so many times that, is made square first."""
LONG_RATIO = 1.5
"""A small image has windows only if it is longer than so many times its width."""
ENOUGH = 0.2
"""How much of one more window must be filled for it to be there."""


def windows(item: Item, numbers: Numbers, beside: Beside) -> Iterator[Run]:
    """Return the windows of an image, row by row, then the whole: Step3-VL and Step 3.7."""
    stride = numbers.whole("vision_patch_size") * numbers.whole("downsampler_stride")
    columns, rows = _grid(item, numbers)
    if columns * rows > MOST_TILES:
        raise LimitError(f"{rows} × {columns} windows are more than {MOST_TILES:,}\n  try: a smaller max_image_size")
    pads = control(numbers.text("pad"), (numbers.whole("patch_size") // stride) ** 2)
    for row in range(rows):
        for _ in range(columns):
            yield from (control(numbers.text("window_start")), pads, control(numbers.text("window_end")))
        yield control(numbers.text("row_end") if row < rows - 1 else "")
    yield control(numbers.text("start"))
    yield control(numbers.text("pad"), (numbers.whole("size") // stride) ** 2)
    yield control(numbers.text("end"))


def _grid(item: Item, numbers: Numbers) -> tuple[int, int]:
    """Return the columns and rows of windows; none if the whole is enough."""
    width, height = item.width, item.height
    if min(width, height) < THIN and max(width, height) / min(width, height) > THIN_RATIO:
        width = height = max(width, height)
    most = numbers.whole("max_image_size")
    if max(width, height) > most:
        scale = most / max(width, height)
        width, height = int(width * scale), int(height * scale)
    shorter, longer = max(min(width, height), 1), max(width, height)
    window = numbers.whole("patch_size")
    if longer <= numbers.whole("size"):
        window = shorter if longer / shorter > LONG_RATIO else 0
    elif longer / shorter > THIN_RATIO:
        window = min(shorter, window)
    if not window:
        return 0, 0
    columns, rows = (
        max(1, side // window + (side >= window and side % window > ENOUGH * window)) for side in (width, height)
    )
    return columns, rows
