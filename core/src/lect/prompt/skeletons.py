"""Skeletons: prompts with places for their texts, learnt from what a program writes.

In a plain chat every message is a role and a text. The prompts of the same roles differ only in the texts: what is
around them does not change. So for a sequence of roles that was met before, the program runs once on stand-ins for the
texts, and what it writes, a *skeleton*, is filled in from then on. Everything else, such as calls and tools, is written
by the program: agents send every prefix of a growing session, and hardly ever the same shape twice.

A skeleton is right only if the program does not look into texts; a template states so with `looks_for`. This is
checked: the stand-ins notice what the program looks at (see `prompt/watched.py`), and the first, second, fourth,
eighth, ... use of a skeleton is compared with what the program itself writes. Whatever does not fit goes the long way.
"""

from __future__ import annotations

from marshal import dumps
from typing import TYPE_CHECKING, Any

from lect.errors import LectError, TemplateWarning, warn_caller
from lect.prompt.chat import Chat, today
from lect.prompt.limits import LONGEST_FAST
from lect.prompt.program import run_program
from lect.prompt.skeleton import PLACES, is_encodable
from lect.prompt.writer import Writer
from lect.values import EQUAL_BYTES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import date

    from lect.facts import Facts
    from lect.prompt.frame import Frame
    from lect.prompt.program import Program
    from lect.prompt.skeleton import Skeleton

    Shape = str | tuple[str, bool, bytes]
    """The roles; where there are options, also whether a generation prompt is asked for, and the options."""
    Known = dict[Shape, Skeleton | None]
    Filling = tuple[Skeleton, list[str], str]
    """A skeleton, the texts that go into it, and the prompt."""

LONGEST_CONVERSATION = 64
"""Longer conversations are rarer and all different: their shapes would fill the cache and never be met again."""
MOST_SKELETONS = 256
MOST_MET = 4096
MOST_MISSES = 16
"""In a row: after that, only every 16th conversation is looked up, so that traffic whose shapes do not repeat hardly
pays for it."""
LARGEST_SHAPE = 4096
"""Bytes: options may be of any size."""
LARGEST_SKELETON = 256 * 1024
"""Bytes."""
MOST_BYTES = 4 * 2**20
"""Of all skeletons of a template."""
BETWEEN = "\0"
"""Joins the roles of a shape, because one text is found faster than a tuple of them. A role that contains it makes a
shape of more roles than there are texts, which fits no skeleton."""


