"""The tokens of a prompt, each with its text, its origin and the loss that it carries."""

from bisect import bisect_right
from collections.abc import Iterable
from typing import NamedTuple

from lect.prompt.fields import spell
from lect.prompt.segments import Layout
from lect.values import Origin

TOKENIZER = "tokenizer"
"""The origin of a token that stands for no character: the tokenizer itself puts it before the text."""


class Fragment(NamedTuple):
    """A token."""

    id: int
    text: str
    """What it adds to the text of the pieces before it; empty for a token that only continues a character."""
    origin: str
    """The value of an `Origin`, or `tokenizer`."""
    field: str
    """The field that its text is from, such as `messages[1].content`; empty for text of the template."""
    weight: float


def tokens_of(tokens: Iterable[tuple[int, tuple[int, int], float]], layout: Layout, opening: int) -> list[Fragment]:
    """Return an encoded prompt by tokens, of which the first `opening` are the tokenizer's.

    They are given as the id of each, the characters that it stands for, and its weight.
    """
    pieces, position = [], 0
    for index, (each, (start, end), weight) in enumerate(tokens):
        if index < opening:
            pieces.append(Fragment(each, "", TOKENIZER, "", 0.0))
            continue
        places = (bisect_right(layout.starts, place) for place in (start, max(start, end - 1)))
        first, last = (layout.segments[min(place, len(layout.segments)) - 1] for place in places)
        segment = last if first.origin is Origin.TEMPLATE else first  # the one from outside, if there is one
        # Some tokenizers leave white space out of the offsets, and several tokens may share a character.
        text, position = layout.text[position:end], max(position, end)
        field = spell(segment.path) if segment.path else ""
        pieces.append(Fragment(each, text, segment.origin.value, field, weight))
    return pieces
