"""The functions of lect that are in packages of their own."""

from collections.abc import Callable
from contextlib import suppress
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


def own_numbers(template: Any, place: str | None) -> Any:
    """Return a template with what a model's own files say of its images, by `lect-media`."""
    with suppress(PluginError):
        return function("own_numbers")(template, place) if place and template.media else template
    return template


def picture(value: Any) -> str | None:
    """Return a value as HTML, which a notebook shows; None if nothing installed draws it."""
    drawn: str | None = None
    with suppress(PluginError):
        drawn = function("picture")(value)
    return drawn
