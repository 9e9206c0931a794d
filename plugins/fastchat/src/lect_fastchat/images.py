"""Images in a conversation: an address, or an object with the fields that FastChat's has. Nothing is ever fetched."""

from __future__ import annotations

from enum import IntEnum
from io import BytesIO
from typing import Any, Self

from lect.errors import MessageError

FILE_TYPES = ("png", "gif", "webp")
LONGEST_EDGE = 1024
"""In pixels, of an image that is made ready for a conversation."""


class ImageFormat(IntEnum):
    """How an image is given."""

    URL = 1
    LOCAL_FILEPATH = 2
    PIL_IMAGE = 3
    BYTES = 4
    DEFAULT = 5


class Image:
    """An image, by its address, as a local file or as Base64.

    Args:
        url: Its address, or the path of its file.
        filetype: `png`, `jpeg`, ...
        image_format: Which of them it is.
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
        # As FastChat's: its ChatGLM style writes it into the prompt.
        fields = ("url", "filetype", "image_format", "base64_str")
        return f"Image({', '.join(f'{field}={getattr(self, field)!r}' for field in fields)})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Image) and all(
            getattr(self, field) == getattr(other, field) for field in self.__slots__
        )

    __hash__ = None  # type: ignore[assignment]

    def convert_image_to_base64(self) -> str:
        """Return the image as Base64; a local file is read, and converted to PNG.

        Raises:
            MessageError: If only its address is known, or Pillow, which reads a file, is not installed.
        """
        if self.image_format != ImageFormat.LOCAL_FILEPATH:
            blob(self)  # it says why there are no bytes
            return self.base64_str
        return _base64(_png(_opened(self.url)))

    def to_openai_image_format(self) -> str:
        """Return the address of the image for OpenAI: its own, or a `data:` URL. A local file is read.

        Raises:
            MessageError: If it has another format.
        """
        if self.image_format == ImageFormat.LOCAL_FILEPATH:
            self.base64_str = self.convert_image_to_base64()
        elif self.image_format not in (ImageFormat.URL, ImageFormat.BYTES):
            raise MessageError(f"the format {self.image_format!r} of an image has no address\n  try: ImageFormat.BYTES")
        return address(self)

    def resize_image_and_return_image_in_bytes(
        self, image: Any, max_image_size_mb: float | None
    ) -> tuple[str, BytesIO]:
        """Return the type and the bytes of a Pillow image as PNG, made smaller if it is too large.

        Its longest edge has at most 1,024 pixels. If it then has more than `max_image_size_mb`, both edges shrink once
        more, in the ratio of the square roots.
        """
        shortest, longest = sorted(image.size)
        ratio = longest / shortest
        short_edge = int(min(LONGEST_EDGE / ratio, shortest))
        long_edge = int(short_edge * ratio)
        if long_edge != longest:
            is_tall = image.height > image.width
            image = image.resize((short_edge, long_edge) if is_tall else (long_edge, short_edge))
        written = _png(image)
        most = (max_image_size_mb or 0) * 1024 * 1024
        if most and (size := written.tell()) > most:
            written = _png(image.resize(tuple(int(edge * (most / size) ** 0.5) for edge in image.size)))
        if most:
            written.seek(0)
        return "png", written

    def convert_url_to_image_bytes(self, max_image_size_mb: float | None) -> tuple[str, str]:
        """Read the local file at `url`; return its type and its bytes as Base64, made smaller if it is too large.

        Raises:
            MessageError: If Pillow, or for SVG cairosvg, is not installed.
        """
        kind, written = self.resize_image_and_return_image_in_bytes(_opened(self.url), max_image_size_mb)
        return kind, _base64(written)

    def to_conversation_format(self, max_image_size_mb: float | None) -> Self:
        """Replace the local file at `url` by its bytes, made smaller if it is too large; return the image itself."""
        self.filetype, self.base64_str = self.convert_url_to_image_bytes(max_image_size_mb=max_image_size_mb)
        self.image_format = ImageFormat.BYTES
        return self


def _opened(path: str) -> Any:
    """Return a local file as a Pillow image."""
    pillow = _module("PIL.Image", "pillow")
    if path.endswith(".svg"):
        with open(path, "rb") as file:
            drawn = _module("cairosvg", "cairosvg").svg2png(bytestring=file.read())
        return pillow.open(BytesIO(drawn)).convert("RGBA")
    with pillow.open(path) as image:
        return image.convert("RGBA")


def _module(name: str, package: str) -> Any:
    from importlib import import_module

    try:
        return import_module(name)
    except ImportError:
        raise MessageError(f"reading the pixels of this image needs {package}\n  try: pip install {package}") from None


def _png(image: Any) -> BytesIO:
    written = BytesIO()
    image.save(written, format="PNG")
    return written


def _base64(written: BytesIO) -> str:
    import base64

    return base64.b64encode(written.getvalue()).decode()


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
    if is_address(picture) and not picture.base64_str:
        raise MessageError(
            f"only the address of an image is known, {picture.url!r}, and nothing is fetched\n"
            "  try: Image(filetype='png', base64_str=...)"
        )
    return {"mime_type": f"image/{picture.filetype}", "data": base64.b64decode(picture.base64_str)}


def fingerprint(image: Any) -> Any:
    """Return the MD5 hash of the pixels of an image; for an address, the image itself, as nothing is fetched.

    Raises:
        MessageError: If Pillow, which reads the pixels, is not installed.
    """
    if is_address(image):
        return image
    import hashlib

    with _module("PIL.Image", "pillow").open(BytesIO(blob(image)["data"])) as pixels:
        return hashlib.md5(pixels.tobytes(), usedforsecurity=False).hexdigest()
