"""How notebooks show the values of lect: as an installed package draws them."""

from typing import Any

from lect.apart import function
from lect.errors import PluginError


def picture(value: Any) -> str | None:
    """Return a value as HTML; None if nothing installed draws it."""
    try:
        drawn: str | None = function("picture")(value)
    except PluginError:
        return None
    return drawn
