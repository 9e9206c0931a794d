"""Tiles: an image is cut into squares of one size, and shown once more as a whole."""

import math
from collections.abc import Iterator

from lect_media.items import Beside, Item
from lect_media.numbers import Numbers
from lect_media.rules.canvases import MOST_TILES, Grid, covering, least_enlarged, nearest_ratio, scaled_least
from lect_media.rules.framed import framed, frames, times
from lect_media.texts import Run, control


def tiles(item: Item, numbers: Numbers, beside: Beside) -> Iterator[Run]:
    """Return the pads of all tiles in one: InternVL."""
    return framed(numbers, numbers.whole("image_seq_length") * _with_whole(*_nearest(item, numbers, "size")))


def tile_frames(item: Item, numbers: Numbers, beside: Beside) -> Iterator[Run]:
    """Return one tile for each frame of a video: InternVL."""
    return frames(numbers, numbers.whole("image_seq_length"), times(item, numbers))


def named_tiles(item: Item, numbers: Numbers, beside: Beside) -> Iterator[Run]:
    """Return the pads of each tile after the tile's name: Aya Vision."""
    grid = _nearest(item, numbers, "img_size")
    side = numbers.whole("img_size") // (numbers.whole("patch_size") * numbers.whole("downsample_factor", 1))
    yield control(numbers.text("start"))
    for number in range(1, _with_whole(*grid)):
        yield control(f"{numbers.text('tile')}_{number}")
        yield control(numbers.text("pad"), side * side)
    yield control(numbers.text("whole"))
    yield control(numbers.text("pad"), side * side)
    yield control(numbers.text("end"))


def ended_tiles(item: Item, numbers: Numbers, beside: Beside) -> Iterator[Run]:
    """Return the pads of each tile and a token that ends it: Command A Vision."""
    grid = (1, 1)
    if numbers.yes("crop_to_patches", True):
        grid = least_enlarged(
            item.height, item.width, numbers.whole("size"), numbers.whole("max_patches", most=MOST_TILES)
        )
    yield control(numbers.text("start"))
    for _ in range(_with_whole(*grid)):
        yield control(numbers.text("pad"), numbers.whole("patch_size") ** 2)
        yield control(numbers.text("tile_end"))
    yield control(numbers.text("end"))


def tile_rows(item: Item, numbers: Numbers, beside: Beside) -> Iterator[Run]:
    """Return the whole image, then rows of tiles: Ovis2."""
    most, grid = numbers.whole("max_patches", most=MOST_TILES), (1, 1)
    if numbers.yes("crop_to_patches", True) and most > 1:
        if numbers.yes("use_covering_area_grid", True):
            grid = covering(item.height, item.width, numbers.whole("size"), most)
        else:
            grid = _nearest(item, numbers, "size")
    pads = control(numbers.text("pad"), numbers.whole("image_seq_length"))
    yield from (control(numbers.text("start")), pads, control(numbers.text("tiles")))
    columns, rows = grid
    for row in range(rows if columns * rows > 1 else 0):
        yield control(numbers.text("row") if row else "")
        for column in range(columns):
            yield control(numbers.text("column") if column else "")
            yield pads
    yield control(numbers.text("end"))


def whole_and_tiles(item: Item, numbers: Numbers, beside: Beside) -> Iterator[Run]:
    """Return the pads of the whole image and of smaller tiles, and one: DeepSeek-OCR 2."""
    tile, columns, rows = numbers.whole("tile_size"), 0, 0
    if numbers.yes("crop_to_patches", True) and max(item.height, item.width) > tile:
        least, most = _least_and_most(numbers)
        columns, rows = nearest_ratio(item.height, item.width, tile, least, most)

    def queries(side: int) -> int:
        return math.ceil(side / numbers.whole("patch_size") / numbers.whole("downsample_ratio")) ** 2

    return framed(numbers, queries(numbers.whole("size")) + queries(tile) * columns * rows + 1)


def lined_tiles(item: Item, numbers: Numbers, beside: Beside) -> Iterator[Run]:
    """Return the whole image and smaller tiles with one pad more for each row of pads, and one: DeepSeek-OCR."""
    tile, columns, rows = numbers.whole("tile_size"), 0, 0
    if max(item.height, item.width) > tile:
        columns, rows = nearest_ratio(item.height, item.width, tile, *_least_and_most(numbers))
    return framed(numbers, lined(numbers, numbers.whole("size"), 1, 1) + 1 + lined(numbers, tile, columns, rows))


def lined(numbers: Numbers, side: int, columns: int, rows: int) -> int:
    """Return the pads of tiles that are joined, of which each row of pads has one more."""
    along = math.ceil(side // numbers.whole("patch_size") / numbers.whole("downsample_ratio"))
    return (rows * along) * (columns * along + 1) if rows else 0


def separated_tiles(item: Item, numbers: Numbers, beside: Beside) -> Iterator[Run]:
    """Return rows of tiles with separators, then the whole image: Llama 4."""
    side, most = numbers.whole("size"), numbers.whole("max_patches", most=MOST_TILES)
    enlarge = numbers.yes("resize_to_max_canvas")
    columns, rows = scaled_least(item.height, item.width, side, most, enlarge=enlarge)
    ratio = round(1 / numbers.ratio("pixel_shuffle_ratio") ** 2)
    pads = control(numbers.text("pad"), (side // numbers.whole("patch_size")) ** 2 // ratio)
    yield control(numbers.text("start"))
    for _ in range(rows if columns * rows > 1 else 0):
        for column in range(columns):
            yield control(numbers.text("column") if column else "")
            yield pads
        yield control(numbers.text("row"))
    yield from (control(numbers.text("whole")), pads, control(numbers.text("end")))


def _nearest(item: Item, numbers: Numbers, tile: str) -> Grid:
    if not numbers.yes("crop_to_patches", True):
        return 1, 1
    least, most = _least_and_most(numbers)
    return nearest_ratio(item.height, item.width, numbers.whole(tile), least, most)


def _least_and_most(numbers: Numbers) -> tuple[int, int]:
    return numbers.whole("min_patches", 1, most=MOST_TILES), numbers.whole("max_patches", most=MOST_TILES)


def _with_whole(columns: int, rows: int) -> int:
    """Return the number of tiles, with the whole image as one more where there are several."""
    return columns * rows + (columns * rows > 1)
