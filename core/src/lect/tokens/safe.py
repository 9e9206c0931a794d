"""Token ids in which a control token only ever comes from the template."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from itertools import islice

from lect.computed import computed
from lect.prompt.segments import Layout, is_role
from lect.reports import Control
from lect.tokens.tokenizer import ControlToken, Encoder
from lect.values import TEMPLATE, TRANSFORMED


class Trusted:
    """The characters of a prompt that the template wrote; the names of known roles count as such."""

    def __init__(self, layout: Layout):
        self.layout = layout

    @computed
    def runs(self) -> list[tuple[int, int]]:
        """The start and end of each unbroken run of them."""
        runs: list[tuple[int, int]] = []
        starts = self.layout.starts
        for index, segment in enumerate(self.layout.segments):
            if segment.origin is TEMPLATE or is_role(segment.path):
                start, end = starts[index], starts[index + 1]
                if runs and runs[-1][1] == start:
                    start = runs.pop()[0]
                runs.append((start, end))
        return runs

    def __contains__(self, span: tuple[int, int]) -> bool:
        start, end = span
        segments, starts = self.layout.segments, self.layout.starts
        index = bisect_right(starts, start) - 1
        # Nearly all are within one segment of the template.
        if index < len(segments) and end <= starts[index + 1] and segments[index].origin is TEMPLATE:
            return True
        run = bisect_right(self.runs, (start, len(self.layout.text))) - 1
        return run >= 0 and self.runs[run][1] >= end

    def without_others(self, text: str) -> str:
        """Return a text of the same length in which only trusted characters can make a control token."""
        pieces = []
        position = 0
        for start, end in [*self.runs, (len(text), len(text))]:
            # Whether a control token is recognised may depend on whether a word or white space is beside it.
            blank = re.sub(r"\w", LETTER, text[position:start])
            pieces += [re.sub(rf"[^\s{LETTER}]", MARK, blank), text[start:end]]
            position = end
        return "".join(pieces)


LETTER, MARK = "\ua66e", "\ufffc"
"""A letter and another character that no control token contains."""


Found = list[ControlToken]


def controls_in(layout: Layout, encoder: Encoder) -> tuple[Found, Found, Found]:
    """Return the control tokens of a text, looked for once: all, the template's own, and all others."""
    if layout.controls is None or layout.controls[0] is not encoder:
        text, trusted = layout.text, Trusted(layout)
        found = encoder.found(text)
        own, foreign = _parted(text, found, trusted)
        if foreign:
            # A foreign one may hide one of the template's own, so look for those with all other text masked.
            own, _ = _parted(text, encoder.found(trusted.without_others(text)), trusted)
        layout.controls = encoder, (found, own, foreign)
    controls: tuple[Found, Found, Found] = layout.controls[1]
    return controls


def _parted(text: str, found: Iterable[ControlToken], trusted: Trusted) -> tuple[Found, Found]:
    own: list[ControlToken] = []
    foreign: list[ControlToken] = []
    for each in found:
        (own if each[:2] in trusted or _without_space(text, each) in trusted else foreign).append(each)
    return own, foreign


def _without_space(text: str, found: ControlToken) -> tuple[int, int]:
    """Return where a control token is, without the white space that it absorbs, which may be anybody's."""
    end = found.start + len(text[found.start : found.end].rstrip())
    return end - len(text[found.start : end].lstrip()), end


def first_controls(layout: Layout, pattern: re.Pattern[str] | None, most: int) -> tuple[tuple[Control, ...], bool]:
    """Return the first markers that text from outside has a part in, and whether there are more, without finding all.

    `pattern` finds all markers; None where there are none.
    """
    found = _foreign(layout, pattern) if pattern is not None else iter(())
    return tuple(islice(found, most)), next(found, None) is not None


def _foreign(layout: Layout, pattern: re.Pattern[str]) -> Iterator[Control]:
    text, trusted = layout.text, Trusted(layout)
    match = pattern.search(text)
    while match is not None:
        begin, end = match.span()
        is_own = (begin, end) in trusted
        if not is_own:
            yield as_control(layout, begin, end, match[0])
        # After one of the template's own the search goes on inside it: another may begin there and end in a message.
        match = pattern.search(text, begin + 1 if is_own else end)


def as_control(layout: Layout, begin: int, end: int, marker: str) -> Control:
    """Return a marker with the first field from outside that has a part of it."""
    starts, segments = layout.starts, layout.segments
    among = range(bisect_right(starts, begin) - 1, bisect_left(starts, end))
    index = next(at for at in among if segments[at].origin is not TEMPLATE and not is_role(segments[at].path))
    segment = segments[index]
    start = segment.start + max(begin - starts[index], 0) if segment.start >= 0 else TRANSFORMED
    return Control(segment.path, start, marker, begin)
