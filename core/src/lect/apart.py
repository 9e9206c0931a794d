"""The functions of lect that are in packages of their own."""

from collections.abc import Callable
from typing import Any

from lect.errors import PluginError

functions: list[Callable[[str], Callable[..., Any]]] = []
"""What returns one by its name: `lect` itself puts it here, which is above all that calls them."""


def function(name: str) -> Callable[..., Any]:
    """Return a function of `lect` that is in a package of its own.

    Raises:
        PluginError: If the package is not installed.
    """
    return functions[0](name)


def picture(value: Any) -> str | None:
    """Return a value as HTML, which a notebook shows; None if nothing installed draws it."""
    try:
        drawn: str | None = function("picture")(value)
    except PluginError:
        return None
    return drawn
