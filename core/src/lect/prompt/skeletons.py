"""The fast path: what a conversation's roles decide is worked out once.

Most conversations are plain: roles and texts, no options. What a template writes round the texts then depends on the
sequence of roles and on the tools alone: the *shape*. So the program runs once for each shape, on stand-in texts, and
leaves a skeleton; every later conversation of that shape only fills in its texts. A template says by `looks_for` that
this holds for it. Whatever does not fit goes the long way.

Where it also leaves the texts as they are, there is a shorter way still for short conversations: see
`prompt/unrolled.py`.
"""

from marshal import dumps
from operator import methodcaller
from typing import TYPE_CHECKING, Any

from lect.errors import LectError
from lect.prompt.chat import Chat, today
from lect.prompt.inputs import plain_str
from lect.prompt.segments import is_role, segments_of
from lect.prompt.unused import find_unused
from lect.prompt.writer import TrackingWriter, Writer
from lect.values import Origin, Path, Segment, Unused

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from datetime import date

    from lect.facts import Facts

    Raw = Mapping[str, Any]
    Program = Callable[[Chat, Writer], None]
    Strip = Callable[[str], str]
    Write = Callable[[list[Raw]], str | None]

LONGEST_CONVERSATION = 64
"""Longer conversations are rarer and all different: their shapes would fill the cache and never be met again."""
MOST_SKELETONS = 256
LONGEST_UNROLLED = 16
"""To compile what is written out for longer ones takes longer than it is likely to save."""
LARGEST_TOOLS = 16_384
"""Bytes: what is remembered of tools must not grow without bound either."""

END = None
"""What no role can be."""
EQUAL_BYTES = 2
"""The format of marshal in which equal values give equal bytes; in later ones that depends on who else holds them."""

PLACES = slice(1, None, 2)
"""Where the texts stand among the pieces of a skeleton."""

_lstrip_lines, _rstrip_lines, _strip_lines = (methodcaller(name, "\n") for name in ("lstrip", "rstrip", "strip"))
_STRIPS: "tuple[tuple[Strip, Strip | None], ...]" = (
    (plain_str, None),
    (str.strip, str.lstrip),
    (str.lstrip, str.lstrip),
    (str.rstrip, None),
    (_strip_lines, _lstrip_lines),
    (_lstrip_lines, _lstrip_lines),
    (_rstrip_lines, None),
)
"""What a template may do to a text before it writes it, and what of that it does at the start."""
STAND_IN = "\n\n \t\u3000text {} \u3000\t \n\n"
"""White space of many kinds, so that each way to strip a text leaves something else."""


class Skeleton:
    """The prompt of one shape without its texts. Not a tuple of any kind: the attributes are read for every prompt.

    Attributes:
        pieces: Literal, empty place, literal, ..., literal.
        order: Whose text goes into which place; None where it is simply all of them in order.
        strips: The places whose texts are stripped, and how.
        write: The function that writes this shape, where there is one.
        layout: The segments, with stand-ins for those of the texts.
        slots: Where in the layout those are: the index there, the message, how its text is stripped (also at its
            start), its path and its turn.
        unused: What no prompt of this shape has room for, with the message whose text it is, if it is one.
        day: The day that is written in it, if one is: the next day it is no longer good.
        simple: Whether the texts go into it as they are, all and in order, and there is nothing to look for in them.
    """

    __slots__ = ("day", "layout", "order", "pieces", "simple", "slots", "strips", "unused", "write")

    pieces: list[str]
    order: tuple[int, ...] | None
    strips: "list[tuple[int, Strip]]"
    write: "Write | None"
    layout: list[Segment]
    slots: "list[tuple[int, int, Strip, Strip | None, Path, int | None]]"
    unused: list[tuple[int | None, Unused]]
    day: "date | None"
    simple: bool


