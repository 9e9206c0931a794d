"""The fast path: what the shape of a conversation decides is worked out once.

What a template writes round the texts of a conversation depends on its shape, the tools and the options. So when these
are met for the second time, the program runs on stand-ins for the texts and leaves a skeleton; every later conversation
of that shape only fills in its texts. A template says by `looks_for` that this holds for it. It is not simply believed:
the stand-ins notice what the program looks at (see `prompt/watched.py`), and the first, second, fourth, eighth, ... use
of a skeleton is compared with what the program itself writes. Whatever does not fit goes the long way.
"""

from __future__ import annotations

from marshal import dumps
from typing import TYPE_CHECKING, Any

from lect.errors import LectError, TemplateWarning
from lect.prompt.chat import Chat, today
from lect.prompt.inputs import plain_str
from lect.prompt.program import run_program
from lect.prompt.segments import segments_of
from lect.prompt.shapes import EQUAL_BYTES, Taken, remade
from lect.prompt.unused import find_unused
from lect.prompt.writer import TrackingWriter, Writer
from lect.values import TRANSFORMED, Origin, Segment

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from datetime import date

    from lect.facts import Facts
    from lect.prompt.shapes import Leaf, Shape
    from lect.prompt.watched import Place, Watch
    from lect.values import Unused

    Raw = Mapping[str, Any]
    Program = Callable[[Chat, Writer], None]
    Found = tuple["Skeleton", list[Leaf], str]

LONGEST_CONVERSATION = 64
"""Longer conversations are rarer and all different: their shapes would fill the cache and never be met again."""
MOST_SKELETONS = 256
MOST_MET = 4096
LARGEST_REQUEST = 16_384
"""Bytes: what is remembered of tools and options must not grow without bound either."""

INFINITY = float("inf")
END = None
"""What no step of a shape can be."""
PLACES = slice(1, None, 2)
"""Where the texts stand among the pieces of a skeleton."""


class Skeleton:
    """The prompt of one shape without its texts. Not a tuple of any kind: the attributes are read for every prompt.

    Attributes:
        pieces: Literal, empty place, literal, ..., literal.
        order: Which leaf goes into which place; None where it is simply all of them in order.
        changes: The places whose leaves are not written as they are, and what makes them.
        dropped: The first leaf that has no place, if there is one.
        only_texts: Whether all leaves are texts.
        plain: Whether all leaves but one at most go into the places as they are and in order, and all that may be asked
            of them is whether they are empty.
        asks_empty: Whether the program asks whether a text is empty.
        compares: The texts that it compares, and that no two stand-ins for are the same.
        day: The day that is written in it, if one is: the next day it is no longer good.
        layout: The segments, with stand-ins for those of the leaves.
        slots: Where in the layout those are, with what goes there.
        unused: What no prompt of this shape has room for, with the leaf that it is, if it is one.
        left: How many uses from now is the one that is compared with the long way.
        checked_at: How many uses there will have been by then.
    """

    __slots__ = (
        "asks_empty", "changes", "checked_at", "compares", "day", "dropped", "layout", "left", "only_texts", "order",
        "pieces", "plain", "slots", "unused",
    )  # fmt: skip

    pieces: list[str]
    order: list[int] | None
    changes: list[tuple[int, Callable[[Any], str]]]
    dropped: int | None
    only_texts: bool
    plain: bool
    asks_empty: bool
    compares: list[tuple[Place, Place]]
    day: date | None
    layout: list[Segment]
    slots: list[tuple[int, Place]]
    unused: list[tuple[int | None, Unused]]
    left: float
    checked_at: int

    def filled(self, leaves: list[Leaf], words: tuple[str, ...]) -> str | None:
        """Return the prompt with these leaves; None where the conversation must go the long way.

        Raises:
            TypeError: If a leaf is of another type than its like in the shape.
        """
        given = leaves if self.only_texts else [leaf for leaf in leaves if type(leaf) is not dict]
        if self.asks_empty and "" in given:
            return None
        for one, two in self.compares:
            if one.made_by(leaves[one.leaf]) == two.made_by(leaves[two.leaf]):
                return None
        if words or self.dropped is not None:
            # This refuses whatever is no text.
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
        # To ask the texts takes no time, whatever their length; what stands round them was asked before.
        if text.isascii() or (self.only_texts and "".join(given).isascii()) or is_encodable(text):
            return text
        return None


