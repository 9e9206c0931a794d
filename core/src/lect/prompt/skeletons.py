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
from lect.prompt.program import run_program
from lect.prompt.remembered import EQUAL_BYTES
from lect.prompt.writer import Writer

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import date

    from lect.facts import Facts
    from lect.prompt.frame import Frame
    from lect.prompt.program import Program
    from lect.prompt.skeleton import Skeleton

    Root = tuple[bool, bytes]
    """Whether a generation prompt is asked for, and the options."""
    Filling = tuple[Skeleton, list[str], str]
    """A skeleton, the texts that go into it, and the prompt."""

LONGEST_CONVERSATION = 64
"""Longer conversations are rarer and all different: their shapes would fill the cache and never be met again."""
MOST_SKELETONS = 256
MOST_MET = 4096
MOST_MISSES = 16
"""In a row: after that, only every 16th conversation is looked up, so that traffic whose shapes do not repeat hardly
pays for it."""
LARGEST_OPTIONS = 4096
"""Bytes."""
LARGEST_SKELETON = 256 * 1024
"""Bytes."""
MOST_BYTES = 4 * 2**20
"""Of all skeletons of a template."""
NODE_SIZE = 256
"""Bytes, roughly, of a dictionary."""
NEVER = float("inf")
LAST = None
"""A key that no role can be: what is known of the roles up to here."""


class Skeletons:
    """The skeletons of one template, built as they are needed.

    They are kept in trees, one for each combination of options, with a generation prompt and without: for each role, a
    dictionary leads to the next, and the last has the skeleton. Walking a tree while reading the messages takes less
    time than looking up all roles at once, and ends at the first role that is new.

    Args:
        facts: What the template states.
        program: The template's program.
        looks_for: The words that the program looks for in texts; None if they are not known.
        exact: Whether the program is known to look for nothing else, and need not be checked.
    """

    __slots__ = (
        "_asking", "_complete", "_count", "_exact", "_facts", "_looks_for", "_met", "_misses", "_program", "_size",
        "_stopped", "_trees",
    )  # fmt: skip

    def __init__(self, facts: Facts, program: Program, looks_for: tuple[str, ...] | None, *, exact: bool):
        self._facts = facts
        self._program = program
        self._looks_for = looks_for or ()
        self._exact = exact
        self._stopped = looks_for is None
        self._misses = 0
        self._forget()

    def _forget(self) -> None:
        self._complete: dict[Any, Any] = {}
        self._asking: dict[Any, Any] = {}
        self._trees: dict[Root, dict[Any, Any]] = {(False, b""): self._complete, (True, b""): self._asking}
        self._count = self._size = 0
        self._met: set[int] = set()

    def fill(self, messages: Sequence[Mapping[str, Any]], options: dict[str, Any], asking: bool) -> Filling | None:
        """Return the skeleton, the texts and the prompt of a plain chat; None where it must go the long way."""
        self._misses += 1
        if self._stopped or (self._misses > MOST_MISSES and self._misses % 16):
            return None
        texts: list[str] = []
        try:
            try:
                if options:
                    node = self._trees[bool(asking), dumps(options, EQUAL_BYTES)]
                else:
                    node = self._asking if asking else self._complete
                for raw in messages:
                    if len(raw) != 2:
                        return None
                    node = node[raw["role"]]
                    texts.append(raw["content"])
                skeleton: Skeleton | None = node[LAST]
            except KeyError:
                skeleton = self._meet(messages, options, bool(asking))
                texts = [raw["content"] for raw in messages] if skeleton is not None else []
            if skeleton is None or (skeleton.day is not None and self._is_past(skeleton.day)):
                return None
            text = skeleton.filled(texts, self._looks_for)
            if text is None:
                return None
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

    def _meet(self, messages: Sequence[Mapping[str, Any]], options: dict[str, Any], asking: bool) -> Skeleton | None:
        """Return the skeleton of roles that are in no tree: learn it, if they were met before."""
        if len(messages) > LONGEST_CONVERSATION:
            return None
        root = asking, dumps(options, EQUAL_BYTES) if options else b""
        roles = tuple([raw["role"] for raw in messages if len(raw) == 2 and "content" in raw])
        met = hash((root, roles))
        if len(roles) < len(messages) or met not in self._met:
            if len(self._met) >= MOST_MET:
                self._met = set()
            self._met.add(met)
            return None
        # A role that the template does not know may be of any type and length.
        if not self._facts.accepted_roles.issuperset(roles) or len(root[1]) > LARGEST_OPTIONS:
            return None
        skeleton = self._learn(roles, options, asking)
        size = NODE_SIZE * (len(roles) + 1) + len(root[1])
        if skeleton is not None and skeleton.size() <= LARGEST_SKELETON:
            size += skeleton.size()
        else:
            skeleton = None
        if self._count >= MOST_SKELETONS or self._size + size > MOST_BYTES:
            self._forget()
        self._count += 1
        self._size += size
        node = self._trees.setdefault(root, {})
        for role in roles:
            node = node.setdefault(role, {})
        node[LAST] = skeleton
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
        if skeleton is not None and self._exact:
            skeleton.left = NEVER
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
