"""What a program has written, as segments."""

from __future__ import annotations

from functools import cache
from itertools import accumulate
from operator import attrgetter
from typing import TYPE_CHECKING

from lect.prompt.inputs import Input, plain_str
from lect.values import TRANSFORMED, Origin, Segment

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from lect.prompt.chat import Chat
    from lect.prompt.writer import TrackingWriter
    from lect.reports import Unused
    from lect.values import Path


class Layout:
    """The segments of a text, and where they begin; the last of the starts is where the text ends."""

    __slots__ = ("segments", "starts", "text")

    def __init__(self, text: str, segments: Sequence[Segment]):
        self.text = text
        self.segments = segments
        self.starts = [*accumulate(map(len, map(attrgetter("text"), segments)), initial=0)]


class FromProgram:
    """What a program has written, and its views."""

    __slots__ = ("_chat", "_out", "marked", "text")

    def __init__(self, chat: Chat, out: TrackingWriter):
        self.text = out.joined()
        self.marked = out.own_marks
        self._chat = chat
        self._out = out

    def segments(self) -> list[Segment]:
        """Return the text as segments."""
        return segments_of(self._out)

    def unused(self) -> list[Unused]:
        """Return what did not reach the text."""
        return list(_find_unused()(self._chat, self._out))


class Ended:
    """Segments that were put together: what was written up to some point, and perhaps a text after it.

    `unused` returns what did not reach the text that they come from; `dropped` is what else did not.
    """

    __slots__ = ("_dropped", "_segments", "_unused", "marked", "text")

    def __init__(
        self,
        unused: Callable[[], Sequence[Unused]],
        segments: list[Segment],
        dropped: Sequence[Unused] = (),
        *,
        marked: Sequence[tuple[int, int]] | None = None,
    ):
        self.marked = marked
        self.text = "".join(segment.text for segment in segments)
        self._segments = segments
        self._unused = unused
        self._dropped = dropped

    def segments(self) -> list[Segment]:
        """Return the segments."""
        return self._segments

    def unused(self) -> list[Unused]:
        """Return what did not reach the text."""
        # The text after it is in the prompt, whatever its source knows.
        written = {segment.path for segment in self._segments}
        return [*(unused for unused in self._unused() if unused.path not in written), *self._dropped]


def segments_of(writer: TrackingWriter) -> list[Segment]:
    """Return what was written as segments."""
    segments: list[Segment] = []
    add = segments.append
    template, caller, unknown = Origin.TEMPLATE, Origin.INPUT, Origin.UNKNOWN
    make = tuple.__new__
    literal = ""
    turn: int | None = None
    next_turn: int | None = None
    begin = 0
    # Adjacent template pieces of one turn are one segment, so a literal is held back until something else follows it. A
    # turn in which nothing is written does not separate them.
    for end, turn_after in [*writer.marks, (len(writer), None)]:
        pieces = writer[begin:end]
        if next_turn != turn and any(pieces):
            if literal:
                add(make(Segment, (literal, template, (), TRANSFORMED, turn)))
                literal = ""
            turn = next_turn
        for piece in pieces:
            if type(piece) is str or not isinstance(piece, Input):
                literal += piece
            elif piece:
                if literal:
                    add(make(Segment, (literal, template, (), TRANSFORMED, turn)))
                    literal = ""
                path = piece.path
                add(make(Segment, (plain_str(piece), caller if path else unknown, path, piece.start, turn)))
        begin, next_turn = end, turn_after
    if literal:
        add(make(Segment, (literal, template, (), TRANSFORMED, turn)))
    return segments


@cache
def _find_unused() -> Callable[[Chat, TrackingWriter], Iterator[Unused]]:
    # Importing lect does not need it; strict rendering asks each time.
    from lect.prompt.unused import find_unused

    return find_unused


def is_role(path: Path) -> bool:
    """Return whether `path` names the role of a message.

    Roles come from a list of known ones, so they may be part of a marker.
    """
    return len(path) == 3 and path[0] == "messages" and path[2] == "role"
