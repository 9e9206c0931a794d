"""The size of an image that is given as a path, as bytes or as a data URL. Nothing is ever fetched."""

from __future__ import annotations

import base64
import binascii
import io
import os
import re
from typing import BinaryIO

from lect.errors import LectError, SourceError, saferepr
from lect.plugin import boundary, open_file, read_file
from lect_media.headers import Size, read_size

FIRST = 4 << 20
"""How many bytes of a data URL are decoded: headers are at the beginning."""
LONGEST_NAME = 4096
"""No path is longer; what is, was meant as something else."""
TYPES = {
    b"\x89PNG\r\n\x1a\n": "image/png", b"\xff\xd8": "image/jpeg", b"RIFF": "image/webp", b"GIF8": "image/gif",
}  # fmt: skip
"""How files begin whose headers are read, and what browsers call them."""
IS_REMOTE = re.compile(r"[a-z][a-z0-9+.-]{1,20}://", re.IGNORECASE).match


@boundary
def image_size(image: str | os.PathLike[str] | bytes) -> Size:
    """Return the height and width of an image, as it is shown, from its header.

    Args:
        image: A path, the bytes of a file, or a data URL.

    Raises:
        SourceError: If it cannot be read, or has no size.
    """
    if isinstance(image, bytes | bytearray | memoryview):
        return _measured(io.BytesIO(image), f"an image of {len(image):,} bytes")
    if isinstance(image, str) and image[:5].lower() == "data:":
        return _measured(io.BytesIO(_decoded(image)), f"a data URL of {len(image):,} characters")
    path = os.fspath(image)
    if IS_REMOTE(path):
        raise SourceError(f"{saferepr(path)} is somewhere else, and nothing is fetched\n  try: a path, or its bytes")
    if len(path) > LONGEST_NAME:
        msg = f"a text of {len(path):,} characters is no path\n  try: data:image/png;base64,... for an image in a text"
        raise SourceError(msg)
    try:
        with open_file(os.path.expanduser(path)) as file:
            return _measured(file, saferepr(path))
    except OSError as error:
        msg = f"cannot read {saferepr(path)}: {error.strerror or error}\n  try: the path of an image"
        raise SourceError(msg) from error
    except SourceError as error:
        raise SourceError(str(error) if path in str(error) else f"cannot read {saferepr(path)}: {error}") from error


@boundary
def image_bytes(image: str | os.PathLike[str] | bytes, most: int) -> tuple[str, bytes]:
    """Return the type and the whole contents of an image that is a PNG, a JPEG, a WebP or a GIF, for whoever shows it.

    Args:
        image: As for `image_size`.
        most: How many bytes it may have.

    Raises:
        SourceError: If it is none of these, or larger.
    """
    if isinstance(image, str) and image[:5].lower() == "data:":
        # Base64 takes four characters for three bytes.
        too_large = len(image) > most * 4 // 3 + LONGEST_NAME
        data = b"" if too_large else _decoded(image, len(image))
    elif isinstance(image, bytes | bytearray | memoryview):
        too_large, data = len(image) > most, bytes(image[:most])
    else:
        image_size(image)  # It says what a path cannot be.
        try:
            data = read_file(os.path.expanduser(os.fspath(image)), most)
        except OSError as error:
            raise SourceError(f"cannot read {saferepr(image)}: {error.strerror or error}") from error
        too_large = False
    if too_large or len(data) > most:
        raise SourceError(f"an image is larger than {most:,} bytes\n  try: a smaller one")
    kind = next((kind for magic, kind in TYPES.items() if data.startswith(magic)), "")
    if not kind or read_size(io.BytesIO(data)) is None:
        raise SourceError("an image is no PNG, JPEG, WebP or GIF\n  try: one of these")
    return kind, data


def _measured(file: BinaryIO, what: str) -> Size:
    try:
        size = read_size(file)
    except SourceError as error:
        raise SourceError(f"cannot read {what}: {error}\n  try: a whole image, or width= and height=") from error
    return _by_pillow(file, what) if size is None else size


def _by_pillow(file: BinaryIO, what: str) -> Size:
    """Return the size of an image in any other format."""
    try:
        from PIL import Image
    except ImportError as error:
        msg = f"{what} is no PNG, JPEG, WebP or GIF; reading others needs Pillow\n  try: pip install pillow"
        raise SourceError(msg) from error
    file.seek(0)
    try:
        with Image.open(file) as opened:
            width, height = opened.size
            sideways = opened.getexif().get(0x0112) in (5, 6, 7, 8)
    except LectError:
        raise
    except (Image.DecompressionBombError, Image.DecompressionBombWarning) as error:
        msg = f"cannot read {what}: Pillow refuses it, because it states too many pixels"
        raise SourceError(f"{msg}\n  try: a smaller image, or width= and height=") from error
    except Exception as error:  # Pillow's readers raise anything
        msg = f"cannot read {what}: it is no image that Pillow knows\n  try: a PNG or JPEG, or width= and height="
        raise SourceError(msg) from error
    return Size(width, height) if sideways else Size(height, width)


def _decoded(url: str, most: int = FIRST) -> bytes:
    """Return the first bytes of what is in a data URL."""
    comma = url.find(",", 0, LONGEST_NAME)
    if comma < 0:
        raise SourceError(
            "a data URL has no comma, after which its contents would begin\n  try: data:image/png;base64,..."
        )
    if not url[:comma].lower().endswith(";base64"):
        from urllib.parse import unquote_to_bytes

        return unquote_to_bytes(url[comma + 1 : comma + 1 + 3 * most])
    # Some wrap their lines, and some leave out what fills the last group of four.
    written = "".join(url[comma + 1 : comma + 1 + (most + 2) // 3 * 4].split()).rstrip("=")
    written += "A" * (len(written) % 4 == 1)
    try:
        return base64.b64decode(written + "=" * (-len(written) % 4), altchars=_letters(written), validate=True)
    except (binascii.Error, ValueError) as error:
        raise SourceError(f"a data URL is no base64: {error}\n  try: base64.b64encode(data).decode()") from error


def _letters(written: str) -> bytes:
    """Return the last two letters of the alphabet, of which there are two kinds."""
    return b"-_" if "-" in written or "_" in written else b"+/"
