"""Control markers in text from outside."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from itertools import islice

from lect.facts import Facts
from lect.prompt.segments import Layout, is_role
from lect.reports import Control
from lect.values import TEMPLATE, TRANSFORMED


def first_controls(layout: Layout, facts: Facts, most: int) -> tuple[tuple[Control, ...], bool]:
    """Return the first control markers in text from outside, and whether there are more, without finding all."""
    found = _find_controls(layout, facts)
    return tuple(islice(found, most)), next(found, None) is not None


def _find_controls(layout: Layout, facts: Facts) -> Iterator[Control]:
    """Yield the control markers of which a part, or all, is text from outside."""
    pattern, text, segments, starts = facts.markers.pattern, layout.text, layout.segments, layout.starts
    if pattern is None:
        return
    match = pattern.search(text)
    while match is not None:
        # A marker is the template's own only if all of it is: one that spans a message and template text counts too.
        begin, end = match.span()
        go_on = begin + 1
        for index in range(bisect_right(starts, begin) - 1, bisect_left(starts, end)):
            segment = segments[index]
            if segment.origin is not TEMPLATE and not is_role(segment.path):
                start = segment.start + max(begin - starts[index], 0) if segment.start >= 0 else TRANSFORMED
                yield Control(segment.path, start, match[0], begin)
                go_on = end
                break
        # After one of the template's own the search goes on inside it: another may begin there and end in a message.
        match = pattern.search(text, go_on)
