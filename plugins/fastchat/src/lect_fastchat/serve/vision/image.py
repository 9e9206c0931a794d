"""What people import from `fastchat.serve.vision.image`."""

from lect.notations.fastchat.images import Image, ImageFormat

__all__ = ["Image", "ImageFormat"]
