"""The turns of a prompt: which characters each message's turn takes, and which of those its speaker writes.

What a model has to write begins where the generation prompt ends. So the conversation up to an assistant's message is
rendered with a generation prompt, and if the whole begins with that, the rest of the turn is the model's. It need not:
if the format drops reasoning from history, an earlier turn looks different from when it was generated. Then the turn is
compared with the generation prompt alone.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING, Any, NamedTuple

from lect.errors import LectError
from lect.values import Origin

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from lect.facts import Facts
    from lect.prompt.request import Request
    from lect.prompt.skeleton import Skeleton
    from lect.values import Segment

    Write = Callable[..., str]
    """Writes a prompt: `Template.text`."""


MOST_ASKED = 32
"""In a longer conversation, the generation prompts of its first turns stand for the others: rendering every beginning
of it would take quadratic time."""


class TurnSpan(NamedTuple):
    """Where the turn of a message is in the prompt, in characters."""

    message: int
    begin: int
    header_end: int
    """Where the header ends, without what the generation prompt says on the model's behalf."""
    start: int
    """Where the speaker begins."""
    stop: int
    """Where the string that ends the turn begins; the same as `end` if there is none."""
    end: int
    close: int
    """Where everything that the template writes for the turn ends."""


class Layout(NamedTuple):
    """The segments of a prompt, and where they begin."""

    text: str
    segments: Sequence[Segment]
    starts: list[int]
    """One more than there are segments: the last is the length of the text."""


def layout_of(text: str, segments: Sequence[Segment]) -> Layout:
    """Return where the segments of a text begin."""
    starts, position = [0], 0
    for segment in segments:
        position += len(segment.text)
        starts.append(position)
    return Layout(text, segments, starts)


def turns_in(layout: Layout, facts: Facts, request: Request, write: Write, skeleton: Skeleton | None) -> list[TurnSpan]:
    """Return the turns of a prompt; for prompts of one shape they are worked out once."""
    if skeleton is None or len(skeleton.layout) != len(layout.segments):
        return turns_of(layout, facts, request, write)
    if skeleton.turns is None:
        turns = turns_of(layout, facts, request, write)
        places = relative((position for turn in turns for position in turn[1:]), layout)
        skeleton.turns = None if places is None else (places, [turn.message for turn in turns])
        return turns
    places, messages = skeleton.turns
    position = iter(absolute(places, layout))
    return list(map(TurnSpan, messages, *[position] * (len(TurnSpan._fields) - 1)))


def turns_of(layout: Layout, facts: Facts, request: Request, write: Write) -> list[TurnSpan]:
    """Return the turns of all messages that the template writes something for."""
    stops = [stop for stop in dict.fromkeys((*facts.stop, facts.eos)) if stop]
    marks = _reasoning_marks(facts)
    asked = _Asked(layout.text, marks, request, write)
    turns = []
    for message, first, behind, own in _regions(layout):
        begin, close = layout.starts[first], layout.starts[behind]
        own_start = layout.starts[own[0]] if own else close
        own_end = layout.starts[own[-1] + 1] if own else begin
        if request.messages[message].get("role") == "assistant":
            start = asked.start(message, begin, own_start, close)
            header_end = _header_end(layout.text, marks, begin, start)
        else:
            header_end = start = own_start
        stop, end = _stop(layout.text, stops, max(start, own_end), close)
        turns.append(TurnSpan(message, begin, header_end, start, stop, end, close))
    return turns


def _regions(layout: Layout) -> list[tuple[int, int, int, list[int]]]:
    """Return for each message with a turn its first segment, the one after its last, and those of its own text."""
    bounds: dict[int, list[int]] = {}
    own: dict[int, list[int]] = {}
    for index, segment in enumerate(layout.segments):
        if segment.turn is not None:
            bounds.setdefault(segment.turn, [index, index])[1] = index + 1
        if is_own(segment, segment.turn) and segment.turn is not None:
            own.setdefault(segment.turn, []).append(index)
    return [(message, first, behind, own.get(message, [])) for message, (first, behind) in sorted(bounds.items())]


