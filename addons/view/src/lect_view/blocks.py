"""Blocks of text with a heading each, such as the turns of a prompt, and lists of what was found in them."""

from __future__ import annotations

from bisect import bisect_right
from hashlib import sha256
from itertools import groupby, starmap
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

from lect_view.characters import attribute
from lect_view.runs import MOST_MARKED, Note, Run, isolated, runs

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

ROLES = frozenset({"system", "developer", "user", "assistant", "tool"})


class Block(NamedTuple):
    """A part of the text with its own heading; it reaches to where the next one begins."""

    start: int
    title: str
    detail: str = ""


def blocks(text: str, parts: Sequence[Block], layers: Sequence[Sequence[Note]], most: int | None = None) -> str:
    """Return a text in blocks; with `most`, only its first characters."""
    spaces = len(text) <= MOST_MARKED
    starts = [part.start for part in parts]
    end = len(text) if most is None else min(most, len(text))
    shown = _first(runs(layers, [*starts, len(text)]), end)
    written = [
        _block(parts[number], isolated(group, text, spaces=spaces))
        for number, group in groupby(shown, key=lambda run: max(bisect_right(starts, run.start) - 1, 0))
    ]
    left = f'<p class="more">... and {len(text) - end:,} more characters</p>' if end < len(text) else ""
    return "\n".join(written) + left


def _first(every: Iterable[Run], end: int) -> Iterator[Run]:
    for run in every:
        if run.start > end or (run.start == end and run.end > end):
            return
        yield run._replace(end=min(run.end, end))


def _block(block: Block, content: str) -> str:
    role = block.title if block.title in ROLES else "other"
    detail = f" <small>{attribute(block.detail)}</small>" if block.detail else ""
    return (
        f'<section class="turn role-{role}"><h2><b>{attribute(block.title)}</b>{detail}</h2>'
        f'<pre dir="ltr">{content}</pre></section>'
    )


def findings(title: str, items: Iterable[tuple[str, str, str]], *, kind: str = "") -> str:
    """Return a list of what was found: a name, what there is to say about it, and the id of its place or nothing.

    What is the same about several in a row is said once.
    """
    said = groupby(items, key=itemgetter(1))
    rows = "".join(f"<li>{', '.join(starmap(_linked, group))} {attribute(about)}</li>" for about, group in said)
    return f'<section class="finding {kind}"><h2>{attribute(title)}</h2><ul>{rows}</ul></section>' if rows else ""


def _linked(name: str, _about: str, anchor: str) -> str:
    written = f"<code>{attribute(name)}</code>"
    return f'<a href="#{anchor}">{written}</a>' if anchor else written


def anchors(text: str) -> str:
    """Return what the ids of places in a text begin with: a notebook may show several."""
    return f"at-{sha256(text.encode('utf-8', 'replace')).hexdigest()[:8]}"


def counted(number: int, what: str) -> str:
    """Return a number of things."""
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def beside(main: str, aside: str) -> str:
    """Return two columns; where the page is narrow, the findings come first."""
    return f'<div class="beside"><aside aria-label="findings">{aside}</aside><main>{main}</main></div>'
