"""How notebooks show the values of lect: as an installed package draws them."""

from collections.abc import Callable
from typing import Any

from lect.errors import PluginError

functions: list[Callable[[str], Callable[[Any], str | None]]] = []
"""What returns a function of `lect` by its name: `lect` itself puts it here, which is above all that is shown."""


def picture(value: Any) -> str | None:
    """Return a value as HTML; None if nothing installed draws it."""
    try:
        return functions[0]("picture")(value)
    except PluginError:
        return None
