"""The budget of a render and the cost of values, which every operation checks before it does anything."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

from jinja2.exceptions import SecurityError
from jinja2.runtime import Context, Undefined

from lect.plugin import given, unknown
from lect_jinja.limits import CHARACTERS_PER_COPY, SIZE_PER_CHARACTER, WORK_PER_CHARACTER, WORK_PER_MESSAGE, exceeded
from lect_jinja.spelling import printed
from lect_jinja.strings import TEXTS, TRANSFORMED, Joined, joined, pieces_of
from lect_jinja.values import InputDict, InputFloat, InputInt, InputList

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from datetime import datetime

    from lect_jinja.limits import Limits

SMALL = 512
"""Characters; shorter texts cost no more than the step that creates them."""
VISIT = 3
"""The work of looking at one item of a container."""
SCALARS = frozenset({int, float, bool, type(None), InputInt, InputFloat})
MAPPINGS = frozenset({dict, InputDict})
SEQUENCES = frozenset({list, InputList, tuple})
VIEWS = frozenset({type({}.keys()), type({}.values()), type({}.items())})


class Guard(Context):
    """A context that counts the work of a render.

    Attributes:
        tracked: Whether texts carry their origin.
        turn: The message that is being written; None before, between and after the messages.
        left: The work that is left.
    """

    left: int
    tracked: bool
    turn: int | None

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
        self._size: Callable[[], tuple[int, int]] | None = size
        self._longest = limits.string
        self._index: int | None = None
        self._depth = 0

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
            self._longest += characters * SIZE_PER_CHARACTER

    def refuse(self, limit: str, what: str) -> NoReturn:
        """Stop at a limit.

        Raises:
            LimitError: Always.
        """
        raise exceeded(self.name or "", self.limits, limit, what)

    def check_string(self, length: int) -> None:
        """Check the length of a text before it is created, and count the work.

        Raises:
            LimitError: If it is too long.
        """
        if length > SMALL:
            if length > self._longest:
                self._extend()
                if length > self._longest:
                    self.refuse("string", f"it creates a text of {length:,} characters")
            self.spend(length >> 4)

    def go_through(self, text: str) -> None:
        """Count the work of going through a text: its characters, and its pieces if it has several."""
        if isinstance(text, Joined):
            self.spend(len(text.pieces))
        if len(text) > SMALL:
            self.spend(len(text) >> 5)

    def joined(self, texts: Iterable[str]) -> str:
        """Join texts into one that keeps their pieces, and count the work."""
        text = joined(piece for text in texts for piece in pieces_of(text))
        if isinstance(text, Joined):
            self.spend(len(text.pieces))
        return text

    def weigh(self, value: Any, depth: int = 0) -> None:
        """Count the work of going through all of a value.

        Raises:
            LimitError: If it is too large, or nested too deeply.
        """
        kind = type(value)
        if kind in TEXTS:
            self.spend(len(value) >> 3)
            self.go_through(value)
        elif kind in SEQUENCES or kind in MAPPINGS:
            if depth >= self.limits.depth:
                self.refuse("depth", "it nests values too deeply")
            self.spend(VISIT * (len(value) + 1))
            # The methods of a caller's mapping would mark everything in it.
            for item in (*dict.keys(value), *dict.values(value)) if kind in MAPPINGS else value:
                if type(item) not in SCALARS:
                    self.weigh(item, depth + 1)
        elif depth and kind not in SCALARS and not isinstance(value, Undefined | range):
            msg = f"a template cannot write or compare an object of type {kind.__name__!r}"
            raise SecurityError(msg)

    def weighed(self, value: Any) -> Any:
        """Weigh a value that is about to be compared, and return it."""
        if type(value) not in SCALARS:
            self.weigh(value)
        return value

    def hashed(self, key: Any) -> Any:
        """Return a key that is about to be looked up; tuples are weighed, as hashing nested ones could take forever."""
        if type(key) is tuple:
            self.weigh(key)
        return key

    def listed(self, values: Iterable[Any]) -> list[Any]:
        """Return values as a list."""
        return list(self.counted(values, 1))

    def counted(self, values: Iterable[Any], cost: int) -> Iterator[Any]:
        """Go through values, and count the work of each."""
        for value in values:
            self.spend(cost)
            yield value

    def shown(self, value: Any) -> str:
        """Return a value as it is written in a prompt."""
        kind = type(value)
        if kind in TEXTS:
            return value  # type: ignore[no-any-return]
        if kind is InputInt or kind is InputFloat:
            return given(repr(value), value.path, TRANSFORMED)
        if kind in SCALARS:
            # Booleans and None cannot carry an origin.
            return unknown(str(value)) if self.tracked and (kind is bool or value is None) else str(value)
        if kind in MAPPINGS or kind in SEQUENCES:
            self.weigh(value)
            text = printed(value) if self.tracked else str(value)
        elif kind in VIEWS or kind is range:
            self.weigh(list(value))
            text = unknown(str(value)) if self.tracked else str(value)
        elif isinstance(value, Undefined):
            return str(value)
        else:
            msg = f"a template cannot write an object of type {kind.__name__!r}"
            raise SecurityError(msg)
        self.check_string(len(text))
        return text
