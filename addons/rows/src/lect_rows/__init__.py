"""Rows of data sets: their messages as OpenAI has them, and all that they say beside them."""

from lect_rows.media import MEDIA_COLUMNS
from lect_rows.read import messages, row

__all__ = ["MEDIA_COLUMNS", "messages", "row"]