class Filled:
    """A skeleton with the leaves of one conversation; what a `Prompt` builds its views from."""

    __slots__ = ("_leaves", "_skeleton", "text")

    def __init__(self, skeleton: Skeleton, leaves: list[Leaf], text: str):
        self.text = text
        self._skeleton = skeleton
        self._leaves = leaves

    def segments(self) -> list[Segment]:
        segments = self._skeleton.layout.copy()
        make = tuple.__new__
        complete = True
        for index, (leaf, made_by, stripped_by) in self._skeleton.slots:
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
            for leaf, unused in self._skeleton.unused
            if leaf is None or not isinstance(value := self._leaves[leaf], str) or value.strip()
        ]


def _without_empty(segments: list[Segment]) -> Iterator[Segment]:
    """Yield the segments that have a text; template text of one turn is one segment."""
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


class Skeletons:
    """The skeletons of one template, made as they are needed.

    They stand in trees, one for each list of tools with the options: step by step of a shape, each dictionary leads to
    the next, and the last has the skeleton under `END`. To walk there while the messages are read takes less time than
    to make a key of their shape and to look that up.

    Args:
        facts: What the template states.
        program: What writes it.
        looks_for: The words that the program looks for in texts; None where nothing is known of it.
        exact: Whether the program is known to look for nothing else, and need not be checked.

    Attributes:
        complete: The tree of conversations without tools and options.
        asking: The same, with a generation prompt.
    """

    __slots__ = (
        "_count", "_exact", "_facts", "_looks_for", "_met", "_opens_arguments", "_program", "_stopped", "_trees",
        "asking", "complete",
    )  # fmt: skip

    def __init__(self, facts: Facts, program: Program, looks_for: tuple[str, ...] | None, *, exact: bool):
        self._facts = facts
        self._program = program
        self._looks_for = looks_for or ()
        self._exact = exact
        self._stopped = looks_for is None
        self._opens_arguments = False
        self.complete: dict[Any, Any] = {}
        self.asking: dict[Any, Any] = {}
        self._forget()

    def _forget(self) -> None:
        self.complete.clear()
        self.asking.clear()
        self._trees: dict[Any, dict[Any, Any]] = {False: self.complete, True: self.asking}
        self._count = 0
        self._met: set[int] = set()

    def fill(
        self,
        messages: Sequence[Raw],
        tools: Sequence[Raw] | None,
        options: dict[str, Any],
        add_generation_prompt: bool,
    ) -> Found | None:
        """Return what `Filled` takes, the prompt last, or None where a conversation must go the long way."""
        if self._stopped or (type(messages) is not list and type(messages) is not tuple):
            return None
        try:
            root = self._root(tools, options, add_generation_prompt)
            leaves: list[Leaf] = []
            taken = None
            try:
                node = self._trees[root]
                for raw in messages:
                    if len(raw) == 2 and "content" in raw:
                        node = node[raw["role"]]
                        leaves.append(raw["content"])
                    else:
                        taken = taken or self._take(leaves)
                        node = node[taken.fields(raw)]
                skeleton: Skeleton | None = node[END]
            except KeyError:
                return self.meet(messages, tools, options, add_generation_prompt)
        except (LookupError, TypeError, ValueError, AttributeError):
            # Something is of another type, or has no place in a shape; the long way reads or refuses it.
            return None
        if skeleton is None:
            return None
        text = self.use(skeleton, leaves, messages, tools, options, add_generation_prompt)
        return None if text is None else (skeleton, leaves, text)

    def meet(
        self,
        messages: Sequence[Raw],
        tools: Sequence[Raw] | None,
        options: dict[str, Any],
        add_generation_prompt: bool,
    ) -> Found | None:
        """Do what `fill` does for a shape that stands in no tree: learn it, if it was met before."""
        if self._stopped:
            return None
        leaves: list[Leaf] = []
        try:
            root = self._root(tools, options, add_generation_prompt)
            shape = self._take(leaves).shape(messages) if self._is_small(root, messages) else None
            if shape is None or not self._is_met(hash((root, shape))):
                return None
        except (LookupError, TypeError, ValueError, AttributeError):
            return None
        # Nobody knows how long a role is that the template does not.
        if not self._facts.accepted_roles.issuperset(step for step in shape if isinstance(step, str)):
            return None
        skeleton = self._learnt(shape, tools, options, add_generation_prompt)
        if self._count >= MOST_SKELETONS:
            self._forget()
        self._count += 1
        node = self._trees.setdefault(root, {})
        for step in shape:
            node = node.setdefault(step, {})
        node[END] = skeleton
        if skeleton is None:
            return None
        text = self.use(skeleton, leaves, messages, tools, options, add_generation_prompt)
        return None if text is None else (skeleton, leaves, text)

    def _root(self, tools: Any, options: dict[str, Any], add_generation_prompt: bool) -> Any:
        """Return what stands for all that is not in the messages.

        For the tools and the options their bytes, which take a tenth of the time of JSON, and tell apart what JSON does
        not.
        """
        asking = bool(add_generation_prompt)
        return (asking, dumps((tools or None, options), EQUAL_BYTES)) if tools or options else asking

    def _is_small(self, root: Any, messages: Sequence[Raw]) -> bool:
        return len(messages) <= LONGEST_CONVERSATION and (
            root is True or root is False or len(root[1]) <= LARGEST_REQUEST
        )

    def _is_met(self, key: int) -> bool:
        """Return whether a shape was met before; from now on it was."""
        if key in self._met:
            return True
        if len(self._met) >= MOST_MET:
            self._met = set()
        self._met.add(key)
        return False

    def _take(self, leaves: list[Leaf]) -> Taken:
        return Taken(leaves, "argument_text" in self._facts.takes, self._opens_arguments)

    def use(
        self,
        skeleton: Skeleton,
        leaves: list[Leaf],
        messages: Sequence[Raw],
        tools: Sequence[Raw] | None,
        options: dict[str, Any],
        add_generation_prompt: bool,
    ) -> str | None:
        """Return the prompt by a skeleton, or None where the conversation must go the long way."""
        if skeleton.day is not None and skeleton.day != today():
            # The next conversations of this shape read the clock anew.
            self._forget()
            return None
        try:
            text = skeleton.filled(leaves, self._looks_for)
        except (TypeError, ValueError, AttributeError, LectError):
            return None
        skeleton.left -= 1
        if text is not None and skeleton.left <= 0:
            if text != self._long_way(messages, tools, options, add_generation_prompt):
                self._stop("its program wrote another prompt than its skeleton for the same conversation")
                return None
            skeleton.left = skeleton.checked_at
            skeleton.checked_at *= 2
        return text

    def _long_way(
        self,
        messages: Sequence[Raw],
        tools: Sequence[Raw] | None,
        options: dict[str, Any],
        add_generation_prompt: bool,
    ) -> str | None:
        """Return what the program writes; None where it refuses."""
        out = Writer()
        try:
            chat = Chat(
                self._facts, messages, tools, options, add_generation_prompt=add_generation_prompt, tracked=False
            )
            run_program(self._program, chat, out)
            return out.joined()
        except LectError:
            return None

    def _learnt(
        self, shape: Shape, tools: Sequence[Raw] | None, options: dict[str, Any], add_generation_prompt: bool
    ) -> Skeleton | None:
        """Return the skeleton of a shape; None where the template refuses it, or does more than write the texts."""
        # Imported here because nobody needs it to import lect.
        from lect.prompt.watched import LearningChat, Watch, stand_in

        watch = Watch(self._looks_for)
        messages = remade(shape, watch)
        if any(word in stand_in(0) for word in self._looks_for):
            return None
        out = TrackingWriter()
        try:
            chat = LearningChat(
                self._facts, messages, tools, options, add_generation_prompt=add_generation_prompt, tracked=True
            )
            chat.watch = watch
            watch.forget()
            run_program(self._program, chat, out)
        except LectError:
            # It refuses the conversation, or fails at the stand-ins; the long way says which.
            return None
        if watch.looks and not self._exact:
            look = watch.looks[0]
            self._stop(f"it looks at texts in a way that looks_for={self._looks_for!r} does not state: {look}")
        if watch.opened and not self._opens_arguments:
            # From now on the names of arguments are of the shape.
            self._opens_arguments = True
            self._forget()
        if watch.looks or watch.opened:
            return None
        return _skeleton(chat, out, watch, checked=not self._exact, looks=bool(self._looks_for))

    def _stop(self, why: str) -> None:
        """Go the long way from now on, and warn."""
        self._forget()
        self._stopped = True
        import warnings

        msg = (
            f"template {self._facts.name!r} has no fast path in this process: {why}\n"
            "  try: state in looks_for all words that the program looks for, or looks_for=None"
        )
        warnings.warn(msg, TemplateWarning, stacklevel=5)


