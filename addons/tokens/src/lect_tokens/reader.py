"""Reads token ids by what a template writes around the texts of a conversation."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from heapq import heappop, heappush
from itertools import islice, pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from lect.addon import Decoder, alike, encoder_of
from lect_tokens.frames import ANSWER, ANSWERED, OPENED, START, UNANSWERED, Alphabet, Frame, Frames, numbered, repeated

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lect import Template

REPLY, UNSTOPPED = "reply", "unstopped"
MODEL = (*ANSWER, REPLY)
ENDS = (OPENED, ANSWERED, UNANSWERED, UNSTOPPED)
MOST_READINGS = 16
SHORTEST_TOLD = 3
"""Characters of a frame whose control tokens are told from those in a text by what is around them."""


class State(NamedTuple):
    """A place where a text begins, and what text it is."""

    at: int
    kind: str


class Step(NamedTuple):
    """A text and what follows it."""

    state: State
    """Where the text begins."""
    end: int
    """Where it ends, and the template goes on."""
    frame: Frame


class Miss(NamedTuple):
    """Where a reading ended, and what was expected there."""

    at: int
    expected: str
    after: str
    """What the text before it is."""


class Stream:
    """Token ids as text in which each control token is one character."""

    def __init__(self, ids: Sequence[int], tokenizer: Any):
        self.ids = ids
        self.tokens: list[int] = []
        """For each piece, its first token."""
        self.starts: list[int] = []
        """For each piece, where it begins."""
        texts: list[str] = []
        encoder = encoder_of(tokenizer)
        alphabet = Alphabet(encoder)
        # As after a control token: a space that the tokenizer itself puts before a text is not the template's.
        decoder = Decoder(tokenizer, next(iter(encoder.control_ids), None))
        at = token = 0
        for text, count, is_control in [*decoder.pieces(ids), decoder.rest()]:
            texts.append(alphabet.character(ids[token]) if is_control else text)
            self.tokens.append(token)
            self.starts.append(at)
            at += len(texts[-1])
            token += count
        self.text = "".join(texts)

    def pieces(self) -> list[tuple[int, tuple[int, ...]]]:
        """Return where each piece begins, and its ids."""
        bounds = pairwise([*self.tokens, len(self.ids)])
        return [(at, tuple(self.ids[first:behind])) for at, (first, behind) in zip(self.starts, bounds, strict=True)]

    def token(self, at: int) -> int:
        """Return the index of the token to which a character belongs."""
        return self.tokens[bisect_right(self.starts, at) - 1]


class Reader:
    """Reads a text by the frames of a template.

    Args:
        template: The template.
        frames: What it writes.
        text: The text.
    """

    def __init__(self, template: Template, frames: Frames, text: str):
        self._text, self._stops = text, template.edges().turn_marks.stops
        self._alphabet, self._hard_ones = frames.alphabet, frames.hard
        self.frames = [*repeated(numbered(frames.all, text), text)]
        alphabet = frames.alphabet
        self._hard = [at for at, each in enumerate(text) if each in frames.hard]
        self._ends = {alphabet.of(each) for each in (*self._stops, template.bos) if each} - frames.hard
        self._by_kind: dict[str, list[Frame]] = defaultdict(list)
        for frame in dict.fromkeys([*self.frames, *self._replies()]):
            self._by_kind[frame.before].append(frame)
        self._misses: list[Miss] = []
        self._neighbours = self._adjacent()
        self._never = {kind: self._meant(kind) for kind in [*self._by_kind]}
        self._came: dict[State, list[Step]] = {State(0, START): []}
        self._written: dict[State, int] = {}
        """How many characters the template has written up to a place, by the reading in which they are most."""
        self._walk()

    def _replies(self) -> Iterator[Frame]:
        """Yield how an answer ends that a model has written, or that was cut off after its stop."""
        stops = [self._alphabet.of(stop) for stop in self._stops] or [""]
        for frame in self.frames:
            if frame.after == OPENED:
                yield frame._replace(after=REPLY)
            if frame.after == ANSWERED and frame.before in MODEL:
                for stop in stops:
                    at = frame.literal.find(stop) if stop else -1
                    yield frame._replace(
                        literal=frame.literal[:at] + stop if at >= 0 else frame.literal.rstrip() + stop
                    )
        for stop in stops:
            yield Frame(REPLY, stop, ANSWERED, is_new=False)
        for kind in MODEL:
            yield Frame(kind, "", UNSTOPPED, is_new=False)

    def _adjacent(self) -> set[str]:
        """Return pairs of characters of frames, one of them a control token between turns: neighbours, or one apart.

        One apart, because what was between them may be what is missing.
        """
        return {
            frame.literal[at] + frame.literal[at + apart]
            for frame in self.frames
            for apart in (1, 2)
            for at in range(len(frame.literal) - apart)
            if not self._hard_ones.isdisjoint((frame.literal[at], frame.literal[at + apart]))
        }

    def _meant(self, kind: str) -> set[str]:
        """Return the control tokens that are never part of a text: those that may end it, and those that open one.

        One that has at least two neighbours in every frame is told from a text by these.
        """
        hard, left, kinds = self._hard_ones, [kind], {kind}
        if kind in (START, REPLY):
            return hard
        following: set[str] = set()
        while left:
            for frame in self._by_kind[left.pop()]:
                following.update(hard.intersection(frame.literal))
                if not frame.is_new and frame.after not in kinds:
                    kinds.add(frame.after)
                    left.append(frame.after)
        short = {
            each
            for frame in self.frames
            if frame.after not in ENDS and len(frame.literal) < SHORTEST_TOLD
            for each in frame.literal
        }
        opening = {frame.literal[-1:] for frame in self.frames if frame.is_new} & hard
        return following & short | opening

    def _walk(self) -> None:
        """Find all places that can be reached; each frame is looked for where it first follows a text."""
        queue = [State(0, START)]
        while queue:
            state = heappop(queue)
            self._written[state] = max(map(self._told, self._came[state]), default=0)
            for frame in self._by_kind[state.kind]:
                for end in self._ends_of(state, frame):
                    behind = end + len(frame.literal)
                    reached = State(behind, frame.after)
                    if end == state.at and self._is_doubled(state, frame):
                        continue
                    if state.kind == START and self._text[behind : behind + 1] in self._ends:
                        self._misses.append(Miss(behind, "", state.kind))
                        continue
                    is_reached = reached in self._came
                    if not is_reached:
                        self._came[reached] = []
                        if frame.after not in ENDS:
                            heappush(queue, reached)
                    # Texts without anything between them could follow each other forever.
                    if not (is_reached and behind == state.at):
                        self._came[reached].append(Step(state, end, frame))

    def _is_doubled(self, state: State, frame: Frame) -> bool:
        """Return whether an empty text is none: the first of all, or one between two equal control tokens."""
        before, first = self._text[state.at - 1 : state.at], frame.literal[:1]
        return state.kind != START and (not before or (before == first and before in self._hard_ones))

    def _told(self, step: Step) -> int:
        return self._written[step.state] + len(step.frame.literal)

    def _next_hard(self, at: int) -> int:
        index = bisect_left(self._hard, at)
        return self._hard[index] if index < len(self._hard) else len(self._text)

    def _ends_of(self, state: State, frame: Frame) -> Iterator[int]:
        """Yield where a text ends because a frame follows it."""
        text, literal = self._text, frame.literal
        if frame.after == UNSTOPPED:
            yield from [len(text)] if self._next_hard(state.at) == len(text) else []
            return
        limit = self._next_hard(state.at)
        at = next((at for at, each in enumerate(literal) if each in self._hard_ones), None)
        while True:
            if state.kind == START:
                end = 0
            elif at is not None:
                end = limit - at
            elif frame.after in ENDS:
                end = len(text) - len(literal)
            else:
                end = text.find(literal, state.at, limit) if literal else state.at
            fits = end >= state.at and text.startswith(literal, end) and end <= limit
            if fits and (frame.after not in ENDS or end + len(literal) == len(text)):
                yield end
            else:
                is_near = state.at <= end <= limit
                self._miss(state, frame, end if is_near else limit, limit)
            if not self._is_lone(limit, state.kind):
                return
            limit = self._next_hard(limit + 1)

    def _is_lone(self, at: int, kind: str) -> bool:
        """Return whether a control token is amid a text: no part of a frame is around it."""
        around = self._text[at - 1 : at + 2]
        if at == 0 or len(around) < 3 or any(map(self._alphabet.is_control, (around[0], around[2]))):
            return False
        if around[1] in self._never[kind]:
            return False
        return around[:2] not in self._neighbours and around[1:] not in self._neighbours

    def _miss(self, state: State, frame: Frame, end: int, limit: int) -> None:
        if frame.after in (REPLY, UNSTOPPED):
            return
        agree = alike(self._text[end : end + len(frame.literal)], frame.literal)
        at = max(end + agree, limit if state.kind != START else 0)
        self._misses.append(Miss(at, frame.literal[agree:], state.kind))

    # What was found

    def readings(self, *ends: str) -> Iterator[list[Step]]:
        """Yield the readings of the whole text that end in one of these ways."""
        for end in ends:
            yield from islice(self._paths(State(len(self._text), end)), MOST_READINGS)

    def _paths(self, state: State) -> Iterator[list[Step]]:
        stack: list[tuple[State, list[Step]]] = [(state, [])]
        while stack:
            state, after = stack.pop()
            if state.kind == START:
                yield after
                continue
            steps = sorted(self._came.get(state, ()), key=self._told)
            stack += ((step.state, [step, *after]) for step in steps)

    def miss(self) -> tuple[int, list[str]]:
        """Return the last place that any reading reached, and what was expected there."""
        at = max(miss.at for miss in self._misses)
        return at, [*dict.fromkeys(miss.expected for miss in self._misses if miss.at == at and miss.expected)]
