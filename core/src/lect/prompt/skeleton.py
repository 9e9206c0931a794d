"""A skeleton: the prompt of one sequence of roles, with places for the texts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lect.values import TRANSFORMED, Origin, Segment

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from datetime import date
    from typing import Any

    from lect.prompt.watched import Place
    from lect.reports import Unused

    Places = tuple[list[int], list[int]]
    """Positions in all prompts of a shape: the indices of segments, and offsets in them."""

OBJECT_SIZE = 64
"""Bytes, roughly, of any Python object without its contents."""
PLACES = slice(1, None, 2)
"""Where the texts are among the pieces of a skeleton."""


class Skeleton:
    """The prompt of one sequence of roles without its texts.

    Not a named tuple, because its attributes are read for every prompt.
    """

    __slots__ = (
        "asks_empty", "changes", "checked_at", "compares", "count", "day", "is_ascii", "is_plain", "layout", "left",
        "order", "pieces", "slots", "spans", "turns", "unused", "unwritten",
    )  # fmt: skip

    pieces: list[str]  # literal, empty place, literal, ..., literal
    count: int  # how many texts there are
    unwritten: list[int]  # the texts that go nowhere, the last one first
    order: list[int] | None  # which of the others goes into each place; None if it is simply all of them in order
    changes: list[tuple[int, Callable[[str], str]]]  # places whose texts are converted, and the functions that do so
    is_ascii: bool  # whether the pieces are
    is_plain: bool  # whether the texts are simply written as they are and in order, whatever is in them and every day
    asks_empty: bool  # whether the program asks whether a text is empty
    compares: list[tuple[Place, Place]]  # the pairs of texts that it compares and whose stand-ins differ
    day: date | None  # the day that is written in it, if any; the skeleton is valid only on that day
    layout: list[Segment]  # the segments, with stand-ins for the texts
    slots: list[tuple[int, Place]]  # where in the layout the stand-ins are, with what goes there
    # Once they are needed, where the turns of its prompts are, and where they carry loss by the default policy:
    # positions, and what else is known of them.
    turns: tuple[Places, list[int], list[bool]] | None
    spans: tuple[Places, list[Any]] | None
    unused: list[tuple[int | None, Unused]]  # what no prompt of these roles has room for, with its text, if it is one
    left: int  # after how many more uses the prompt is compared with that of the long way
    checked_at: int  # the number of uses at that comparison

    def size(self) -> int:
        """Return roughly how many bytes it takes: its text is in the pieces and in the layout."""
        return 2 * sum(map(len, self.pieces)) + 8 * OBJECT_SIZE * len(self.layout)

    def placed(self, texts: list[str], words: tuple[str, ...]) -> list[str] | None:
        """Return the texts as they are written, in order; None where the program would do something else.

        It would if a text contains one of `words`.

        Raises:
            TypeError: If one is found not to be a text; where one is written, joining all of them finds it.
        """
        if len(texts) != self.count or (self.asks_empty and "" in texts):
            return None
        if words:
            everything = "\0".join(texts)
            for word in words:
                if word in everything:
                    return None
        for one, two in self.compares:
            if one.made_by(texts[one.text]) == two.made_by(texts[two.text]):
                return None
        placed = texts.copy()
        for text in self.unwritten:
            if type(placed.pop(text)) is not str:
                return None
        if self.order is not None:
            placed = [placed[text] for text in self.order]
        for place, made_by in self.changes:
            placed[place] = made_by(placed[place])
        return None if self.asks_empty and "" in placed else placed


class FromSkeleton:
    """A skeleton with the texts of one conversation; what a `Prompt` builds its views from."""

    __slots__ = ("_texts", "skeleton", "text")

    marked = None

    def __init__(self, skeleton: Skeleton, texts: Sequence[str], text: str):
        self.text = text
        self.skeleton = skeleton
        self._texts = texts

    def segments(self) -> list[Segment]:
        segments = self.skeleton.layout.copy()
        make = tuple.__new__
        complete = True
        for index, (number, made_by, stripped_by) in self.skeleton.slots:
            whole = self._texts[number]
            _, origin, path, start, turn = segments[index]
            if start != TRANSFORMED:
                start = 0 if stripped_by is None else len(whole) - len(stripped_by(whole))
            text = made_by(whole)
            complete = complete and text != ""
            segments[index] = make(Segment, (text, origin, path, start, turn))
        return segments if complete else list(_without_empty(segments))

    def unused(self) -> list[Unused]:
        return [unused for number, unused in self.skeleton.unused if number is None or self._texts[number].strip()]


def _without_empty(segments: list[Segment]) -> Iterator[Segment]:
    """Yield the segments that have text, adjacent template text of one turn as one segment."""
    held: Segment | None = None
    for segment in segments:
        if not segment.text:
            continue
        if held is not None and held.origin is segment.origin is Origin.TEMPLATE and held.turn == segment.turn:
            held = held._replace(text=held.text + segment.text)
            continue
        if held is not None:
            yield held
        held = segment
    if held is not None:
        yield held


def is_encodable(text: str) -> bool:
    """Return whether `text` contains no half of a surrogate pair."""
    try:
        # Chinese takes four times as long in UTF-8.
        text.encode("utf-16")
    except UnicodeEncodeError:
        return False
    return True
