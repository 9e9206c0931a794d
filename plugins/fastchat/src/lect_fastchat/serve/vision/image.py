"""What people import from `fastchat.serve.vision.image`."""

from lect_fastchat.images import Image, ImageFormat

__all__ = ["Image", "ImageFormat"]
