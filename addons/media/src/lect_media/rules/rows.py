"""Rows of patches, each ended by a token of its own."""

import math
from collections.abc import Iterator

from lect.errors import RefusedError
from lect_media.items import Beside, Item
from lect_media.numbers import Numbers
from lect_media.texts import Run, control

MOST_ROWS = 10_000


def rows(item: Item, numbers: Numbers, beside: Beside) -> Iterator[Run]:
    """Return a row for each line of patches, whose longest side is bounded: Pixtral, Mistral 3."""
    patch = numbers.whole("patch_size") * numbers.whole("spatial_merge_size", 1)
    height, width, longest = item.height, item.width, numbers.edge("longest_edge")
    shrunk = max(height / longest, width / longest)
    if shrunk > 1:
        height, width = math.floor(height / shrunk), math.floor(width / shrunk)
    lines, columns = -(-height // patch), -(-width // patch)
    if not lines or not columns or lines > MOST_ROWS:
        msg = f"{item.width} × {item.height} pixels are refused: scaled to {longest} pixels, they have {lines} rows"
        raise RefusedError(f"{msg} of {columns} patches\n  try: an image that is cut, or not as narrow")
    for line in range(lines):
        yield control(numbers.text("pad"), columns)
        yield control(numbers.text("row_end" if line < lines - 1 else "end"))
