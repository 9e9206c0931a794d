"""Tiny images of each format, made by hand: headers, and as much of the rest as a reader passes over."""

import struct
import zlib


def chunk(name, data):
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def exif(orientation, order="<"):
    """Return what a camera states: one entry, the orientation."""
    mark = {"<": b"II*\0", ">": b"MM\0*"}[order]
    entry = struct.pack(f"{order}HHIHH", 0x0112, 3, 1, orientation, 0)
    return mark + struct.pack(f"{order}IH", 8, 1) + entry + bytes(4)


def png(width, height, *, interlaced=False, orientation=None):
    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, interlaced)
    camera = b"" if orientation is None else chunk(b"eXIf", exif(orientation, ">"))
    pixels = chunk(b"IDAT", zlib.compress(bytes(10)))
    return (
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"gAMA", bytes(4)) + camera + pixels + chunk(b"IEND", b"")
    )


def segment(marker, data):
    return bytes([0xFF, marker]) + struct.pack(">H", len(data) + 2) + data


def jpeg(width, height, *, frame=0xC0, orientation=None, before=b""):
    camera = b"" if orientation is None else segment(0xE1, b"Exif\0\0" + exif(orientation))
    start = b"\xff\xd8" + segment(0xE0, b"JFIF\0" + bytes(9)) + camera + before
    tables = segment(0xDB, bytes(65)) + segment(0xC4, bytes(20))
    stated = segment(frame, struct.pack(">BHHB", 8, height, width, 1) + bytes(3))
    return start + tables + b"\xff\xff" + stated + segment(0xDA, bytes(6)) + b"\0\xff\xd9"


def riff(*chunks):
    body = b"WEBP" + b"".join(
        name + struct.pack("<I", len(data)) + data + bytes(len(data) % 2) for name, data in chunks
    )
    return b"RIFF" + struct.pack("<I", len(body)) + body


def vp8(width, height):
    return b"VP8 ", b"\x30\x01\0\x9d\x01\x2a" + struct.pack("<HH", width, height) + bytes(4)


def vp8l(width, height):
    return b"VP8L", b"\x2f" + ((width - 1) | (height - 1) << 14).to_bytes(4, "little") + bytes(3)


def vp8x(width, height, flags=0):
    sides = (width - 1).to_bytes(3, "little") + (height - 1).to_bytes(3, "little")
    return b"VP8X", bytes([flags, 0, 0, 0]) + sides


def gif(width, height, *, frames=1):
    one = b"\x2c" + struct.pack("<HHHH", 0, 0, 1, 1) + b"\0\x02\x02\x44\x01\0"
    return b"GIF89a" + struct.pack("<HH", width, height) + b"\0\0\0" + one * frames + b";"
