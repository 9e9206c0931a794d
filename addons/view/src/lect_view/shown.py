"""Which view shows what."""

from __future__ import annotations

from typing import TYPE_CHECKING

import lect
from lect.errors import MessageError, saferepr
from lect.plugin import boundary
from lect_view.compare import show_two, word_diff
from lect_view.page import View, document, fragment
from lect_view.reply import Recorded, Step, record

if TYPE_CHECKING:
    Shown = lect.Prompt | lect.Encoded | lect.Reply | lect.Resolution | Recorded

__all__ = ["Recorded", "Step", "html", "picture", "record", "word_diff"]

MOST_SHOWN = 50_000
"""In characters: a notebook stores what it shows."""


@boundary
def html(shown: Shown, *, against: lect.Prompt | None = None) -> str:
    """Return an HTML document: readable without scripts, colours or a network, in light and dark, and printable.

    Args:
        shown: A prompt, an encoded prompt, a reply, a resolution, or what `record` returns.
        against: Another prompt, to see both side by side, with the first difference marked.

    Raises:
        MessageError: If it is something else, or an encoding from another process, where its text stayed.
    """
    if against is None:
        view = view_of(shown)
    elif isinstance(shown, lect.Prompt) and isinstance(against, lect.Prompt):
        view = show_two(shown, against)
    else:
        raise MessageError("only two prompts can be shown side by side\n  try: html(prompt, against=other)")
    if view is None:
        hint = "a Prompt, an Encoded of this process, a Reply or a Resolution"
        raise MessageError(f"{saferepr(shown)} cannot be shown\n  try: {hint}")
    return document(view)


@boundary
def picture(shown: Shown) -> str | None:
    """Return the same for a notebook, up to 50,000 characters of text; None for what cannot be shown."""
    view = view_of(shown, MOST_SHOWN)
    return None if view is None else fragment(view)


def view_of(shown: object, most: int | None = None) -> View | None:
    """Return the view of a value; None for what cannot be shown."""
    if isinstance(shown, lect.Prompt | lect.Encoded):
        from lect_view.prompt import show_encoded, show_prompt

        return show_prompt(shown, most) if isinstance(shown, lect.Prompt) else show_encoded(shown, most)
    if isinstance(shown, lect.Reply | Recorded):
        from lect_view.reply import show_recorded, show_reply

        return show_reply(shown, most) if isinstance(shown, lect.Reply) else show_recorded(shown)
    if isinstance(shown, lect.Resolution):
        from lect_view.resolution import show_resolution

        return show_resolution(shown)
    return None
