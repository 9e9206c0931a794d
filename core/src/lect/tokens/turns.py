"""The turns of a prompt: which characters each message's turn takes, and which of those its speaker writes.

What a model has to write begins where the generation prompt ends. So the conversation up to an assistant's message is
rendered with a generation prompt, and if the whole begins with that, the rest of the turn is the model's. It need not:
if the format drops reasoning from history, an earlier turn is compared with the generation prompt alone.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Literal, NamedTuple

from lect.errors import LectError
from lect.facts import Facts
from lect.prompt.message import REASONING_NAMES, Request
from lect.prompt.segments import Layout
from lect.values import TEMPLATE, Segment

Write = Callable[..., str]
"""Writes a prompt: `Template.text`."""
MOST_RENDERED = 16
"""In a longer conversation, the generation prompts of its first turns stand for those that follow: rendering every
beginning of it would take quadratic time."""


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
    is_served: bool = False
    """Whether a server's prompt is before its start, and all that the message says after it."""


class TurnMarks:
    """What a format writes around what its model says, read from its facts once.

    Attributes:
        stops: The strings that end a turn.
        opening: What may open reasoning. A generation prompt writes nothing but reasoning on the model's behalf.
        closing: What may close it.
        own: What the model itself writes: the marks of reasoning, and those that open calls.
        call_ends: The marks that close calls.
        unlisted_stops: The control tokens that may end a turn although they are not known as stops.
        whole: Those of which no model writes half.
    """

    def __init__(self, facts: Facts):
        self.stops = [stop for stop in dict.fromkeys((*facts.stop, facts.eos)) if stop]
        reasoning = getattr(getattr(facts, "reply", None), "reasoning", None)
        self.opening: tuple[str, ...] = reasoning.open if reasoning else ("<think>",)
        self.closing: tuple[str, ...] = reasoning.close if reasoning else ("</think>",)
        self.own = (*self.opening, *self.closing, *call_marks(facts, "open"))
        self.call_ends = tuple(call_marks(facts, "close"))
        self.whole = (*self.own, *facts.markers)
        marks = {*self.own, *self.call_ends}
        if (grammar := getattr(facts, "reply", None)) is not None:
            channel_ends = grammar.channels.end if grammar.channels else ()
            marks.update(*(wrapper.close for wrapper in grammar.wrappers), channel_ends)
        self.unlisted_stops = [token for token in facts.control_tokens if token not in marks]

    def stop_at_the_end(self, header: str, rest: str) -> str:
        """Return the control token with which a format ends the rest of a turn: none that opens a turn."""
        ends = (token for token in self.unlisted_stops if rest.endswith(token) and token not in header)
        return max(ends, key=len, default="")

    def stop_in(self, text: str, own_end: int, close: int) -> tuple[int, int]:
        """Return the start and end of the string that ends a turn, between the end of its own text and its close.

        Of several it is the first. It may be the header of the next turn, as in the formats of ChatGLM.
        """
        first, behind = close + 1, 0
        for stop in self.stops:
            at, length = text.find(stop, own_end, close + len(stop)), len(stop)
            if 0 <= at < first or (at == first and at + length > behind):
                first, behind = at, at + length
        if behind:
            return first, behind
        # White space at the end of a turn is a separator.
        end = own_end + len(text[own_end:close].rstrip())
        return end, end

    def closes(self, text: str, header_end: int, start: int, stop: int) -> bool:
        """Return whether reasoning that the generation prompt has opened is closed in the turn."""
        opened = last_mark(text, self.opening, header_end, start)
        return opened < 0 or any(text.find(mark, opened, stop) >= 0 for mark in self.closing)

    def agreement(self, text: str, opening: str, begin: int, end: int) -> int:
        """Return where a part of a text ceases to agree with another text, but not within a mark of the format.

        `<think>` and `</think>` begin alike, and no model writes half of one.
        """
        agree = begin + alike(text[begin:end], opening)
        around = text[agree - 1 : agree + 1]
        spanning = [mark for mark in self.whole if around in mark]
        within = (text.find(mark, max(begin, agree - len(mark) + 1), agree + len(mark) - 1) for mark in spanning)
        return min((at for at in within if at >= 0), default=agree)


def turns_of(
    layout: Layout, marks: TurnMarks, request: Request, write: Write, wanted: slice = slice(None)
) -> list[TurnSpan]:
    """Return the turns of all messages that the template writes something for, or of those that are wanted."""
    text, starts, segments = layout.text, layout.starts, layout.segments
    of_reasoning = (*marks.opening, *marks.closing)
    prompts = _GenerationPrompts(text, marks, request, write)
    make = tuple.__new__
    turns = []
    for message, first, behind, own in layout.regions()[wanted]:
        begin, close = starts[first], starts[behind]
        own_start, own_end, last = close, begin, behind
        if own:
            own_start, own_end = starts[own[0]], starts[own[-1] + 1]
            # A few formats write the results of calls into the same turn.
            for at in range(own[-1] + 1, behind):
                if segments[at].path and is_anothers(segments[at], message):
                    last = at
                    break
        given = request.messages[message]
        follows_prompt = False
        if given.get("role") == "assistant":
            start, follows_prompt = prompts.start(message, begin, own_start, close)
            header_end = first_mark(text, of_reasoning, begin, start)
        else:
            header_end = start = own_start
        stop, end = marks.stop_in(text, max(start, own_end), starts[last])
        if last < behind:
            close = starts[last]
            if stop == end:
                # What follows the last mark of the calls may be their names again, in the results.
                ends = (at + len(mark) for mark in marks.call_ends if (at := text.rfind(mark, start, close)) >= 0)
                stop = end = max(ends, default=own_end)
        elif stop == end:
            stop -= len(marks.stop_at_the_end(text[begin:start], text[max(start, own_end) : end]))
        is_served = (
            follows_prompt
            and not missing_fields(given, [segments[index] for index in own])
            and (start == header_end or marks.closes(text, header_end, start, stop))
        )
        turns.append(make(TurnSpan, (message, begin, header_end, start, stop, end, close, is_served)))
    return turns


