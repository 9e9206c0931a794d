"""The size of an image, from the first bytes of its file: PNG, JPEG, WebP and GIF."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from typing import BinaryIO, NamedTuple

from lect.errors import SourceError

MOST_PIECES = 10_000
"""How many chunks or segments of a file are passed over."""
LONGEST_EXIF = 1 << 16
SIDEWAYS = (5, 6, 7, 8)
"""The orientations in which an image is shown with its sides exchanged."""
FRAME_MARKERS = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
"""The segments of a JPEG that state the size: of every way of coding, progressive ones too."""
BARE_MARKERS = frozenset({0x01, *range(0xD0, 0xD8)})
"""The segments of a JPEG without contents."""


class Size(NamedTuple):
    """The size of an image as it is shown."""

    height: int
    """In pixels."""
    width: int
    """In pixels."""


def read_size(file: BinaryIO) -> Size | None:
    """Return the size of an image; None if its format is not one of those that are known here.

    Raises:
        SourceError: If its header is cut off, or is impossible.
    """
    start = file.read(12)
    for magic, reader in READERS:
        if start.startswith(magic) and (magic != b"RIFF" or start[8:] == b"WEBP"):
            size, orientation = reader(file)
            if min(size) < 1:
                raise SourceError(f"its header states {size.width} × {size.height} pixels")
            return Size(size.width, size.height) if orientation in SIDEWAYS else size
    return None


def _png(file: BinaryIO) -> tuple[Size, int]:
    file.seek(8)
    head = _exactly(file, 25)
    if head[:8] != b"\0\0\0\rIHDR" or zlib.crc32(head[4:21]) != int.from_bytes(head[21:]):
        raise SourceError("it is a PNG whose header is damaged")
    size = Size(int.from_bytes(head[12:16]), int.from_bytes(head[8:12]))
    for _ in range(MOST_PIECES):
        chunk = file.read(8)
        length, name = int.from_bytes(chunk[:4]), chunk[4:]
        if len(chunk) < 8 or name == b"IDAT":
            break
        if name == b"eXIf":
            return size, _orientation(file.read(min(length, LONGEST_EXIF)))
        file.seek(length + 4, 1)
    return size, 1


def _jpeg(file: BinaryIO) -> tuple[Size, int]:
    file.seek(2)
    orientation = 1
    for _ in range(MOST_PIECES):
        marker = _marker(file)
        if marker in BARE_MARKERS:
            continue
        length = int.from_bytes(_exactly(file, 2)) - 2
        if length < 0 or marker in (0xD9, 0xDA):
            break
        if marker in FRAME_MARKERS:
            frame = _exactly(file, 5)
            return Size(int.from_bytes(frame[1:3]), int.from_bytes(frame[3:5])), orientation
        after = file.tell() + length
        if marker == 0xE1 and _exactly(file, min(length, 6)) == b"Exif\0\0":
            orientation = _orientation(file.read(min(length - 6, LONGEST_EXIF)))
        file.seek(after)
    raise SourceError("it is a JPEG without a segment that states its size")


def _marker(file: BinaryIO) -> int:
    """Return the marker of the next segment; any number of bytes 0xFF may precede it."""
    if _exactly(file, 1) != b"\xff":
        raise SourceError("it is a JPEG with something else where a segment begins")
    for _ in range(MOST_PIECES):
        marker = _exactly(file, 1)[0]
        if marker != 0xFF:
            return marker
    raise SourceError("it is a JPEG that is filled up with nothing")


def _webp(file: BinaryIO) -> tuple[Size, int]:
    head = _exactly(file, 8)
    kind, length = head[:4], int.from_bytes(head[4:], "little")
    if kind == b"VP8 ":
        frame = _exactly(file, 10)
        if frame[3:6] != b"\x9d\x01\x2a":
            raise SourceError("it is a WebP whose first frame is damaged")
        # The two highest bits are a scale, which only players use.
        width, height = (int.from_bytes(frame[at : at + 2], "little") & 0x3FFF for at in (6, 8))
        return Size(height, width), 1
    if kind == b"VP8L":
        frame = _exactly(file, 5)
        if frame[0] != 0x2F:
            raise SourceError("it is a WebP whose first frame is damaged")
        bits = int.from_bytes(frame[1:], "little")
        return Size((bits >> 14 & 0x3FFF) + 1, (bits & 0x3FFF) + 1), 1
    if kind != b"VP8X":
        raise SourceError("it is a WebP that begins with neither of its three kinds of header")
    frame = _exactly(file, 10)
    width, height = (int.from_bytes(frame[at : at + 3], "little") + 1 for at in (4, 7))
    size = Size(height, width)
    has_exif = frame[0] & 0x08
    file.seek(length - 10 + length % 2, 1)
    for _ in range(MOST_PIECES if has_exif else 0):
        chunk = file.read(8)
        if len(chunk) < 8:
            break
        length = int.from_bytes(chunk[4:], "little")
        if chunk[:4] == b"EXIF":
            return size, _orientation(file.read(min(length, LONGEST_EXIF)).removeprefix(b"Exif\0\0"))
        file.seek(length + length % 2, 1)
    return size, 1


def _gif(file: BinaryIO) -> tuple[Size, int]:
    file.seek(6)
    screen = _exactly(file, 4)
    return Size(int.from_bytes(screen[2:], "little"), int.from_bytes(screen[:2], "little")), 1


def _orientation(exif: bytes) -> int:
    """Return the orientation that a camera has stated; 1, which is upright, if it has not."""
    order: str | None = {b"II*\0": "little", b"MM\0*": "big"}.get(exif[:4])
    if order is None:
        return 1

    def number(at: int, length: int) -> int:
        return int.from_bytes(exif[at : at + length], "little" if order == "little" else "big")

    table = number(4, 4)
    for at in range(table + 2, table + 2 + 12 * number(table, 2), 12):
        if at >= len(exif):
            break
        if number(at, 2) == 0x0112:
            return number(at + 8, 2)
    return 1


def _exactly(file: BinaryIO, length: int) -> bytes:
    data = file.read(length)
    if len(data) < length:
        raise SourceError("it ends before its header does")
    return data


READERS: tuple[tuple[bytes, Callable[[BinaryIO], tuple[Size, int]]], ...] = (
    (b"\x89PNG\r\n\x1a\n", _png),
    (b"\xff\xd8", _jpeg),
    (b"RIFF", _webp),
    (b"GIF87a", _gif),
    (b"GIF89a", _gif),
)
