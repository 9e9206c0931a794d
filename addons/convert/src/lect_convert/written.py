"""What a notation writes, and what is said of what it cannot express."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

from lect.errors import ConversionError
from lect.plugin import Template


class Written(NamedTuple):
    """A template in a notation."""

    text: str
    """The text."""
    lost: Sequence[str] = ()
    """What the notation cannot express of the template, each in a few words."""
    bos: bool = True
    """Whether it writes the template's BOS; else the other tool adds it with its tokenizer."""
    rest: Template | None = None
    """The template without what is lost, if anything is: what the text must say; None for the template itself."""
    options: Collection[str] = ()
    """The options of the template that the text takes too, for a notation with a `renderer`."""


def loss(template: Template, notation: str, lost: Sequence[str], instead: str) -> ConversionError:
    """Return the error for a template that a notation cannot express."""
    return ConversionError(f"{loss_text(template, notation, lost)}\n  try: {instead}", lost=lost)


def loss_text(template: Template, notation: str, lost: Sequence[str]) -> str:
    """Say what is lost of a template in a notation."""
    lines = "".join(f"\n  lost: {each}" for each in lost)
    return f"the notation {notation!r} cannot express all of {template.label!r}{lines}"