def missing_fields(message: Mapping[str, Any], segments: Iterable[Segment]) -> list[str]:
    """Return the fields of a message that are not among the segments of its turn."""
    paths = {segment.path[2:4] for segment in segments if len(segment.path) > 2}
    written = {path[0] for path in paths}
    missing = []
    content = message.get("content")
    if content and "content" not in written and not (isinstance(content, str) and content.isspace()):
        missing.append("content")
    if any(map(message.get, REASONING_NAMES)) and written.isdisjoint(REASONING_NAMES):
        missing.append("reasoning")
    calls = message.get("tool_calls")
    if calls and any(("tool_calls", number) not in paths for number in range(len(calls))):
        missing.append("tool calls")
    return missing


def cut(layout: Layout, begin: int, end: int) -> list[Segment]:
    """Return the segments of a part of a prompt."""
    pieces = []
    for index in range(bisect_right(layout.starts, begin) - 1, bisect_left(layout.starts, end)):
        at, segment = layout.starts[index], layout.segments[index]
        first = max(begin - at, 0)
        start = segment.start + first if segment.start >= 0 else segment.start
        pieces.append(segment._replace(text=segment.text[first : end - at], start=start))
    return [piece for piece in pieces if piece.text]


def is_anothers(segment: Segment, message: int) -> bool:
    """Return whether a segment is text of another message."""
    return segment.path[:1] == ("messages",) and segment.path[1] != message


def is_own(segment: Segment, message: int | None) -> bool:
    """Return whether a segment is text of a message, other than its role."""
    _, origin, path, _, _ = segment
    return len(path) > 2 and path[:2] == ("messages", message) and path[2] != "role" and origin is not TEMPLATE


def call_marks(facts: Facts, fact: Literal["open", "close"]) -> Iterator[str]:
    """Yield the marks with which calls open, or those with which they close."""
    for section in getattr(getattr(facts, "reply", None), "sections", ()):
        for mark in (*getattr(section, fact), *(mark for call in section.calls for mark in getattr(call, fact))):
            yield mark if isinstance(mark, str) else mark[0 if fact == "open" else -1]


def first_mark(text: str, marks: Iterable[str], begin: int = 0, end: int | None = None) -> int:
    """Return where the first of some marks between two places begins; the second place if there is none."""
    end = first = len(text) if end is None else end
    for mark in marks if begin < end else ():
        at = text.find(mark, begin, end)
        if 0 <= at < first:
            first = at
    return first


def last_mark(text: str, marks: Iterable[str], begin: int = 0, end: int | None = None) -> int:
    """Return where the last of some marks between two places begins; -1 if there is none."""
    return max((text.rfind(mark, begin, end) for mark in marks), default=-1)


def alike(one: str, other: str) -> int:
    """Return the length of the common prefix of two texts."""
    least, most = 0, min(len(one), len(other))
    while least < most:
        middle = (least + most + 1) // 2
        if one[least:middle] == other[least:middle]:
            least = middle
        else:
            most = middle - 1
    return least


class _GenerationPrompts:
    """The generation prompts of one conversation."""

    def __init__(self, text: str, marks: TurnMarks, request: Request, write: Write):
        self._text, self._marks, self._request, self._write = text, marks, request, write
        self._count = 0
        self._known: dict[Any, tuple[str, bool]] = {}
        """By the role before, a generation prompt, and whether the text ever begins with the prompt up to there."""

    def start(self, message: int, begin: int, own_start: int, close: int) -> tuple[int, bool]:
        """Return where the model begins to write in an assistant's turn, and whether all before it is the prompt."""
        before = self._request.messages[message - 1].get("role") if message else None
        if before in self._known and self._count >= MOST_RENDERED:
            opening, follows_prompt = self._known[before]
            if follows_prompt and self._text.startswith(opening, begin):
                return begin + len(opening), True
            # Only the last turns may look otherwise than those before them.
            if not follows_prompt and message < len(self._request.messages) - MOST_RENDERED:
                return self._agreed(opening, begin, own_start), False
        return self._rendered_start(message, before, begin, own_start, close)

    def _rendered_start(self, message: int, before: Any, begin: int, own_start: int, close: int) -> tuple[int, bool]:
        self._count += 1
        text = self._text
        prompt = self._beginning(message, add_generation_prompt=True)
        if prompt is not None and text.startswith(prompt) and begin <= len(prompt) <= close:
            self._known[before] = prompt[begin:], True
            return len(prompt), True
        complete = self._beginning(message, add_generation_prompt=False)
        if prompt is None or complete is None or not prompt.startswith(complete):
            return own_start, False
        opening = prompt[len(complete) :]
        self._known.setdefault(before, (opening, False))
        return self._agreed(opening, begin, own_start), False

    def _agreed(self, opening: str, begin: int, own_start: int) -> int:
        """Return where a turn ceases to agree with a generation prompt."""
        text = self._text
        if not opening:
            # Words before the first mark are a header, white space is the model's.
            mark = first_mark(text, self._marks.own, begin, own_start)
            return mark if text[begin:mark].strip() else begin
        return self._marks.agreement(text, opening, begin, own_start)

    def _beginning(self, message: int, *, add_generation_prompt: bool) -> str | None:
        """Return the prompt for what precedes a message; None if the template refuses it."""
        messages, tools, options, _ = self._request
        try:
            return self._write(messages[:message], tools=tools, add_generation_prompt=add_generation_prompt, **options)
        except LectError:
            return None
