"""A small view of the whole image, then slices of it at a higher resolution."""

import math
from collections.abc import Iterator

from lect_media.items import Beside, Item
from lect_media.numbers import Numbers
from lect_media.rules.canvases import MOST_TILES
from lect_media.texts import Run, control, plain

MERGED = {"16x": 4, "4x": 2}
"""How many patches become one token, along each side; sides are whole multiples of that."""


def slices(item: Item, numbers: Numbers, beside: Beside) -> Iterator[Run]:
    """Return the number of the image in the request, the view and rows of slices: MiniCPM-V.

    Until 4.5 each has a fixed number of pads, later as many as it has patches.
    """
    size, patch = (item.height, item.width), numbers.whole("patch_size")
    # A grid is (rows, columns).
    grid = _grid(item, numbers) if numbers.yes("slice_mode", True) else None

    def pads(height: int, width: int) -> Run:
        if "image_feature_size" in numbers:
            return control(numbers.text("pad"), numbers.whole("image_feature_size"))
        return control(numbers.text("pad"), (height // patch) * (width // patch) // _merged(numbers) ** 2)

    if numbers.yes("use_image_id", True):
        yield from (
            control(numbers.text("number_start")),
            plain(str(beside.position)),
            control(numbers.text("number_end")),
        )
    view = _resolved(size, numbers, enlarge=grid is None)
    yield from (control(numbers.text("start")), pads(*view), control(numbers.text("end")))
    rows, columns = grid or (0, 0)
    if not grid:
        return
    refined = _whole(item.height, rows) / rows, _whole(item.width, columns) / columns
    piece = (control(numbers.text("slice_start")), pads(*_resolved(refined, numbers, enlarge=True)))
    for row in range(rows):
        yield plain("\n" if row else "")
        for _ in range(columns):
            yield from (*piece, control(numbers.text("slice_end")))


def _merged(numbers: Numbers) -> int:
    return MERGED["4x" if numbers.text("downsample_mode", "16x") == "4x" else "16x"]


def _whole(length: float, unit: int) -> int:
    """Return the nearest multiple of a unit, at least one; a half is rounded to the even one."""
    return max(round(length / unit) * unit, unit)


def _resolved(size: tuple[float, float], numbers: Numbers, *, enlarge: bool) -> tuple[int, int]:
    """Return the size at which something is looked at: of about as many pixels as the resolution squared, or fewer."""
    height, width = size
    side, unit = numbers.whole("scale_resolution"), numbers.whole("patch_size") * _merged(numbers)
    if enlarge or height * width > side * side:
        ratio = width / height
        height = int(side / math.sqrt(ratio))
        width = int(height * ratio)
    return _whole(height, unit), _whole(width, unit)


def _grid(item: Item, numbers: Numbers) -> tuple[int, int] | None:
    """Return the grid whose proportions are nearest to the image's, of about as many slices as it has resolutions."""
    side, most = numbers.whole("scale_resolution"), numbers.whole("max_slice_nums", most=MOST_TILES)
    many = min(math.ceil(item.width * item.height / (side * side)), most)
    if many <= 1:
        return None
    ratio = math.log(item.width / item.height)
    best, smallest = (1, 1), float("inf")
    for count in (many - 1, many, many + 1):
        for columns in (each for each in range(1, count + 1) if 1 < count <= most and count % each == 0):
            apart = abs(ratio - math.log(columns / (count // columns)))
            if apart < smallest:
                best, smallest = (count // columns, columns), apart
    return best