class Filled:
    """A skeleton with the texts of one conversation; what a `Prompt` builds its views from."""

    __slots__ = ("_contents", "_skeleton", "text")

    def __init__(self, skeleton: Skeleton, contents: list[str], text: str):
        self.text = text
        self._skeleton = skeleton
        self._contents = contents

    def segments(self) -> list[Segment]:
        segments = self._skeleton.layout.copy()
        given = Origin.INPUT
        make = tuple.__new__
        for index, message, strip, strip_start, path, turn in self._skeleton.slots:
            text = plain_str(self._contents[message])
            start = 0 if strip_start is None else len(text) - len(strip_start(text))
            segments[index] = make(Segment, (strip(text), given, path, start, turn))
        return segments

    def unused(self) -> "list[Unused]":
        return [
            unused for message, unused in self._skeleton.unused if message is None or self._contents[message].strip()
        ]


class Skeletons:
    """The skeletons of one template, made as they are needed.

    They stand in a tree: role by role, each dictionary leads to the next, and the last has the skeleton under `END`. To
    walk there while the messages are read takes less time than to make a key of their roles and to look that up.

    Attributes:
        complete: For each number of messages, what writes the shape that was last met, where something does: without
            tools.
        asking: The same, with a generation prompt.
    """

    __slots__ = ("_count", "_facts", "_looks_for", "_program", "_skeletons", "asking", "complete")

    def __init__(self, facts: "Facts", program: "Program", looks_for: tuple[str, ...]):
        self._facts = facts
        self._program = program
        self._looks_for = looks_for
        self._skeletons: dict[Any, dict[Any, Any]] = {}
        self._count = 0
        self.complete: dict[int, Write] = {}
        self.asking: dict[int, Write] = {}

    def fill(
        self, messages: "Sequence[Raw]", tools: "Sequence[Raw] | None", add_generation_prompt: bool
    ) -> tuple[Skeleton, list[str], str] | None:
        """Return what `Filled` takes, the prompt last, or None where a conversation must go the long way."""
        if type(messages) is not list and type(messages) is not tuple:
            return None
        try:
            node = self._skeletons[_root(tools, add_generation_prompt) if tools else add_generation_prompt]
            contents = []
            # One plain loop: to let map and itemgetter go through the messages for each field takes half as long again.
            for raw in messages:
                content = raw["content"]
                if not content or len(raw) != 2:
                    return None
                node = node[raw["role"]]
                contents.append(content)
            skeleton: Skeleton | None = node[END]
            if skeleton is None:
                return None
            if skeleton.write is not None:
                (self.asking if add_generation_prompt else self.complete)[len(contents)] = skeleton.write
            texts = contents
            if not skeleton.simple:
                if skeleton.day is not None and skeleton.day != today():
                    return self._fill_new(messages, tools, add_generation_prompt)
                # Some formats find a message by its text and write the tools beside it; no two stand-ins are the same.
                chosen = None if tools and len(set(contents)) < len(contents) else self._texts(skeleton, contents)
                if chosen is None:
                    return None
                texts = chosen
            pieces = skeleton.pieces.copy()
            pieces[PLACES] = texts
            text = "".join(pieces)
            # To ask the texts takes no time, whatever their length; what stands round them was asked when the skeleton
            # was made.
            if text.isascii() or all(map(str.isascii, contents)) or is_encodable(text):
                return skeleton, contents, text
            return None
        except KeyError:
            return self._fill_new(messages, tools, add_generation_prompt)
        except (TypeError, ValueError, AttributeError):
            # Something is of another type; the long way reads or refuses it.
            return None

    def _texts(self, skeleton: Skeleton, contents: list[str]) -> list[str] | None:
        """Return the texts for the places of a skeleton, or None where the conversation must go the long way."""
        if self._looks_for or skeleton.order is not None:
            # This refuses whatever is no text; one that is not written would not be checked by being joined later.
            everything = "\0".join(contents)
            for word in self._looks_for:
                if word in everything:
                    return None
        texts = contents.copy() if skeleton.order is None else [contents[index] for index in skeleton.order]
        for place, strip in skeleton.strips:
            texts[place] = strip(texts[place])
        return None if "" in texts else texts

    def _fill_new(
        self, messages: "Sequence[Raw]", tools: "Sequence[Raw] | None", add_generation_prompt: bool
    ) -> tuple[Skeleton, list[str], str] | None:
        """Fill a shape that has no skeleton yet, or none of today."""
        try:
            learnt = self._learn(messages, tools, add_generation_prompt)
        except (LookupError, TypeError, ValueError, AttributeError):
            # A field is missing, or the program has a fault; the long way says which.
            return None
        return self.fill(messages, tools, add_generation_prompt) if learnt else None

    def _learn(self, messages: "Sequence[Raw]", tools: "Sequence[Raw] | None", add_generation_prompt: bool) -> bool:
        """Make the skeleton of a shape, and return whether it is one to remember."""
        roles = [plain_str(raw["role"]) for raw in messages if raw["content"] and len(raw) == 2]
        root = _root(tools, add_generation_prompt) if tools else add_generation_prompt
        # Only what is of limited size is remembered; a role that nobody knows may be a whole book.
        if len(roles) > LONGEST_CONVERSATION or (isinstance(root, tuple) and len(root[1]) > LARGEST_TOOLS):
            return False
        if (
            len(roles) != len(messages)
            or add_generation_prompt not in (False, True)
            or not self._facts.accepted_roles.issuperset(roles)
        ):
            return False
        skeleton = self._skeleton(roles, tools, add_generation_prompt)
        if self._count >= MOST_SKELETONS:
            self._skeletons = {}
            self._count = 0
        self._count += 1
        node = self._skeletons.setdefault(root, {})
        for role in roles:
            node = node.setdefault(role, {})
        node[END] = skeleton
        return True

    def _skeleton(
        self, roles: list[str], tools: "Sequence[Raw] | None", add_generation_prompt: bool
    ) -> Skeleton | None:
        """Return the skeleton of a shape; None where the template refuses it, or does more than write the texts."""
        stand_ins = [STAND_IN.format(index) for index in range(len(roles))]
        messages = [{"role": role, "content": text} for role, text in zip(roles, stand_ins, strict=True)]
        out = TrackingWriter()
        try:
            chat = Chat(self._facts, messages, tools, {}, add_generation_prompt=add_generation_prompt, tracked=True)
            self._program(chat, out)
        except LectError:
            return None
        skeleton = Skeleton()
        skeleton.layout = segments_of(out)
        skeleton.pieces = [""]
        skeleton.slots = []
        for place, segment in enumerate(skeleton.layout):
            path = segment.path
            if segment.origin is Origin.TEMPLATE or is_role(path) or path[:1] == ("tools",):
                skeleton.pieces[-1] += segment.text
                continue
            index = path[1] if len(path) == 3 and path[2] == "content" else None
            if not isinstance(index, int):
                return None
            strips = next((strips for strips in _STRIPS if strips[0](stand_ins[index]) == segment.text), None)
            if strips is None:
                return None
            skeleton.slots.append((place, index, *strips, path, segment.turn))
            skeleton.pieces += "", ""
        if not is_encodable("".join(skeleton.pieces)):
            return None
        order = tuple(message for _, message, *_ in skeleton.slots)
        skeleton.order = None if order == tuple(range(len(roles))) else order
        skeleton.strips = [
            (place, strip) for place, (_, _, strip, *_) in enumerate(skeleton.slots) if strip is not plain_str
        ]
        skeleton.unused = [
            (unused.path[1] if unused.path[0] == "messages" and isinstance(unused.path[1], int) else None, unused)
            for unused in find_unused(chat, out)
        ]
        skeleton.day = chat.day_read
        unchanged = skeleton.day is None and not (skeleton.strips or self._looks_for or tools)
        skeleton.simple = unchanged and skeleton.order is None
        skeleton.write = None
        if unchanged and order and len(roles) <= LONGEST_UNROLLED:
            # Imported here because nobody needs it to import lect.
            from lect.prompt.unrolled import unrolled

            skeleton.write = unrolled(roles, skeleton.pieces[::2], order)
        return skeleton


def is_encodable(text: str) -> bool:
    """Return whether `text` has no half of a surrogate pair in it."""
    try:
        # As UTF-8, Chinese takes four times as long.
        text.encode("utf-16")
    except UnicodeEncodeError:
        return False
    return True


def _root(tools: Any, add_generation_prompt: bool) -> tuple[bool, bytes]:
    """Return what stands for a list of tools.

    Its bytes, which take a tenth of the time of JSON, and tell apart what JSON does not.
    """
    return add_generation_prompt, dumps(tools, EQUAL_BYTES)
