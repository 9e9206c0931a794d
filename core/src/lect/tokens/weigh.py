"""From characters that carry loss to tokens that do."""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lect.tokens.spans import LossSpan
    from lect.tokens.tokenizer import Offsets


def token_weights(offsets: Offsets, spans: Sequence[LossSpan]) -> list[float]:
    """Return the weight of each token: that of the span in which it begins.

    One that begins in a span and ends in the next of the same turn has the weight of that. One that begins before what
    is trained has none.
    """
    starts = [start for start, _ in offsets]
    weights = [0.0] * len(offsets)
    previous: LossSpan | None = None
    for span in spans:
        first = _first(offsets, starts, span.start)
        behind = _first(offsets, starts, span.end)
        straddler = _straddler(offsets, first, span.start)
        if straddler is not None:
            goes_on = previous is not None and previous.end == span.start and previous.message == span.message
            first = straddler if goes_on else straddler + 1
        weights[first:behind] = [span.weight] * (behind - first)
        previous = span
    return weights


def straddled(offsets: Offsets, spans: Sequence[LossSpan]) -> Iterator[int]:
    """Yield where a token reaches from text that is not trained into text that is."""
    starts = [start for start, _ in offsets]
    end = -1
    for span in spans:
        if span.start != end and _straddler(offsets, _first(offsets, starts, span.start), span.start) is not None:
            yield span.start
        end = span.end


def _first(offsets: Offsets, starts: list[int], position: int) -> int:
    """Return the first token that begins at a position or behind it."""
    index = bisect_left(starts, position)
    # Some tokenizers leave white space out of the offsets: one of nothing else stands behind itself, with no width.
    if 0 < index < len(offsets) and offsets[index] == (position, position) and offsets[index - 1][1] < position:
        index += 1
    return index


def _straddler(offsets: Offsets, first: int, position: int) -> int | None:
    """Return the token that has characters before a position and behind it, if there is one."""
    if not 0 < first <= len(offsets):
        return None
    before = offsets[first - 1][1]
    if before > position:
        return first - 1
    # The same tokenizers leave out the white space that a token begins with.
    return first if before < position and first < len(offsets) and offsets[first][1] > position else None
