"""The kinds of rule: each returns the text of one item, from its size, its maker's numbers and what is beside it."""

from collections.abc import Callable, Iterator

from lect_media.items import Beside, Item
from lect_media.numbers import Numbers
from lect_media.rules.budget import budget, limited, native, nearest
from lect_media.rules.crops import lined_crops, masked_crops, pan_and_scan
from lect_media.rules.fixed import fixed, square
from lect_media.rules.grid import grid, grid_lines, grid_over_time
from lect_media.rules.rows import rows
from lect_media.rules.slices import slices
from lect_media.rules.sounds import chunked_sound, compressed_sound, padded_sound, whole_frames
from lect_media.rules.splits import splits
from lect_media.rules.tiles import (
    ended_tiles,
    lined_tiles,
    named_tiles,
    separated_tiles,
    tile_frames,
    tile_rows,
    tiles,
    whole_and_tiles,
)
from lect_media.rules.views import lined_views, pooled_frames, views, views_or_one
from lect_media.rules.windows import windows
from lect_media.texts import Run

Rule = Callable[[Item, Numbers, Beside], Iterator[Run]]
RULES: dict[str, Rule] = {
    rule.__name__: rule
    for rule in (
        budget, chunked_sound, compressed_sound, ended_tiles, fixed, grid, grid_lines, grid_over_time, limited,
        lined_crops, lined_tiles, lined_views, masked_crops, named_tiles, native, nearest, padded_sound, pan_and_scan,
        pooled_frames, rows, separated_tiles, slices, splits, square, tile_frames, tile_rows, tiles, views,
        views_or_one, whole_and_tiles, whole_frames, windows,
    )
}  # fmt: skip
"""Them all by the names that families state."""