def _skeleton(chat: Chat, out: TrackingWriter, watch: Watch, *, checked: bool, looks: bool) -> Skeleton | None:
    """Return what was written, with places for the leaves; None where a leaf stands somewhere else too."""
    from lect.prompt.watched import MARK

    skeleton = Skeleton()
    # From here on nobody looks but we.
    asked = watch.asked.copy()
    skeleton.compares = watch.compared
    skeleton.layout = segments_of(out)
    skeleton.pieces = [""]
    skeleton.slots = []
    for index, segment in enumerate(skeleton.layout):
        place = watch.places.get(segment.text) if segment.origin is Origin.INPUT else None
        if place is not None:
            skeleton.slots.append((index, place))
            skeleton.pieces += "", ""
        elif MARK in segment.text:
            return None
        else:
            skeleton.pieces[-1] += segment.text
    written = {segment.text for segment in skeleton.layout}
    if not is_encodable("".join(skeleton.pieces)):
        return None
    # Whether a text is empty once it is stripped is seen where it is written.
    if any(watch.places[text].made_by is not plain_str and text not in written for text in asked):
        return None
    skeleton.asks_empty = bool(asked)
    order = [place.leaf for _, place in skeleton.slots]
    skeleton.order = None if order == list(range(watch.count)) else order
    skeleton.changes = [
        (place, made_by) for place, (_, (_, made_by, _)) in enumerate(skeleton.slots) if made_by is not plain_str
    ]
    dropped = set(range(watch.count)) - set(order)
    skeleton.dropped = min(dropped, default=None)
    skeleton.only_texts = not watch.has_arguments
    skeleton.day = chat.day_read
    skeleton.unused = [(watch.leaves.get(unused.path), unused) for unused in find_unused(chat, out)]
    in_order = order == sorted(set(order)) and len(dropped) <= 1
    skeleton.plain = in_order and not (skeleton.changes or skeleton.compares or looks or skeleton.day)
    skeleton.left = 1 if checked else INFINITY
    skeleton.checked_at = 1
    return skeleton


def is_encodable(text: str) -> bool:
    """Return whether `text` has no half of a surrogate pair in it."""
    try:
        # As UTF-8, Chinese takes four times as long.
        text.encode("utf-16")
    except UnicodeEncodeError:
        return False
    return True
