"""The literals that a template writes around the texts of a plain chat, for packages that fill them in themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from lect.prompt.skeleton import Skeleton


class Frame(NamedTuple):
    """What a template writes around the texts of a plain chat with certain roles.

    The prompt is the first literal, a text, the second literal, a text, ..., and the last literal.
    """

    literals: tuple[str, ...]
    """What the template writes before, between and after the texts."""
    order: tuple[int, ...]
    """The index of the message whose text follows each literal but the last. A message may be missing or repeated."""
    edits: tuple[Callable[[str], str] | None, ...]
    """What is done to each of these texts before it is written, such as `str.strip`; None if nothing is."""
    never: tuple[str, ...]
    """Words of the format: if a text of the chat contains one, the frame does not hold."""
    never_empty: bool
    """Whether the frame does not hold if a text is empty, as given or as written."""

    def text(self, texts: Sequence[str]) -> str | None:
        """Return the prompt of a chat with these texts, one for each message; None if the frame does not hold for it.

        Then `Template.text` gives the prompt.
        """
        written = [
            texts[index] if edit is None else edit(texts[index])
            for index, edit in zip(self.order, self.edits, strict=True)
        ]
        if self.never_empty and ("" in texts or "" in written):
            return None
        if any(word in text for word in self.never for text in texts):
            return None
        pieces = [""] * (2 * len(written) + 1)
        pieces[::2] = self.literals
        pieces[1::2] = written
        return "".join(pieces)


def frame_of(skeleton: Skeleton, words: tuple[str, ...]) -> Frame | None:
    """Return a skeleton as a frame; None if it depends on the day, or on which texts are equal."""
    if skeleton.day is not None or skeleton.compares:
        return None
    edits: list[Callable[[str], str] | None] = [None] * len(skeleton.slots)
    for place, edit in skeleton.changes:
        edits[place] = edit
    order = tuple(place.text for _, place in skeleton.slots)
    return Frame(tuple(skeleton.pieces[::2]), order, tuple(edits), words, skeleton.asks_empty)
