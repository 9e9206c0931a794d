"""Token ids in which a control token only ever comes from the template."""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import pairwise
from typing import TYPE_CHECKING

from lect.prompt.segments import is_role
from lect.tokens.tokenizer import Tokens
from lect.values import Control, Origin

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from lect.tokens.tokenizer import Encoder
    from lect.tokens.turns import Layout


class Trusted:
    """The characters of a prompt that the template wrote; the names of known roles count as such."""

    def __init__(self, runs: list[tuple[int, int]]):
        self.runs = runs
        self._starts = [start for start, _ in runs]

    @classmethod
    def of(cls, layout: Layout) -> Trusted:
        """Return those of a prompt."""
        runs: list[tuple[int, int]] = []
        starts = layout.starts
        for index, segment in enumerate(layout.segments):
            if segment.origin is Origin.TEMPLATE or is_role(segment.path):
                start, end = starts[index], starts[index + 1]
                if runs and runs[-1][1] == start:
                    start = runs.pop()[0]
                runs.append((start, end))
        return cls(runs)

    def __contains__(self, span: tuple[int, int]) -> bool:
        start, end = span
        index = bisect_right(self._starts, start) - 1
        return index >= 0 and self.runs[index][1] >= end


def foreign_controls(text: str, tokens: Tokens, encoder: Encoder, trusted: Trusted) -> list[tuple[int, str]]:
    """Return the control tokens that text from outside has a part in: where each begins, and its text."""
    controls = encoder.control_ids
    at = [index for index, each in enumerate(tokens.ids) if each in controls]
    offsets = tokens.offsets() if at else []
    found = []
    for index in at:
        start, end = offsets[index]
        # A token may take the white space round it, which may be anybody's.
        end = start + len(text[start:end].rstrip())
        start = end - len(text[start:end].lstrip())
        if (start, end) not in trusted:
            found.append((start, controls[tokens.ids[index]]))
    return found


def encode_apart(text: str, encoder: Encoder, trusted: Trusted, cuts: Sequence[int] = ()) -> Tokens:
    """Encode a text so that control tokens arise in trusted characters alone, and no token reaches over a cut.

    What stands between control tokens is encoded by itself, as every tokenizer does it.
    """
    tokens = Tokens()
    position = 0
    for start, end, each in [*_controls(text, encoder, trusted), (len(text), len(text), None)]:
        edges = [position, *(cut for cut in cuts if position < cut < start), start]
        for begin, stop in pairwise(edges):
            if begin < stop:
                piece = encoder.ordinary(text[begin:stop], begin, goes_on=begin != position)
                tokens.add(piece.ids, piece.offsets(), 0)
        if each is not None:
            tokens.add([each], [(start, end)], 0)
        position = end
    return tokens


def _controls(text: str, encoder: Encoder, trusted: Trusted) -> Iterator[tuple[int, int, int]]:
    """Yield where control tokens begin and end in trusted characters, with their ids."""
    if not encoder.controls:
        return
    pattern = re.compile("|".join(map(re.escape, sorted(encoder.controls, key=len, reverse=True))))
    position = 0
    for run_start, run_end in trusted.runs:
        for match in pattern.finditer(text, run_start, run_end):
            start, end = match.span()
            if start < position:
                continue
            token = encoder.controls[match[0]]
            if token.lstrip:
                start = position + len(text[position:start].rstrip())
            if token.rstrip:
                end += len(text[end:]) - len(text[end:].lstrip())
            yield start, end, token.id
            position = end


def as_controls(found: Iterable[tuple[int, str]], layout: Layout) -> tuple[Control, ...]:
    """Return control texts that became ordinary tokens, each with the field in which it begins."""
    controls = []
    for position, marker in found:
        index = bisect_right(layout.starts, position) - 1
        segment = layout.segments[index]
        start = segment.start + position - layout.starts[index] if segment.start >= 0 else segment.start
        controls.append(Control(segment.path, start, marker, position))
    return tuple(controls)
