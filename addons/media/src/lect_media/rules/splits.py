"""Squares of a grid, each with its row and column in a token, then the whole image."""

import math
from collections.abc import Iterator

from lect.errors import LimitError
from lect_media.items import Beside, Item
from lect_media.numbers import Numbers
from lect_media.rules.canvases import MOST_TILES
from lect_media.texts import Run, control, plain

LONGEST = 4096
"""No image is made longer than that, in pixels."""


def splits(item: Item, numbers: Numbers, beside: Beside) -> Iterator[Run]:
    """Return the squares of an image, enlarged to the longest side that the model takes: SmolVLM, Idefics 3."""
    rows, columns = _grid(item, numbers) if numbers.yes("do_image_splitting", True) else (0, 0)
    around = control(numbers.text("around"))
    pads = control(numbers.text("pad"), numbers.whole("image_seq_len"))
    for row in range(1, rows + 1):
        for column in range(1, columns + 1):
            yield from (around, control(f"<row_{row}_col_{column}>"), pads)
        yield plain("\n")
    yield plain("\n" if rows else "")
    yield from (around, control(numbers.text("whole")), pads, around)


def _grid(item: Item, numbers: Numbers) -> tuple[int, int]:
    """Return rows and columns; none if the image is one square."""
    square = numbers.whole("max_image_size")
    height, width = _lengthened(item.height, item.width, numbers.edge("longest_edge"))
    ratio = width / height
    # The longer side is rounded up to squares, and the other follows it before it is.
    if width >= height:
        width = math.ceil(width / square) * square
        height = math.ceil(int(width / ratio) / square) * square
    else:
        height = math.ceil(height / square) * square
        width = math.ceil(int(height * ratio) / square) * square
    if height <= square and width <= square:
        return 0, 0
    rows, columns = height // square, width // square
    if rows * columns > MOST_TILES:
        raise LimitError(f"{rows} × {columns} squares are more than {MOST_TILES:,}\n  try: a smaller longest_edge")
    return rows, columns


def _lengthened(height: int, width: int, longest: int) -> tuple[int, int]:
    """Return the size with that longest side: the other one is even, and neither is longer than `LONGEST`."""
    ratio = width / height
    if width >= height:
        height, width = int(longest / ratio), longest
        height += height % 2
    else:
        height, width = longest, int(longest * ratio)
        width += width % 2
    height, width = max(height, 1), max(width, 1)
    ratio = width / height
    if width >= height and width > LONGEST:
        height, width = int(LONGEST / ratio), LONGEST
    elif height > width and height > LONGEST:
        height, width = LONGEST, int(LONGEST * ratio)
    return max(height, 1), max(width, 1)
