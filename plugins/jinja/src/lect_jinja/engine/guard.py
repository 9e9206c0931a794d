"""The budget of a render, and the weight of every value.

A render has an amount of work, and everything that a template does takes some of it *before* it is done. What an
operation takes follows from the *weights* of its operands, which are always known: that of a text or a number from its
length, that of a container from a memo, since a container cannot change. A value that is too heavy or nested too deeply
is refused when it is made, or when it is first used, so that nothing can be hashed, compared, sorted or written later
that would cost more than its weight.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from jinja2.exceptions import SecurityError
from jinja2.runtime import Context, Undefined

from lect.plugin import Input, given, unknown
from lect_jinja.engine.limits import (
    CHARACTERS_PER_COPY,
    SIZE_PER_CHARACTER,
    WORK_PER_CHARACTER,
    WORK_PER_MESSAGE,
    exceeded,
)
from lect_jinja.engine.spelling import printed
from lect_jinja.engine.strings import TEXTS, TRANSFORMED, Joined, joined
from lect_jinja.engine.values import RANGES, InputDict, InputFloat, InputInt, InputList, InputRange

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from datetime import datetime

    from jinja2.runtime import Macro
    from jinja2.utils import Namespace

    from lect_jinja.engine.limits import Limits

CHARACTERS = 4
"""A unit of work pays for two to the power of this many characters that are read or copied."""
OPEN = 8
"""The weight of a container, besides that of its items."""
KEPT = 16
"""The work of weighing a container for the first time, besides that of its items."""
ITEM = 2
"""The work of putting one item into a list, or of giving it to a filter."""
CHARACTER = 4
"""The same for a character of a text, which becomes an object of its own."""
WRITE = 8
"""How much more it costs to write a value than to compare it: a character may be written as twelve, and an item of
known origin is written by Python."""
LEVELS = 8
"""A value that is nested this deeply costs twice as much to write: each piece is handed from level to level."""
PIECE = 4
"""The work of changing one piece of a text that has several, or of putting it into a prompt."""
WORD_BITS = 64
NUMBER_BITS = 18
"""Multiplying, dividing or writing numbers of n bits takes n * n steps, of which a unit pays for two to this power."""
MOST_CHOSEN_HASHES = 16
"""Keys of one mapping whose hashes anybody can choose: all of them may be equal, and are then compared one by one."""
LARGEST_OWN_HASH = (1 << 61) - 2
"""Integers up to here have hashes of their own; those of texts are secret."""
SCALARS = frozenset({int, float, bool, type(None), InputInt, InputFloat})
INTEGERS = frozenset({int, InputInt})
MAPPINGS = frozenset({dict, InputDict})
SEQUENCES = frozenset({list, InputList, tuple})
VIEWS = frozenset({type({}.keys()), type({}.values()), type({}.items())})
ITEMS: type = type({}.items())
SIZED = SEQUENCES | MAPPINGS | TEXTS | VIEWS | RANGES


class Weighed(NamedTuple):
    """What is known about a container.

    Attributes:
        value: The container. While it is kept, no other value has its id.
        weight: Its size as a tree: an item that occurs twice counts twice.
        depth: Levels of containers.
        foreign: A type in it that cannot be written, such as a macro.
    """

    value: Any
    weight: int
    depth: int
    foreign: type | None


class Guard(Context):
    """A context that counts the work of a render.

    Attributes:
        tracked: Whether texts carry their origin.
        turn: The message that is being written; None before, between and after the messages.
        index: The number of a message that a loop has reached.
        left: The work that is left.
        longest: Characters that a text may have.
        depth: Levels of macros that are being called.
        reached: Returns how many characters of the prompt are written.
        marks: The start and end of the texts that generation blocks have written, in order; none is empty.
        macros: All macros that the template has made.
        namespaces: All namespaces that it has made.
    """

    left: int
    longest: int
    depth: int
    tracked: bool
    turn: int | None
    reached: Callable[[], int]
    marks: list[tuple[int, int]]

    if TYPE_CHECKING:
        # Every row of the table of operations is a method of `context.GuardedContext`.
        def __getattr__(self, name: str) -> Callable[..., Any]: ...

    def start(
        self, limits: Limits, size: Callable[[], tuple[int, int]], moment: datetime | None, *, tracked: bool
    ) -> None:
        """Set the budget of a render.

        Args:
            limits: What the template may do.
            size: Returns how many messages and characters were given; called only if the limits do not suffice.
            moment: What the template's clock says; None for now.
            tracked: Whether texts carry their origin.
        """
        self.limits = limits
        self.left = limits.work
        self.tracked = tracked
        self.moment = moment
        self.turn = None
        self.marks = []
        self._size: Callable[[], tuple[int, int]] | None = size
        self.longest = limits.string
        self.index: int | None = None
        self.depth = 0
        self._memo: dict[int, Weighed] = {}
        self.macros: list[Macro] = []
        self.namespaces: list[Namespace] = []

    def end(self) -> None:
        """Let go of what may refer to itself: all else is then freed at once, and not when garbage is collected."""
        self._size = None
        for macro in self.macros:
            macro._func = None  # type: ignore[assignment]
        for namespace in self.namespaces:
            namespace._Namespace__attrs.clear()

    # Work

    def spend(self, work: int) -> None:
        """Take some of the work that is left.

        Raises:
            LimitError: If that much is not left.
        """
        self.left -= work
        if self.left < 0:
            self._extend()
            if self.left < 0:
                self.refuse("work", "it does too much work for this conversation")

    def _extend(self) -> None:
        """Add what the size of the input allows, once."""
        if self._size is not None:
            messages, characters = self._size()
            self._size = None
            per_message = WORK_PER_MESSAGE + characters // CHARACTERS_PER_COPY
            self.left += messages * per_message + characters * WORK_PER_CHARACTER
            self.longest += characters * SIZE_PER_CHARACTER

    def refuse(self, limit: str, what: str) -> NoReturn:
        """Stop at a limit.

        Raises:
            LimitError: Always.
        """
        raise exceeded(self.name or "", self.limits, limit, what)

    def check_string(self, length: int, *parts: str) -> None:
        """Check the length of a text before it is created, and count the work.

        Args:
            length: Its length.
            parts: What it consists of; a character takes four bytes if one of them is not ASCII.

        Raises:
            LimitError: If it is too long.
        """
        self.check_length(length)
        self.spend((length if all(map(str.isascii, parts)) else 2 * length) >> CHARACTERS)

    def check_length(self, length: int) -> None:
        """Check the length of a text before it is created.

        Raises:
            LimitError: If it is too long.
        """
        if length > self.longest:
            self._extend()
            if length > self.longest:
                self.refuse("string", f"it creates a text of {length:,} characters")

    def counted(self, values: Iterable[Any], cost: int) -> Iterator[Any]:
        """Go through values, and count the work of each."""
        for value in values:
            self.spend(cost)
            yield value

    def listed(self, values: Iterable[Any]) -> list[Any]:
        """Return values as a list."""
        kind = type(values)
        if kind not in SIZED:
            return list(self.counted(values, ITEM))
        self.spend(len(values) * (CHARACTER if kind in TEXTS else ITEM))  # type: ignore[arg-type]
        return list(values)

    def deeper(self) -> None:
        """Note that a macro is called.

        Raises:
            LimitError: If macros call each other too deeply.
        """
        if self.depth >= self.limits.depth:
            self.refuse("depth", "its macros call each other too deeply")
        self.depth += 1

    # Weights

    def weight(self, value: Any) -> int:
        """Return the work of going through all of a value once."""
        kind = type(value)
        if kind in TEXTS:
            # A character takes up to four bytes if one of them is not ASCII.
            work = 1 + (len(value) >> CHARACTERS if value.isascii() else len(value) >> CHARACTERS - 1)
            return work if kind is str or kind is Input else work + PIECE * len(value.pieces)
        if kind in SCALARS:
            if kind in INTEGERS and value.bit_length() > WORD_BITS:
                bits: int = value.bit_length()
                return 1 + (bits * bits >> NUMBER_BITS)
            return 1
        return self.known(value).weight

    def known(self, value: Any) -> Weighed:
        """Return what is known about a value that is neither a text nor a number.

        Raises:
            LimitError: If it is too heavy, or nested too deeply.
        """
        return self._memo.get(id(value)) or self._weigh(value, 1)

    def _weigh(self, value: Any, level: int) -> Weighed:
        """Weigh a container by its items; those that were weighed before are not gone through again."""
        kind = type(value)
        if kind not in SEQUENCES and kind not in MAPPINGS and kind not in VIEWS:
            return Weighed(value, 1, 0, None if isinstance(value, Undefined | range | InputRange) else kind)
        if level > self.limits.depth:
            self.refuse("depth", "it nests values too deeply")
        # It is kept, with what is known about it.
        self.spend(KEPT + len(value))
        weight, depth, foreign = OPEN, 0, None
        for item in _items(value, kind):
            if type(item) is str and item.isascii():
                weight += 1 + (len(item) >> CHARACTERS)
            elif type(item) in SCALARS or type(item) in TEXTS:
                weight += self.weight(item)
                if type(item) in INTEGERS and item.bit_length() > WORD_BITS:
                    # It was made by steps that cost the same for every number, and is kept from here on.
                    self.spend(item.bit_length() // WORD_BITS)
            else:
                inner = self._memo.get(id(item)) or self._weigh(item, level + 1)
                weight += inner.weight
                depth = max(depth, inner.depth)
                foreign = foreign or inner.foreign
        if depth >= self.limits.depth:
            self.refuse("depth", "it nests values too deeply")
        if kind is dict:
            self.check_keys(value)
        if weight > self.left:
            self._extend()
            if weight > self.left:
                self.refuse("work", "it creates a value too large for this conversation")
        known = self._memo[id(value)] = Weighed(value, weight, depth + 1, kind if kind in VIEWS else foreign)
        return known

    def lesser(self, left: Any, right: Any) -> int:
        """Return the work of comparing two values, which ends where one of them does."""
        if type(left) in SCALARS or type(right) in SCALARS:
            return 1
        one, other = self.weight(left), self.weight(right)
        # Views are compared as sets: what one of them has is hashed, and looked up in the other.
        return one + other if type(left) in VIEWS or type(right) in VIEWS else min(one, other)

    def taken(self, mapping: Any) -> None:
        """Count the work of putting the items of a mapping into another."""
        keys = dict.keys(mapping)
        self.spend(ITEM * len(keys) + sum(map(self.weight, keys)))

    def check_keys(self, keys: Iterable[Any]) -> None:
        """Refuse keys that may all have the same hash.

        Raises:
            LimitError: If there are too many of them.
        """
        chosen = 0
        for key in keys:
            if type(key) not in TEXTS and not (type(key) in INTEGERS and abs(key) <= LARGEST_OWN_HASH):
                chosen += 1
        if chosen > MOST_CHOSEN_HASHES:
            self.refuse("work", f"{chosen:,} keys of one mapping are neither texts nor small numbers")

    # Texts

    def joined(self, texts: Iterable[str]) -> str:
        """Join texts into one that keeps their pieces, and count the work."""
        pieces = [piece for text in texts for piece in (text.pieces if isinstance(text, Joined) else (text,))]
        self.spend(len(pieces))
        return joined(pieces)

    def shown(self, value: Any) -> str:
        """Return a value as it is written in a prompt."""
        kind = type(value)
        if kind in TEXTS:
            return value  # type: ignore[no-any-return]
        if kind in SCALARS:
            self.spend(self.weight(value))
            if kind is InputInt or kind is InputFloat:
                return given(repr(value), value.path, TRANSFORMED)
            # Booleans and None cannot carry an origin.
            return unknown(str(value)) if self.tracked and (kind is bool or value is None) else str(value)
        if isinstance(value, Undefined):
            return str(value)
        self.about_to_write(self.listed(value) if kind in VIEWS else value)
        if kind in MAPPINGS or kind in SEQUENCES:
            text = printed(value) if self.tracked else str(value)
        else:
            text = unknown(str(value)) if self.tracked else str(value)
        self.check_string(len(text))
        return text

    def about_to_write(self, value: Any) -> None:
        """Count the work of writing a value, whose length follows from its weight.

        Raises:
            LimitError: If what is written would be too long.
            SecurityError: If there is something in it that is not a value, such as a macro.
        """
        if type(value) in SCALARS or type(value) in TEXTS:
            self.spend(WRITE * self.weight(value))
            return
        known = self.known(value)
        if known.foreign is not None:
            msg = f"a template cannot write an object of type {known.foreign.__name__!r}"
            raise SecurityError(msg)
        self.check_length(known.weight << CHARACTERS)
        self.spend(WRITE * (WRITE + known.weight) * (LEVELS + known.depth) // LEVELS)


def _items(value: Any, kind: type) -> Iterable[Any]:
    """Return what a container consists of."""
    if kind in MAPPINGS:
        # The methods of a caller's mapping would mark everything in it.
        return (*dict.keys(value), *dict.values(value))
    return [part for pair in value for part in pair] if kind is ITEMS else value
