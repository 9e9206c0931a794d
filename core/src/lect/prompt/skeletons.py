"""The fast path: whatever the shape of a conversation decides is worked out once.

What a template writes around the texts of a conversation depends on its shape, the tools and the options. So when these
are met for the second time, the program runs on stand-ins for the texts, which yields a skeleton; every later
conversation of that shape only fills in its texts. A template states with `looks_for` that this holds for it. This is
checked: the stand-ins notice what the program looks at (see `prompt/watched.py`), and the first, second, fourth,
eighth, ... use of a skeleton is compared with what the program itself writes. Whatever does not fit goes the long way.
"""

# Annotations are not postponed: a named tuple with string annotations takes twice as long to create.
from typing import TYPE_CHECKING, Any, NamedTuple

from lect.errors import LectError, TemplateWarning, warn_caller
from lect.facts import Facts
from lect.prompt.chat import Chat, today
from lect.prompt.program import run_program
from lect.prompt.shapes import Leaf, Request, Shape, Taken, size_of
from lect.prompt.skeleton import Skeleton
from lect.prompt.writer import Writer

if TYPE_CHECKING:
    from lect.prompt.program import Program

LONGEST_CONVERSATION = 64
"""Longer conversations are rarer and all different: their shapes would fill the cache and never be met again."""
MOST_SKELETONS = 256
MOST_MET = 4096
LARGEST_KEY = 128 * 1024
"""Bytes of a shape with its tools and options."""
LARGEST_SKELETON = 256 * 1024
"""Bytes."""
MOST_BYTES = 4 * 2**20
"""Of all skeletons of a template, with their keys."""
END = None
"""A key that no step of a shape can be."""
NEVER = float("inf")


class Found(NamedTuple):
    """A skeleton for a conversation, with its leaves and its prompt."""

    skeleton: Skeleton
    leaves: list[Leaf]
    text: str


class Skeletons:
    """The skeletons of one template, built as they are needed.

    They are kept in trees, one for each combination of tools and options: for each step of a shape, a dictionary leads
    to the next, and the last has the skeleton under `END`. Walking a tree while reading the messages takes less time
    than building a key from their shape and looking it up.

    Args:
        facts: What the template states.
        program: The template's program.
        looks_for: The words that the program looks for in texts; None if they are not known.
        exact: Whether the program is known to look for nothing else, and need not be checked.

    Attributes:
        complete: The tree of conversations without tools and options.
        asking: The same, with a generation prompt.
    """

    __slots__ = (
        "_count", "_exact", "_facts", "_looks_for", "_met", "_opens_arguments", "_program", "_size", "_stopped",
        "_trees", "asking", "complete",
    )  # fmt: skip

    def __init__(self, facts: Facts, program: "Program", looks_for: tuple[str, ...] | None, *, exact: bool):
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
        self._count = self._size = 0
        self._met: set[int] = set()

    def fill(self, request: Request) -> Found | None:
        """Return the prompt of a conversation from its skeleton, or None where it must go the long way."""
        messages = request.messages
        if self._stopped or (type(messages) is not list and type(messages) is not tuple):
            return None
        leaves: list[Leaf] = []
        taken = None
        try:
            try:
                node = self._trees[request.root()]
                for raw in messages:
                    if len(raw) == 2 and "content" in raw:
                        node = node[raw["role"]]
                        leaves.append(raw["content"])
                    else:
                        taken = taken or self._take(leaves)
                        node = node[taken.fields(raw)]
                skeleton: Skeleton | None = node[END]
            except KeyError:
                return self.meet(request)
        except (LookupError, TypeError, ValueError, AttributeError):
            # Something is of a wrong type, or has no place in a shape; the long way reads or refuses it.
            return None
        return self._found(skeleton, leaves, request)

    def meet(self, request: Request) -> Found | None:
        """Do what `fill` does for a shape that is in no tree: learn it, if it was met before."""
        if self._stopped or len(request.messages) > LONGEST_CONVERSATION:
            return None
        leaves: list[Leaf] = []
        try:
            root = request.root()
            shape = self._take(leaves).shape(request.messages)
            # A role that the template does not know may have any length.
            if not self._is_met(hash((root, shape))) or not self._accepts(shape):
                return None
        except (LookupError, TypeError, ValueError, AttributeError):
            return None
        size = size_of((root, shape))
        if size > LARGEST_KEY:
            return None
        skeleton = self._learn(shape, request)
        if skeleton is not None and skeleton.size() > LARGEST_SKELETON:
            skeleton = None
        size += skeleton.size() if skeleton is not None else 0
        if self._count >= MOST_SKELETONS or self._size + size > MOST_BYTES:
            self._forget()
        self._count += 1
        self._size += size
        node = self._trees.setdefault(root, {})
        for step in shape:
            node = node.setdefault(step, {})
        node[END] = skeleton
        return self._found(skeleton, leaves, request)

    def _is_met(self, key: int) -> bool:
        """Return whether a shape was met before, and remember it."""
        if key in self._met:
            return True
        if len(self._met) >= MOST_MET:
            self._met = set()
        self._met.add(key)
        return False

    def _accepts(self, shape: Shape) -> bool:
        return self._facts.accepted_roles.issuperset(step for step in shape if isinstance(step, str))

    def _take(self, leaves: list[Leaf]) -> Taken:
        return Taken(leaves, "argument_text" in self._facts.takes, self._opens_arguments)

    def _found(self, skeleton: Skeleton | None, leaves: list[Leaf], request: Request) -> Found | None:
        text = None if skeleton is None else self.use(skeleton, leaves, request)
        return None if skeleton is None or text is None else Found(skeleton, leaves, text)

    def use(self, skeleton: Skeleton, leaves: list[Leaf], request: Request) -> str | None:
        """Return the prompt from a skeleton, or None where the conversation must go the long way."""
        if skeleton.day is not None and skeleton.day != today():
            # The next conversations of this shape read the clock again.
            self._forget()
            return None
        try:
            text = skeleton.filled(leaves, self._looks_for)
        except (TypeError, ValueError, AttributeError, LectError):
            return None
        skeleton.left -= 1
        if text is not None and skeleton.left <= 0:
            if text != self._long_way(request):
                self._stop("its program and its skeleton wrote different prompts for the same conversation")
                return None
            skeleton.left = skeleton.checked_at
            skeleton.checked_at *= 2
        return text

    def _long_way(self, request: Request) -> str | None:
        """Return what the program writes; None where it refuses."""
        messages, tools, options, asking = request
        out = Writer()
        try:
            chat = Chat(self._facts, messages, tools, options, add_generation_prompt=asking, tracked=False)
            run_program(self._program, chat, out)
            return out.joined()
        except LectError:
            return None

    def _learn(self, shape: Shape, request: Request) -> Skeleton | None:
        # Imported here because it is not needed to import lect.
        from lect.prompt.learning import learn

        skeleton, look, opened = learn(self._facts, self._program, self._looks_for, shape, request)
        if look and not self._exact:
            self._stop(f"it looks at texts in a way that looks_for={self._looks_for!r} does not state: {look}")
        if opened and not self._opens_arguments:
            # From now on the names of arguments are part of the shape.
            self._opens_arguments = True
            self._forget()
        if skeleton is not None and self._exact:
            skeleton.left = NEVER
            if skeleton.plain and not skeleton.asks_empty and skeleton.dropped is None:
                skeleton.ready = skeleton.pieces
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
