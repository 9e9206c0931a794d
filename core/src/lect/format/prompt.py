"""What a render yields: the prompt, and its views."""

from __future__ import annotations

from bisect import bisect_right
from itertools import islice
from typing import TYPE_CHECKING, Any

from lect.prompt.limits import DEFAULT
from lect.prompt.segments import is_role
from lect.values import TRANSFORMED, Control, Origin

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Protocol

    from lect.facts import Facts
    from lect.values import Segment, Unused

    class Source(Protocol):
        """What a prompt was made from, and its views are made of."""

        text: str

        def segments(self) -> list[Segment]: ...
        def unused(self) -> list[Unused]: ...


class Prompt:
    """A prompt. The text is ready; segments and reports are made when first asked for."""

    __slots__ = ("_controls", "_more_controls", "_most_controls", "_segments", "_source", "_unused", "template", "text")

    _more_controls: bool

    def __init__(self, template: Facts, source: Source, *, most_controls: int = DEFAULT.controls):
        self.template = template
        self.text = source.text
        self._source = source
        self._most_controls = most_controls
        self._segments: tuple[Segment, ...] | None = None
        self._unused: tuple[Unused, ...] | None = None
        self._controls: tuple[Control, ...] | None = None

    def __getstate__(self) -> tuple[None, dict[str, Any]]:
        # The views, and not what they are made from, which holds the caller's messages.
        return None, {
            "template": self.template,
            "text": self.text,
            "_segments": self.segments,
            "_unused": self.unused,
            "_controls": self.controls,
            "_more_controls": self.more_controls,
        }

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<Prompt by {self.template.name!r}: {len(self.text)} characters>"

    @property
    def segments(self) -> tuple[Segment, ...]:
        """The pieces of the prompt in order; joined, they are the text."""
        if self._segments is None:
            self._segments = tuple(self._source.segments())
        return self._segments

    @property
    def unused(self) -> tuple[Unused, ...]:
        """What was given but did not reach the prompt."""
        if self._unused is None:
            self._unused = tuple(self._source.unused())
        return self._unused

    @property
    def controls(self) -> tuple[Control, ...]:
        """The control markers of the model that stand in text from outside; empty where nobody was to look.

        These are the first 1,000, or as many as `limits` says; a hostile message may hold a million. `more_controls`
        says whether there are others.
        """
        if self._controls is None:
            most = self._most_controls
            controls, self._more_controls = first_controls(self, most) if most else ((), False)
            self._controls = controls
        return self._controls

    @property
    def more_controls(self) -> bool:
        """Whether text from outside holds more control markers than `controls` lists."""
        return bool(self.controls) and self._more_controls


def first_controls(prompt: Prompt, most: int) -> tuple[tuple[Control, ...], bool]:
    """Return the first control markers in text from outside, and whether there are more; nobody looks for those."""
    found = _find_controls(prompt.text, prompt.segments, prompt.template)
    return tuple(islice(found, most)), next(found, None) is not None


def _find_controls(text: str, segments: Sequence[Segment], facts: Facts) -> Iterator[Control]:
    """Yield the control markers of which a part, or all, is text from outside."""
    pattern = facts.marker_pattern
    if pattern is None:
        return
    starts, position = [], 0
    for segment in segments:
        starts.append(position)
        position += len(segment.text)
    match = pattern.search(text)
    while match is not None:
        # A marker is the template's own only if every character of it is: one that begins in a message and ends in
        # template text, or spans two messages, counts too.
        begin, end = match.span()
        go_on = begin + 1
        for index in range(bisect_right(starts, begin) - 1, bisect_right(starts, end - 1)):
            segment = segments[index]
            if segment.origin is not Origin.TEMPLATE and not is_role(segment.path):
                start = segment.start + max(begin - starts[index], 0) if segment.start >= 0 else TRANSFORMED
                yield Control(segment.path, start, match[0], begin)
                go_on = end
                break
        # After one of the template's own the search goes on inside it: another may begin there and end in a message.
        match = pattern.search(text, go_on)
