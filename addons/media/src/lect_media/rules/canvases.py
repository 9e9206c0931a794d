"""Which grid of tiles suits an image best. A grid is (columns, rows)."""

from __future__ import annotations

import struct
from functools import lru_cache

Grid = tuple[int, int]
MOST_TILES = 1000
COVERED = 0.9
"""How much of an image must be seen at full size, for a grid to be enough."""


@lru_cache(maxsize=16)
def grids(least: int, most: int) -> tuple[Grid, ...]:
    """Return all grids of so many tiles, from few tiles to many, and of as many tiles from narrow to wide."""
    return tuple(
        (columns, tiles // columns)
        for tiles in range(least, most + 1)
        for columns in range(1, tiles + 1)
        if tiles % columns == 0
    )


def nearest_ratio(height: int, width: int, tile: int, least: int, most: int) -> Grid:
    """Return the grid whose proportions are nearest to the image's: of equal ones a larger, if the image fills half."""
    ratio, area = width / height, width * height
    best, smallest = (1, 1), float("inf")
    for columns, rows in grids(least, most):
        apart = abs(ratio - columns / rows)
        if apart < smallest or (apart == smallest and area > 0.5 * tile * tile * columns * rows):
            best, smallest = (columns, rows), apart
    return best


def least_enlarged(height: int, width: int, tile: int, most: int) -> Grid:
    """Return the grid into which the image fits with the least enlargement, or else with the least reduction."""
    scales = {(columns, rows): min(columns * tile / width, rows * tile / height) for columns, rows in grids(1, most)}
    enlarging = {grid: scale for grid, scale in scales.items() if scale >= 1}
    # Of equal ones the first, which has the fewest tiles.
    return min(enlarging, key=lambda grid: enlarging[grid]) if enlarging else max(scales, key=lambda grid: scales[grid])


def covering(height: int, width: int, tile: int, most: int) -> Grid:
    """Return the smallest grid that shows nearly all of the image at full size, or else the one that shows most."""
    shown = {grid: _shown(height, width, tile, grid) for grid in grids(1, most)}
    enough = [grid for grid in shown if shown[grid] > COVERED]
    if enough:
        return min(enough, key=lambda grid: (grid[0] * grid[1], -shown[grid]))
    return min(shown, key=lambda grid: (-shown[grid], grid[0] * grid[1]))


def _shown(height: int, width: int, tile: int, grid: Grid) -> float:
    """Return the share of an image that tiles show; the first number of a grid divides the height here."""
    tall, wide = height // grid[0], width // grid[1]
    heights = [tall] * (grid[0] - 1) + [height - tall * (grid[0] - 1)]
    widths = [wide] * (grid[1] - 1) + [width - wide * (grid[1] - 1)]
    area: float = 0
    for high in heights:
        for across in widths:
            longer, shorter = max(high, across), min(high, across)
            area += tile * (shorter / longer * tile) if longer > tile else longer * shorter
    return area / (width * height)


def scaled_least(height: int, width: int, tile: int, most: int, *, enlarge: bool) -> Grid:
    """Return the grid that scales the image up least, or with `enlarge` most; if all are smaller, least down."""
    canvases: dict[float, list[Grid]] = {}
    for tiles in range(most, 0, -1):
        for rows in (each for each in range(1, tiles + 1) if tiles % each == 0):
            canvases.setdefault(rows * rows / tiles, []).append((tiles // rows, rows))
    scales = {
        grid: min(_single(grid[0] * tile, width), _single(grid[1] * tile, height))
        for alike in canvases.values()
        for grid in alike
    }
    up = [scale for scale in scales.values() if scale >= 1]
    chosen = (max if enlarge else min)(up) if up else max(scales.values())
    return min((grid for grid in scales if scales[grid] == chosen), key=lambda grid: grid[0] * grid[1])


def _single(number: int, by: int) -> float:
    """Return a quotient in single precision, in which its maker compares scales."""
    found: float = struct.unpack("f", struct.pack("f", number / by))[0]
    return found
