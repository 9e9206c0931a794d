"""What a program has written, as segments."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from lect.prompt.chat import Chat
from lect.prompt.inputs import Input, plain_str
from lect.prompt.writer import TrackingWriter
from lect.values import INPUT, TEMPLATE, TRANSFORMED, UNKNOWN, Path, Segment

if TYPE_CHECKING:
    from lect.reports import Unused


class Layout:
    """The segments of a text, and where they begin.

    Attributes:
        text: The text.
        segments: Its segments, in order.
        starts: Where each begins, and where the text ends.
        controls: An encoder and the control tokens that it found, if one was asked.
    """

    def __init__(self, text: str, segments: Sequence[Segment]):
        self.text, self.segments = text, segments
        self.starts = [*accumulate([len(text) for text, _, _, _, _ in segments], initial=0)]
        self.controls: tuple[object, Any] | None = None

    def regions(self) -> list[tuple[int, int, int, list[int]]]:
        """Return for each message with a turn its first segment, the one after its last, and those of its own text."""
        firsts: dict[int, int] = {}
        ends: dict[int, int] = {}
        own: dict[int, list[int]] = {}
        for index, (_, origin, path, _, turn) in enumerate(self.segments):
            if turn is None:
                continue
            if turn not in firsts:
                firsts[turn] = index
                own[turn] = []
            ends[turn] = index + 1
            if origin is TEMPLATE or len(path) < 3:
                continue
            if path[1] == turn and path[2] != "role" and path[0] == "messages":
                own[turn].append(index)
        return [(turn, firsts[turn], ends[turn], own[turn]) for turn in sorted(firsts)]


class Composed:
    """A text, and functions that return its segments, and what did not reach it."""

    def __init__(
        self,
        text: str,
        segments: Callable[[], list[Segment]],
        unused: Callable[[], list[Unused]],
        marked: Sequence[tuple[int, int]] | None,
    ):
        self.text, self.segments, self.unused, self.marked = text, segments, unused, marked


def from_program(chat: Chat, out: TrackingWriter) -> Composed:
    """Return what a program has written."""

    def unused() -> list[Unused]:
        from lect.prompt.unused import find_unused

        return list(find_unused(chat, out))

    return Composed(out.joined(), lambda: segments_of(out), unused, out.own_marks)


def ended(source: Composed, segments: list[Segment], dropped: Sequence[Unused] = ()) -> Composed:
    """Return segments that were put together: what was written up to some point, and perhaps a text after it.

    `dropped` is what did not reach the text, besides what did not reach that of the source.
    """

    def unused() -> list[Unused]:
        # The text after it is in the prompt, whatever its source knows.
        written = {segment.path for segment in segments}
        return [*(unused for unused in source.unused() if unused.path not in written), *dropped]

    return Composed("".join(segment.text for segment in segments), lambda: segments, unused, source.marked)


def segments_of(writer: TrackingWriter) -> list[Segment]:
    """Return what was written as segments."""
    segments: list[Segment] = []
    add = segments.append
    make = tuple.__new__
    literal = ""
    turn: int | None = None
    next_turn: int | None = None
    begin = 0
    # Adjacent template pieces of one turn are one segment, so a literal is held back; an empty turn separates none.
    for end, turn_after in [*writer.marks, (len(writer), None)]:
        pieces = writer[begin:end]
        if next_turn != turn and any(pieces):
            if literal:
                add(make(Segment, (literal, TEMPLATE, (), TRANSFORMED, turn)))
                literal = ""
            turn = next_turn
        for piece in pieces:
            if type(piece) is str or not isinstance(piece, Input):
                literal += piece
            elif piece:
                if literal:
                    add(make(Segment, (literal, TEMPLATE, (), TRANSFORMED, turn)))
                    literal = ""
                path = piece.path
                add(make(Segment, (plain_str(piece), INPUT if path else UNKNOWN, path, piece.start, turn)))
        begin, next_turn = end, turn_after
    if literal:
        add(make(Segment, (literal, TEMPLATE, (), TRANSFORMED, turn)))
    return segments


def is_role(path: Path) -> bool:
    """Return whether `path` names the role of a message.

    Roles come from a list of known ones, so they may be part of a marker.
    """
    return len(path) == 3 and path[0] == "messages" and path[2] == "role"