class Skeletons:
    """The skeletons of one template, built as they are needed.

    They are found by the roles of a conversation, whether a generation prompt is asked for, and the options.

    Args:
        facts: What the template states.
        program: The template's program.
        looks_for: The words that the program looks for in texts; None if they are not known.
        exact: Whether the program is known to look for nothing else, and need not be checked.
    """

    __slots__ = (
        "_asking", "_complete", "_exact", "_facts", "_looks_for", "_met", "_misses", "_program", "_size", "_stopped",
        "_with_options",
    )  # fmt: skip

    def __init__(self, facts: Facts, program: Program, looks_for: tuple[str, ...] | None, *, exact: bool):
        self._facts = facts
        self._program = program
        self._looks_for = looks_for or ()
        self._exact = exact
        self._stopped = looks_for is None
        self._misses = 0
        self._complete: Known = {}
        self._asking: Known = {}
        self._with_options: Known = {}
        self._size = 0
        self._met: set[int] = set()

    def _forget(self) -> None:
        for known in (self._complete, self._asking, self._with_options):
            known.clear()
        self._met.clear()
        self._size = 0

    def fill(self, messages: Sequence[Mapping[str, Any]], options: dict[str, Any], asking: bool) -> Filling | None:
        """Return the skeleton, the texts and the prompt of a plain chat; None where it must go the long way."""
        self._misses += 1
        if self._stopped or (self._misses > MOST_MISSES and self._misses % 16):
            return None
        roles: list[str] = []
        texts: list[str] = []
        try:
            if len(messages) > LONGEST_CONVERSATION:
                return None
            for raw in messages:
                if len(raw) != 2:
                    return None
                roles.append(raw["role"])
                texts.append(raw["content"])
            known = self._asking if asking else self._complete
            shape: Shape = BETWEEN.join(roles)
            if options:
                known = self._with_options
                shape = BETWEEN.join(roles), bool(asking), dumps(options, EQUAL_BYTES)
            skeleton = known[shape] if shape in known else self._meet(known, shape, roles, options, bool(asking))
            if skeleton is None:
                return None
            placed = texts
            if not skeleton.is_plain:
                changed = skeleton.placed(texts, self._looks_for)
                if changed is None or (skeleton.day is not None and self._is_past(skeleton.day)):
                    return None
                placed = changed
            pieces = skeleton.pieces.copy()
            # Raises ValueError if there are not as many texts as places.
            pieces[PLACES] = placed
            text = "".join(pieces)
            # The literals were checked when the skeleton was built. Where they are ASCII, so may be the whole.
            checked = text if skeleton.is_ascii else "".join(placed)
            if len(text) > LONGEST_FAST or not (checked.isascii() or is_encodable(checked)):
                return None
            if not self._exact:
                skeleton.left -= 1
                if skeleton.left <= 0 and not self._confirms(skeleton, text, messages, options, asking):
                    return None
        except (LookupError, TypeError, ValueError, AttributeError, LectError):
            # Something is of a wrong type; the long way reads or refuses it.
            return None
        self._misses = 0
        return skeleton, texts, text

    def frame(self, roles: tuple[str, ...], options: dict[str, Any], asking: bool) -> Frame | None:
        """Return what the template writes around the texts of a chat with these roles; None if that is not constant."""
        from lect.prompt.frame import frame_of

        if self._stopped or not self._facts.accepted_roles.issuperset(roles):
            return None
        skeleton = self._learn(roles, options, asking)
        return None if skeleton is None else frame_of(skeleton, self._looks_for)

    def _meet(
        self, known: Known, shape: Shape, roles: list[str], options: dict[str, Any], asking: bool
    ) -> Skeleton | None:
        """Return the skeleton of a shape that is not known: learn it, if it was met before."""
        if not roles:
            # Nothing shows that `messages` is a list.
            return None
        met = hash((asking, shape))
        if met not in self._met:
            if len(self._met) >= MOST_MET:
                self._met.clear()
            self._met.add(met)
            return None
        size = len(dumps(shape))
        # A role that the template does not know may be of any length.
        if size > LARGEST_SHAPE or not self._facts.accepted_roles.issuperset(roles):
            return None
        skeleton = self._learn(tuple(roles), options, asking)
        if skeleton is not None and skeleton.size() <= LARGEST_SKELETON:
            size += skeleton.size()
        else:
            skeleton = None
        count = len(self._complete) + len(self._asking) + len(self._with_options)
        if count >= MOST_SKELETONS or self._size + size > MOST_BYTES:
            self._forget()
        self._size += size
        known[shape] = skeleton
        return skeleton

    def _is_past(self, day: date) -> bool:
        """Return whether a day is over; then all skeletons are learnt again."""
        if day == today():
            return False
        self._forget()
        return True

    def _confirms(
        self,
        skeleton: Skeleton,
        text: str,
        messages: Sequence[Mapping[str, Any]],
        options: dict[str, Any],
        asking: bool,
    ) -> bool:
        """Return whether the program writes the same text; if it does not, there will be no skeletons any more."""
        out = Writer()
        chat = Chat(self._facts, messages, None, options, add_generation_prompt=asking, tracked=False)
        run_program(self._program, chat, out)
        if text != out.joined():
            self._stop("its program and its skeleton wrote different prompts for the same conversation")
            return False
        skeleton.left = skeleton.checked_at
        skeleton.checked_at *= 2
        return True

    def _learn(self, roles: tuple[str, ...], options: dict[str, Any], asking: bool) -> Skeleton | None:
        # Imported here because it is not needed to import lect.
        from lect.prompt.learning import learn

        skeleton, look = learn(self._facts, self._program, self._looks_for, roles, options, asking)
        if look and not self._exact:
            self._stop(f"it looks at texts in a way that looks_for={self._looks_for!r} does not state: {look}")
        return skeleton

    def _stop(self, why: str) -> None:
        """Go the long way from now on, and warn."""
        self._forget()
        self._stopped = True
        msg = (
            f"template {self._facts.label!r} has no fast path in this process: {why}\n"
            "  try: state in looks_for all words that the program looks for, or looks_for=None"
        )
        warn_caller(msg, TemplateWarning)