def is_own(segment: Segment, message: int | None) -> bool:
    """Return whether a segment is text of a message, other than its role."""
    path = segment.path
    return len(path) > 2 and path[0] == "messages" and path[1] == message and path[2] != "role"


def _reasoning_marks(facts: Facts) -> tuple[str, ...]:
    """Return what may open or close reasoning: a generation prompt writes nothing else on the model's behalf."""
    reasoning = getattr(getattr(facts, "reply", None), "reasoning", None)
    return (*reasoning.open, *reasoning.close) if reasoning else ("<think>", "</think>")


def _header_end(text: str, marks: tuple[str, ...], begin: int, start: int) -> int:
    found = [at for mark in marks if (at := text.find(mark, begin, start)) >= 0]
    return min(found, default=start)


def _alike(one: str, other: str) -> int:
    """Return the length of the common prefix of two texts."""
    for index, (letter, same) in enumerate(zip(one, other, strict=False)):
        if letter != same:
            return index
    return min(len(one), len(other))


def _within(text: str, mark: str, begin: int, position: int) -> int:
    """Return where a mark that spans a position begins; -1 if there is none."""
    return text.find(mark, max(begin, position - len(mark) + 1), position + len(mark) - 1)


def _stop(text: str, stops: list[str], own_end: int, close: int) -> tuple[int, int]:
    """Return the start and end of the string that ends a turn; of several, the first.

    It may be the header of the next turn, as in the formats of ChatGLM.
    """
    found = [(at, -len(stop)) for stop in stops if 0 <= (at := text.find(stop, own_end, close + len(stop))) <= close]
    if found:
        at, length = min(found)
        return at, at - length
    # White space at the end of a turn is a separator.
    end = own_end + len(text[own_end:close].rstrip())
    return end, end


class _Asked:
    """The generation prompts of one conversation."""

    def __init__(self, text: str, marks: tuple[str, ...], request: Request, write: Write):
        self._text = text
        self._marks = marks
        self._request = request
        self._write = write
        self._count = 0
        self._known: dict[Any, str] = {}

    def start(self, message: int, begin: int, own_start: int, close: int) -> int:
        """Return where the model begins to write in an assistant's turn."""
        before = self._request.messages[message - 1].get("role") if message else None
        known = self._known.get(before)
        if known is not None and self._count >= MOST_ASKED and self._text.startswith(known, begin):
            return begin + len(known)
        return self._asked_start(message, before, begin, own_start, close)

    def _asked_start(self, message: int, before: Any, begin: int, own_start: int, close: int) -> int:
        self._count += 1
        text = self._text
        asking = self._beginning(message, add_generation_prompt=True)
        if asking is not None and text.startswith(asking) and begin <= len(asking) <= close:
            self._known[before] = asking[begin:]
            return len(asking)
        complete = self._beginning(message, add_generation_prompt=False)
        if asking is None or complete is None or asking == complete or not asking.startswith(complete):
            return own_start
        agree = begin + _alike(text[begin:own_start], asking[len(complete) :])
        # `<think>` and `</think>` begin alike, and no model writes half of one.
        return min((at for mark in self._marks if (at := _within(text, mark, begin, agree)) >= 0), default=agree)

    def _beginning(self, message: int, *, add_generation_prompt: bool) -> str | None:
        """Return the prompt for what precedes a message; None if the template refuses it."""
        messages, tools, options, _ = self._request
        try:
            return self._write(messages[:message], tools=tools, add_generation_prompt=add_generation_prompt, **options)
        except LectError:
            return None


def relative(positions: Iterable[int], layout: Layout) -> list[tuple[int, int]] | None:
    """Return positions in a prompt by segment and offset, so that they hold for every prompt of the same shape.

    None if one is within text from outside: then it holds for this text only.
    """
    places = []
    for position in positions:
        index = bisect_right(layout.starts, position) - 1
        offset = position - layout.starts[index]
        if offset and layout.segments[index].origin is not Origin.TEMPLATE:
            return None
        places.append((index, offset))
    return places


def absolute(places: Sequence[tuple[int, int]], layout: Layout) -> list[int]:
    """Return relative positions as offsets in a prompt."""
    starts = layout.starts
    return [starts[index] + offset for index, offset in places]
