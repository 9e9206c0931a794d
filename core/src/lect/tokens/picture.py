"""A prompt in pieces, each with its origin and the loss that it carries: for terminals and notebooks."""

from __future__ import annotations

from bisect import bisect_right
from html import escape
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from lect.prompt.fields import spell
from lect.values import Origin

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from lect.tokens.spans import LossSpan
    from lect.tokens.turns import Layout
    from lect.values import Segment

TOKENIZER = "tokenizer"
"""The origin of a token that stands for no character: the tokenizer itself puts it before the text."""


class Fragment(NamedTuple):
    """A token, or a part of a segment."""

    id: int | None
    """None if the prompt was not encoded."""
    text: str
    """What it adds to the text of the pieces before it; empty for a token that only continues a character."""
    origin: str
    """The value of an `Origin`, or `tokenizer`."""
    field: str
    """The field that its text is from, such as `messages[1].content`; empty for text of the template."""
    weight: float


def pieces_of(layout: Layout, spans: Sequence[LossSpan]) -> list[Fragment]:
    """Return a prompt by segments, cut where loss begins and ends."""
    edges = {edge for span in spans for edge in (span.start, span.end)}
    weights = {span.start: (span.end, span.weight) for span in spans}
    pieces, trained_to, weight = [], 0, 0.0
    for start, end in pairwise(sorted(edges.union(layout.starts))):
        trained_to, weight = weights.get(start, (trained_to, weight))
        segment = _segment_at(layout, start)
        carried = weight if start < trained_to else 0.0
        pieces.append(Fragment(None, layout.text[start:end], segment.origin.value, _spelled(segment), carried))
    return pieces


def tokens_of(tokens: Iterable[tuple[int, tuple[int, int], float]], layout: Layout, opening: int) -> list[Fragment]:
    """Return an encoded prompt by tokens, of which the first `opening` are the tokenizer's.

    They are given as the id of each, the characters that it stands for, and its weight.
    """
    pieces, position = [], 0
    for index, (each, (start, end), weight) in enumerate(tokens):
        if index < opening:
            pieces.append(Fragment(each, "", TOKENIZER, "", 0.0))
            continue
        segment = _origin_of(layout, start, end)
        # Some tokenizers leave white space out of the offsets, and several tokens may share a character.
        text, position = layout.text[position:end], max(position, end)
        pieces.append(Fragment(each, text, segment.origin.value, _spelled(segment), weight))
    return pieces


def _segment_at(layout: Layout, position: int) -> Segment:
    return layout.segments[min(bisect_right(layout.starts, position), len(layout.segments)) - 1]


def _origin_of(layout: Layout, start: int, end: int) -> Segment:
    """Return the segment that a token comes from: the one with text from outside, if the token has any."""
    first, last = _segment_at(layout, start), _segment_at(layout, max(start, end - 1))
    return last if first.origin is Origin.TEMPLATE else first


def _spelled(segment: Segment) -> str:
    return spell(segment.path) if segment.path else ""


# For notebooks: no scripts or style sheets, which many of them strip.

MOST_SHOWN = 50_000
"""In characters: a notebook stores what it shows."""
LINE_END = "\N{DOWNWARDS ARROW WITH CORNER LEFTWARDS}\n"
# Translucent, to suit both light and dark pages.
COLOURS = {
    "template": "rgba(128,128,128,.18)",
    "input": "rgba(40,160,70,.28)",
    "unknown": "rgba(220,60,50,.38)",
    TOKENIZER: "rgba(60,120,220,.30)",
}
LOSS = "border-bottom:2px solid currentColor"
EDGE = "margin-right:1px"


def as_html(pieces: Sequence[Fragment], summary: str) -> str:
    """Return pieces as HTML, with a legend; everything in them is escaped."""
    shown = list(_first(pieces, MOST_SHOWN))
    hidden = sum(len(piece.text) for piece in pieces) - sum(len(piece.text) for piece in shown)
    more = f"<div>... and {hidden:,} more characters</div>" if hidden else ""
    return (
        f'<div><div style="margin-bottom:.5em">{escape(summary)} &nbsp; {_legend(shown)}</div>'
        '<pre style="white-space:pre-wrap;overflow-wrap:anywhere;line-height:1.7">'
        f"{''.join(map(_as_span, shown))}</pre>{more}</div>"
    )


def _first(pieces: Iterable[Fragment], most: int) -> Iterator[Fragment]:
    for piece in pieces:
        if most <= 0:
            return
        yield piece._replace(text=piece.text[:most])
        most -= len(piece.text)


def _as_span(piece: Fragment) -> str:
    about = [piece.field or piece.origin]
    if piece.id is not None:
        about.insert(0, f"id {piece.id}")
    if piece.weight:
        about.append(f"loss {piece.weight:g}")
    text = escape(_visible(piece.text)) if piece.text else "&middot;"
    return f'<span title="{escape(_visible(", ".join(about)))}" style="{_style(piece)}">{text}</span>'


def _style(piece: Fragment) -> str:
    styles = [f"background:{COLOURS[piece.origin]}"]
    if piece.weight:
        styles.append(LOSS)
    if piece.id is not None:
        styles.append(EDGE)
    return ";".join(styles)


def _visible(text: str) -> str:
    """Return a text with line ends marked, and other unprintable characters escaped."""
    return LINE_END.join(
        "".join(character if character.isprintable() else ascii(character)[1:-1] for character in line)
        for line in text.split("\n")
    )


def _legend(pieces: Iterable[Fragment]) -> str:
    origins = {piece.origin for piece in pieces}
    names = [f'<span style="background:{COLOURS[each]}">{each}</span>' for each in COLOURS if each in origins]
    return " ".join([*names, f'<span style="{LOSS}">loss</span>'])
