"""Two prompts side by side: where they first differ, and which words differ after that."""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from itertools import accumulate
from typing import TYPE_CHECKING

from lect.tokens.turns import alike
from lect_view.blocks import blocks
from lect_view.characters import attribute
from lect_view.page import View
from lect_view.prompt import control_notes, legend, segment_notes, turn_blocks
from lect_view.runs import Note, layered

if TYPE_CHECKING:
    import lect

MOST_COMPARED = 4_000_000
"""Pairs of words: beyond that, everything from the first difference to the last counts as one."""
SHOWN = 40
_WORDS = re.compile(r"\w+|\s+|[^\w\s]")


def show_two(one: lect.Prompt, other: lect.Prompt) -> View:
    """Return the view of two prompts."""
    places = differing(one.text, other.text)
    sides, layers = [], []
    for side, prompt in enumerate((one, other)):
        notes = [
            Note(*span[side], "differs", "differs from the other", "first-difference" * (not number), tag="mark")
            for number, span in enumerate(places)
        ]
        own = [segment_notes(prompt), *layered(control_notes(prompt, prompt.controls)), notes]
        layers += own
        name = attribute(prompt.template.name)
        shown = blocks(prompt.text, turn_blocks(prompt), own)
        sides.append(f'<section aria-label="{name}"><h2 class="side">{name}</h2>{shown}</section>')
    title = f"{one.template.name} and {other.template.name}"
    return View(
        title, _summary(one.text, other.text, places), f'<main class="two">{"".join(sides)}</main>', legend(layers)
    )


def _summary(one: str, other: str, places: list[tuple[tuple[int, int], tuple[int, int]]]) -> str:
    if not places:
        return f"both are the same {len(one):,} characters"
    at = places[0][0][0]
    return f"they differ first at character {at:,}: {one[at : at + SHOWN]!r} / {other[at : at + SHOWN]!r}"


def differing(one: str, other: str) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """Return the parts that differ: the start and end of each in both texts."""
    if one == other:
        return []
    begin = alike(one, other)
    most = min(len(one), len(other)) - begin
    same = next((at for at in range(most) if one[-1 - at] != other[-1 - at]), most)
    ends = len(one) - same, len(other) - same
    words = [_WORDS.findall(text[begin:end]) for text, end in zip((one, other), ends, strict=True)]
    if len(words[0]) * len(words[1]) > MOST_COMPARED:
        return [((begin, ends[0]), (begin, ends[1]))]
    starts = [list(accumulate(map(len, each), initial=begin)) for each in words]
    codes = SequenceMatcher(None, words[0], words[1], autojunk=False).get_opcodes()
    return [
        ((starts[0][a], starts[0][b]), (starts[1][c], starts[1][d])) for kind, a, b, c, d in codes if kind != "equal"
    ]
