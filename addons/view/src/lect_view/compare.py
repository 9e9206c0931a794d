"""Two prompts side by side: where they first differ, and which words differ after that."""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from itertools import accumulate
from typing import TYPE_CHECKING

from lect.addon import alike
from lect.plugin import boundary
from lect_view.blocks import blocks
from lect_view.characters import attribute
from lect_view.media import media_notes
from lect_view.page import View
from lect_view.prompt import control_findings, control_notes, legend, segment_notes, turn_blocks, unused_findings
from lect_view.runs import Note, layered

if TYPE_CHECKING:
    import lect

MOST_COMPARED = 4_000_000
"""Pairs of words: beyond that, everything from the first difference to the last counts as one."""
SHOWN = 40
LONGEST = 400
"""In characters: of a longer piece, a terminal shows the two ends."""
# What looks like a marker is one word.
_WORDS = re.compile(r"<[^<>\s]*>|\w+|\s+|[^\w\s]")


def show_two(one: lect.Prompt, other: lect.Prompt) -> View:
    """Return the view of two prompts."""
    places = differing(one.text, other.text)
    sides, layers, images = [], [], False
    for side, prompt in enumerate((one, other)):
        notes = [
            Note(*span[side], "differs", "differs from the other", "first-difference" * (not number), tag="mark")
            for number, span in enumerate(places)
        ]
        seen, controls = media_notes(prompt), control_notes(prompt, prompt.controls)
        images |= seen.has_images
        own = [segment_notes(prompt), *layered(controls), seen.notes, notes]
        layers += own
        name = attribute(prompt.template.name)
        shown = blocks(prompt.text, turn_blocks(prompt), own)
        heard = control_findings(prompt, controls, more=prompt.more_controls) if prompt.controls else ""
        lost = heard + unused_findings(prompt)
        sides.append(f'<section aria-label="{name}"><h2 class="side">{name}</h2>{lost}{shown}</section>')
    title = f"{one.template.name} and {other.template.name}"
    main = f'<main class="two">{"".join(sides)}</main>'
    return View(title, _summary(one.text, other.text, places), main, legend(layers), images=images)


def _summary(one: str, other: str, places: list[tuple[tuple[int, int], tuple[int, int]]]) -> str:
    if not places:
        return f"both are the same {len(one):,} characters"
    at = alike(one, other)
    return f"they differ first at character {at:,}: {one[at : at + SHOWN]!r} / {other[at : at + SHOWN]!r}"


def differing(one: str, other: str) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """Return the words that differ: the start and end of each part in both texts."""
    if one == other:
        return []
    words = [_WORDS.findall(text) for text in (one, other)]
    begin = _alike(words[0], words[1])
    same = _alike(words[0][begin:][::-1], words[1][begin:][::-1])
    ends = [len(each) - same for each in words]
    starts = [list(accumulate(map(len, each), initial=0)) for each in words]
    if (ends[0] - begin) * (ends[1] - begin) > MOST_COMPARED:
        codes = [("replace", 0, ends[0] - begin, 0, ends[1] - begin)]
    else:
        middle = [each[begin:end] for each, end in zip(words, ends, strict=True)]
        codes = [*SequenceMatcher(None, middle[0], middle[1], autojunk=False).get_opcodes()]
    return [
        ((starts[0][begin + a], starts[0][begin + b]), (starts[1][begin + c], starts[1][begin + d]))
        for kind, a, b, c, d in codes
        if kind != "equal"
    ]


def _alike(one: list[str], other: list[str]) -> int:
    """Return with how many equal words two lists begin."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (word, counterpart) in pairs if word != counterpart), min(len(one), len(other)))


@boundary
def word_diff(one: str, other: str) -> list[tuple[str, int | None]]:
    """Return two texts as one: each piece with the side that has it, 0 or 1, or None for what both have."""
    pieces: list[tuple[str, int | None]] = []
    at = 0
    for (start, end), (begin, stop) in differing(one, other):
        sides = ((one[at:start], None), (one[start:end], 0), (other[begin:stop], 1))
        pieces += [(_shortened(text), side) for text, side in sides if text or side is None]
        at = end
    return [*pieces, (_shortened(one[at:]), None)]


def _shortened(text: str) -> str:
    half = LONGEST // 2
    return text if len(text) <= LONGEST else f"{text[:half]} ... {text[-half:]}"
