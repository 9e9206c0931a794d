"""Images in a conversation: an address, or an object with the fields that FastChat's has. Nothing is ever fetched."""

from __future__ import annotations

from enum import Enum
from typing import Any

from lect.errors import MessageError

FILE_TYPES = ("png", "gif", "webp")


class ImageFormat(Enum):
    """How an image is given."""

    URL = 1
    LOCAL_FILEPATH = 2
    PIL_IMAGE = 3
    BYTES = 4
    DEFAULT = 5


class Image:
    """An image, by its address or as Base64.

    Args:
        url: Its address.
        filetype: `png`, `jpeg`, ...
        image_format: Which of the two it is.
        base64_str: Its bytes as Base64.
    """

    __slots__ = ("base64_str", "filetype", "image_format", "url")

    def __init__(
        self, url: str = "", filetype: str = "", image_format: ImageFormat = ImageFormat.BYTES, base64_str: str = ""
    ):
        self.url = url
        self.filetype = filetype
        self.image_format = image_format
        self.base64_str = base64_str

    def __repr__(self) -> str:
        what = (
            repr(self.url) if self.image_format is ImageFormat.URL else f"{len(self.base64_str)} characters of Base64"
        )
        return f"<Image {self.filetype or 'of unknown type'}: {what}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Image) and all(
            getattr(self, field) == getattr(other, field) for field in self.__slots__
        )

    __hash__ = None  # type: ignore[assignment]


def as_image(image: Any) -> Any:
    """Return an object with the fields of `Image`; for an address, a new one.

    Raises:
        MessageError: If it is neither.
    """
    if isinstance(image, str):
        kind, comma, data = image.partition(",")
        if comma and kind.startswith("data:image/") and kind.endswith(";base64"):
            return Image(filetype=kind.removeprefix("data:image/").removesuffix(";base64"), base64_str=data)
        ending = image.partition("?")[0].rpartition(".")[2].lower()
        return Image(image, ending if ending in FILE_TYPES else "jpeg", ImageFormat.URL)
    if all(hasattr(image, field) for field in Image.__slots__):
        return image
    msg = f"{image!r} is not an image\n  try: an address, a data: URL, or Image(filetype='png', base64_str=...)"
    raise MessageError(msg)


def is_address(image: Any) -> bool:
    """Return whether an image is given by its address.

    Other packages' image classes have their own enumeration, with the same names.
    """
    name = getattr(as_image(image).image_format, "name", "")
    return str(name) == ImageFormat.URL.name


def address(image: Any) -> str:
    """Return the address of an image: its own, or a `data:` URL."""
    if isinstance(image, str):
        return image
    picture = as_image(image)
    return str(picture.url) if is_address(picture) else f"data:image/{picture.filetype};base64,{picture.base64_str}"


def blob(image: Any) -> dict[str, Any]:
    """Return the type and the bytes of an image.

    Raises:
        MessageError: If only its address is known.
    """
    import base64

    picture = as_image(image)
    if is_address(picture):
        msg = (
            f"only the address of an image is known, {picture.url!r}, and nothing is fetched\n"
            "  try: Image(filetype='png', base64_str=...)"
        )
        raise MessageError(msg)
    return {"mime_type": f"image/{picture.filetype}", "data": base64.b64decode(picture.base64_str)}


def fingerprint(image: Any) -> Any:
    """Return the MD5 hash of the pixels of an image; for an address, the image itself, as nothing is fetched.

    Raises:
        MessageError: If Pillow, which reads the pixels, is not installed.
    """
    if is_address(image):
        return image
    try:
        from PIL import Image as Pillow
    except ImportError:
        msg = "hashing an image means reading its pixels, which needs Pillow\n  try: pip install pillow"
        raise MessageError(msg) from None
    import hashlib
    import io

    with Pillow.open(io.BytesIO(blob(image)["data"])) as pixels:
        return hashlib.md5(pixels.tobytes(), usedforsecurity=False).hexdigest()
