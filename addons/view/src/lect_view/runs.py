"""A text with notes on parts of it, as HTML: each character is written once, with all that is noted about it."""

from __future__ import annotations

from itertools import chain, groupby, pairwise
from typing import TYPE_CHECKING, NamedTuple

from lect_view.characters import attribute, text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

MOST_MARKED = 500_000
"""In characters: in a longer text, white space cannot be made visible."""


class Note(NamedTuple):
    """What is known about a part of a text, perhaps an empty one."""

    start: int
    end: int
    classes: str
    about: str = ""
    """For people: shown on hover and focus."""
    opens: str = ""
    """More classes, for where the part begins."""
    closes: str = ""
    """The same for where it ends."""
    more: str = ""
    """More attributes, as HTML."""
    anchor: str = ""
    """The id of where it begins, for links."""
    tag: str = "span"
    isolates: bool = False
    """Whether it is from outside: its direction of writing is its own, and changes nothing around it."""
    after: str = ""
    """What is shown where it ends, as HTML without text."""


class Run(NamedTuple):
    """A part of a text about which the same is known throughout."""

    start: int
    end: int
    notes: list[Note]


def layered(notes: Iterable[Note]) -> list[list[Note]]:
    """Return notes in layers: in each they are in order, and do not overlap."""
    layers: list[list[Note]] = []
    for note in sorted(notes, key=lambda note: note[:2]):
        fitting = next((layer for layer in layers if layer[-1].end <= note.start), None)
        if fitting is None:
            layers.append([note])
        else:
            fitting.append(note)
    return layers


def runs(layers: Sequence[Sequence[Note]], cuts: Iterable[int] = ()) -> Iterator[Run]:
    """Yield the parts of a text, cut wherever a note begins or ends."""
    edges = sorted({*cuts, *(edge for note in chain.from_iterable(layers) for edge in note[:2])})
    places = [0] * len(layers)
    for start, end in pairwise([*edges, *edges[-1:]]):
        active, empty = [], []
        for number, layer in enumerate(layers):
            place = places[number]
            while place < len(layer) and layer[place].end <= start:
                if layer[place].start == start:
                    empty.append(layer[place])
                place += 1
            places[number] = place
            if place < len(layer) and layer[place].start <= start:
                active.append(layer[place])
        for note in empty:
            yield Run(start, start, [*(each for each in active if each.start < start), note])
        if start < end:
            yield Run(start, end, active)


def isolated(every: Iterable[Run], whole: str, *, spaces: bool) -> str:
    """Return runs as HTML, those of one text from outside inside one `bdi`."""
    groups = groupby(every, key=lambda run: next((note for note in run.notes if note.isolates), None))
    written = ((note, "".join(as_html(run, whole, spaces=spaces) for run in group)) for note, group in groups)
    return "".join(content if note is None else f"<bdi>{content}</bdi>" for note, content in written)


def as_html(run: Run, whole: str, *, spaces: bool) -> str:
    """Return a run of a text as one element, which can have the focus."""
    notes = run.notes
    classes = [note.classes for note in notes]
    classes += [note.opens for note in notes if note.opens and note.start == run.start]
    classes += [note.closes for note in notes if note.closes and note.end == run.end]
    about = " · ".join(note.about for note in notes if note.about)
    more = "".join(f" {note.more}" for note in notes if note.more)
    more += next((f' id="{note.anchor}"' for note in notes if note.anchor and note.start == run.start), "")
    tag = next((note.tag for note in reversed(notes) if note.tag != "span"), "span")
    focus = f' tabindex="0" data-about="{attribute(about)}"' if about else ""
    written = text(whole[run.start : run.end], spaces=spaces)
    after = "".join(note.after for note in notes if note.end == run.end)
    return f'<{tag} class="{" ".join(filter(None, classes))}"{focus}{more}>{written}</{tag}>{after}'
