"""What a render yields: the prompt, and where every piece of it came from."""

from bisect import bisect_right
from enum import Enum
from typing import TYPE_CHECKING, NamedTuple, Protocol

from lect.prompt.inputs import TRANSFORMED, Input, Path, plain_str
from lect.prompt.unused import find_unused

if TYPE_CHECKING:
    from lect.prompt.chat import Chat
    from lect.prompt.template import Template
    from lect.prompt.unused import Unused
    from lect.prompt.writer import TrackingWriter


class Origin(Enum):
    """Who wrote a piece of the prompt."""

    TEMPLATE = "template"
    INPUT = "input"
    UNKNOWN = "unknown"
    """Could not be followed: never trusted."""

    def __repr__(self) -> str:
        return f"Origin.{self.name}"


class Segment(NamedTuple):
    """A piece of the prompt with where it came from."""

    text: str
    origin: Origin
    path: Path
    """The field, such as `("messages", 3, "content")`; empty for template text."""
    start: int
    """The offset in that field; -1 where the text was transformed (JSON-escaped, joined, ...) and for template text."""
    turn: int | None
    """The message whose rendering emitted it; None for preamble and generation prompt."""


class Control(NamedTuple):
    """A control marker of the model that stands in text from outside."""

    path: Path
    """The field in which the marker begins."""
    start: int
    """The offset in that field; -1 where the text was transformed on its way."""
    marker: str
    position: int
    """The offset in the prompt."""


class Source(Protocol):
    """What a prompt was made from, and its views are made of."""

    text: str

    def segments(self) -> list[Segment]: ...
    def unused(self) -> "list[Unused]": ...


class Written:
    """What a program has written."""

    __slots__ = ("_chat", "_out", "text")

    def __init__(self, chat: "Chat", out: "TrackingWriter"):
        self.text = out.joined()
        self._chat = chat
        self._out = out

    def segments(self) -> list[Segment]:
        return segments_of(self._out)

    def unused(self) -> "list[Unused]":
        return list(find_unused(self._chat, used_paths(self._out), set(self._out.seen), set(self._out.left_out)))


class Rendered:
    """A prompt. The text is ready; segments and reports are made when first asked for."""

    __slots__ = ("_controls", "_look", "_segments", "_source", "_unused", "template", "text")

    def __init__(self, template: "Template", source: Source, *, look_for_controls: bool = True):
        self.template = template
        self.text = source.text
        self._source = source
        self._look = look_for_controls
        self._segments: tuple[Segment, ...] | None = None
        self._unused: tuple[Unused, ...] | None = None
        self._controls: tuple[Control, ...] | None = None

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<Rendered by {self.template.name!r}: {len(self.text)} characters>"

    @property
    def segments(self) -> tuple[Segment, ...]:
        """The pieces of the prompt in order; joined, they are the text."""
        if self._segments is None:
            self._segments = tuple(self._source.segments())
        return self._segments

    @property
    def unused(self) -> "tuple[Unused, ...]":
        """What was given but did not reach the prompt."""
        if self._unused is None:
            self._unused = tuple(self._source.unused())
        return self._unused

    @property
    def controls(self) -> tuple[Control, ...]:
        """The control markers of the model that stand in text from outside; empty where nobody was to look."""
        if self._controls is None:
            self._controls = tuple(_controls(self.text, self.segments, self.template)) if self._look else ()
        return self._controls


def used_paths(out: "TrackingWriter") -> set[Path]:
    """Return the fields of which something was written."""
    return {piece.path for piece in out if type(piece) is Input and piece}


def segments_of(writer: "TrackingWriter") -> list[Segment]:
    """Return what was written as segments."""
    segments: list[Segment] = []
    template = Origin.TEMPLATE
    make = tuple.__new__
    literal = ""
    turn: int | None = None
    next_turn: int | None = None
    begin = 0
    # Adjacent template pieces of one turn are one segment, so a literal is kept back until something else follows it. A
    # turn in which nothing is written does not part them.
    for end, turn_after in [*writer.marks, (len(writer), None)]:
        pieces = writer[begin:end]
        if next_turn != turn and any(pieces):
            if literal:
                segments.append(make(Segment, (literal, template, (), TRANSFORMED, turn)))
                literal = ""
            turn = next_turn
        for piece in pieces:
            if not isinstance(piece, Input):
                literal += piece
            elif piece:
                if literal:
                    segments.append(make(Segment, (literal, template, (), TRANSFORMED, turn)))
                    literal = ""
                path = piece.path
                segments.append(
                    make(Segment, (plain_str(piece), Origin.INPUT if path else Origin.UNKNOWN, path, piece.start, turn))
                )
        begin, next_turn = end, turn_after
    if literal:
        segments.append(make(Segment, (literal, template, (), TRANSFORMED, turn)))
    return segments


def is_role(path: Path) -> bool:
    """Say whether `path` names the role of a message.

    Roles come from a list of known ones, so they may stand inside a marker.
    """
    return len(path) == 3 and path[0] == "messages" and path[2] == "role"


def _controls(text: str, segments: tuple[Segment, ...], template: "Template") -> list[Control]:
    pattern = template.marker_pattern
    if pattern is None:
        return []
    starts, position = [], 0
    for segment in segments:
        starts.append(position)
        position += len(segment.text)
    found = []
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
                found.append(Control(segment.path, start, match[0], begin))
                go_on = end
                break
        # After one of the template's own the search goes on inside it: another may begin there and end in a message.
        match = pattern.search(text, go_on)
    return found
