"""A skeleton: the prompt of one shape of conversation, with places for its texts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lect.prompt.limits import LONGEST_FAST
from lect.prompt.shapes import OBJECT_SIZE
from lect.values import TRANSFORMED, Origin, Segment

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import date

    from lect.prompt.shapes import Leaf
    from lect.prompt.watched import Place
    from lect.values import Unused

PLACES = slice(1, None, 2)
"""Where the texts are among the pieces of a skeleton."""


class Skeleton:
    """The prompt of one shape without its texts. Not a named tuple, because its attributes are read for every prompt.

    Attributes:
        pieces: Literal, empty place, literal, ..., literal.
        order: Which leaf goes into which place; None if it is simply all of them in order.
        changes: The places whose leaves are not written as they are, and the functions that convert them.
        dropped: The first leaf that has no place, if there is one.
        only_texts: Whether all leaves are texts.
        plain: Whether all leaves, or all but one, go into the places as they are and in order, and the program asks at
            most whether they are empty.
        ready: The pieces, if nothing has to be checked or counted before they are filled; else None.
        asks_empty: Whether the program asks whether a text is empty.
        compares: The pairs of texts that it compares and whose stand-ins differ.
        day: The day that is written in it, if any; the skeleton is valid only on that day.
        layout: The segments, with stand-ins for the leaves.
        slots: Where in the layout the stand-ins are, with what goes there.
        turns: Where the turns of its prompts are, once they are needed: positions, and what else is known of them.
        spans: Where its prompts carry loss by the default policy, likewise.
        unused: What no prompt of this shape has room for, each with its leaf, if it is one.
        left: After how many more uses the prompt is compared with that of the long way.
        checked_at: The number of uses at that comparison.
    """

    __slots__ = (
        "asks_empty", "changes", "checked_at", "compares", "day", "dropped", "layout", "left", "only_texts", "order",
        "pieces", "plain", "ready", "slots", "spans", "turns", "unused",
    )  # fmt: skip

    pieces: list[str]
    order: list[int] | None
    changes: list[tuple[int, Callable[[Any], str]]]
    dropped: int | None
    only_texts: bool
    plain: bool
    ready: list[str] | None
    asks_empty: bool
    compares: list[tuple[Place, Place]]
    day: date | None
    layout: list[Segment]
    slots: list[tuple[int, Place]]
    turns: tuple[list[tuple[int, int]], list[Any]] | None
    spans: tuple[list[tuple[int, int]], list[Any]] | None
    unused: list[tuple[int | None, Unused]]
    left: float
    checked_at: int

    def size(self) -> int:
        """Return roughly how many bytes it takes: its text is in the pieces and in the layout."""
        return 2 * sum(map(len, self.pieces)) + 8 * OBJECT_SIZE * len(self.layout)

    def filled(self, leaves: list[Leaf], words: tuple[str, ...]) -> str | None:
        """Return the prompt with these leaves; None where the conversation must go the long way.

        Raises:
            TypeError: If a leaf is of another type than the shape has in its place.
        """
        given = leaves if self.only_texts else [leaf for leaf in leaves if type(leaf) is not dict]
        if self.asks_empty and "" in given:
            return None
        for one, two in self.compares:
            if one.made_by(leaves[one.leaf]) == two.made_by(leaves[two.leaf]):
                return None
        everything = None
        if words or self.dropped is not None:
            # This raises TypeError for anything but text.
            everything = "\0".join(given)
            for word in words:
                if word in everything:
                    return None
        texts = leaves.copy() if self.order is None else [leaves[leaf] for leaf in self.order]
        for place, made_by in self.changes:
            texts[place] = made_by(texts[place])
        if self.asks_empty and "" in texts:
            return None
        pieces = self.pieces.copy()
        pieces[PLACES] = texts
        text = "".join(pieces)
        if len(text) > LONGEST_FAST:
            return None
        # `isascii` is O(1); the literals were checked when the skeleton was built.
        if text.isascii():
            return text
        if self.only_texts and ("".join(given) if everything is None else everything).isascii():
            return text
        return text if is_encodable(text) else None


class Filled:
    """A skeleton with the leaves of one conversation; what a `Prompt` builds its views from."""

    __slots__ = ("_leaves", "skeleton", "text")

    def __init__(self, skeleton: Skeleton, leaves: list[Leaf], text: str):
        self.text = text
        self.skeleton = skeleton
        self._leaves = leaves

    def segments(self) -> list[Segment]:
        segments = self.skeleton.layout.copy()
        make = tuple.__new__
        complete = True
        for index, (leaf, made_by, stripped_by) in self.skeleton.slots:
            value = self._leaves[leaf]
            _, origin, path, start, turn = segments[index]
            if start != TRANSFORMED:
                start = 0 if stripped_by is None else len(value) - len(stripped_by(value))
            text = made_by(value)
            complete = complete and text != ""
            segments[index] = make(Segment, (text, origin, path, start, turn))
        return segments if complete else list(_without_empty(segments))

    def unused(self) -> list[Unused]:
        return [
            unused
            for leaf, unused in self.skeleton.unused
            if leaf is None or not isinstance(value := self._leaves[leaf], str) or value.strip()
        ]


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
