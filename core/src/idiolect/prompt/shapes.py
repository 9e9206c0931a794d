"""The fast path: what a conversation's roles decide is worked out once.

Most conversations are plain: roles and texts, no tools, no options. What a template writes round the texts then depends on the sequence of roles
alone, its *shape*. So the program runs once for each shape, on stand-in texts, and leaves a skeleton; every later conversation of that shape only
fills in its texts. A template says by `looks_for` that this holds for it. Whatever does not fit goes the long way.
"""

from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from idiolect.errors import IdiolectError
from idiolect.prompt.chat import Chat, today
from idiolect.prompt.segments import Origin, Segment, segments_of, used_paths
from idiolect.prompt.unused import Unused, find_unused
from idiolect.prompt.writer import TrackingWriter

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import date

    from idiolect.prompt.template import Template

LONGEST_SHAPE = 64
"""Longer conversations are rarer and all different: their shapes would fill the cache and never be met again."""
MOST_SHAPES = 256

_role = itemgetter("role")
_content = itemgetter("content")


class Slot(NamedTuple):
    """Where the text of one message goes."""

    message: int
    strip: bool
    turn: int | None


class Skeleton(NamedTuple):
    """The prompt of one shape without its texts."""

    pieces: list[str]
    """Literal, empty place, literal, ..., literal."""
    order: tuple[int, ...] | None
    """Whose text goes into which place; None where it is simply all of them in order."""
    strips: tuple[bool, ...] | None
    """Which texts are stripped; None where none is."""
    layout: tuple[Segment | Slot, ...]
    unused: tuple[tuple[int, Unused], ...]
    """What no prompt of this shape has room for, by message."""
    day: "date | None"
    """The day that is written in it, if one is: the next day it is no longer good."""


class Filled:
    """A skeleton with the texts of one conversation; what `Rendered` builds its views from."""

    __slots__ = ("_contents", "_skeleton", "text")

    def __init__(self, skeleton: Skeleton, contents: list[str], text: str):
        self.text = text
        self._skeleton = skeleton
        self._contents = contents

    def segments(self) -> list[Segment]:
        segments = []
        for piece in self._skeleton.layout:
            if isinstance(piece, Segment):
                segments.append(piece)
                continue
            message, strip, turn = piece
            text = self._contents[message]
            start = 0
            if strip:
                start = len(text) - len(text.lstrip())
                text = text.strip()
            segments.append(Segment(text, Origin.INPUT, ("messages", message, "content"), start, turn))
        return segments

    def unused(self) -> list[Unused]:
        return [unused for message, unused in self._skeleton.unused if self._contents[message].strip()]


class Shapes:
    """The skeletons of one template, made as they are needed."""

    __slots__ = ("_looks_for", "_skeletons", "_template")

    def __init__(self, template: "Template", looks_for: tuple[str, ...]):
        self._template = template
        self._looks_for = looks_for
        self._skeletons: dict[bool, dict[tuple[str, ...], Skeleton | None]] = {False: {}, True: {}}

    def fill(self, messages: "Sequence[Mapping[str, Any]]", *, add_generation_prompt: bool) -> Filled | None:
        """Return the prompt of a plain conversation, or None where it must go the long way."""
        try:
            roles = tuple(map(_role, messages))
            contents = list(map(_content, messages))
            if sum(map(len, messages)) != 2 * len(roles) or "" in contents:
                return None
            known = self._skeletons[add_generation_prompt]
            skeleton = known[roles] if roles in known else self._compile(roles, add_generation_prompt)
            if skeleton is None:
                return None
            if skeleton.day is not None and skeleton.day != today():
                skeleton = self._compile(roles, add_generation_prompt)
                assert skeleton is not None, "a shape that has a skeleton has one every day"
            texts = contents
            if skeleton.order is not None:
                texts = [contents[index] for index in skeleton.order]
            if skeleton.strips is not None:
                texts = [text.strip() if strip else text for text, strip in zip(texts, skeleton.strips, strict=True)]
                if "" in texts:
                    return None
            pieces = skeleton.pieces.copy()
            pieces[1::2] = texts
            text = "".join(pieces)
            if self._looks_for:
                everything = "\0".join(contents)
                if any(word in everything for word in self._looks_for):
                    return None
        except (LookupError, TypeError, AttributeError):
            # A field is missing or of another type; the long way reads or refuses it.
            return None
        return Filled(skeleton, contents, text)

    def _compile(self, roles: tuple[str, ...], add_generation_prompt: bool) -> Skeleton | None:
        if len(roles) > LONGEST_SHAPE:
            return None
        known = self._skeletons[add_generation_prompt]
        if len(known) >= MOST_SHAPES:
            known.clear()
        skeleton = known[roles] = _skeleton(self._template, roles, add_generation_prompt=add_generation_prompt)
        return skeleton


def _skeleton(template: "Template", roles: tuple[str, ...], *, add_generation_prompt: bool) -> Skeleton | None:
    """Return the skeleton of a shape, or None where the template refuses it or does more with the texts than write them."""
    stand_ins = [f"\n text {index} \n" for index in range(len(roles))]
    messages = [{"role": role, "content": text} for role, text in zip(roles, stand_ins, strict=True)]
    out = TrackingWriter()
    try:
        chat = Chat(template, messages, None, {}, add_generation_prompt=add_generation_prompt, tracked=True)
        template.program(chat, out)
    except IdiolectError:
        return None
    layout: list[Segment | Slot] = []
    pieces = [""]
    for segment in segments_of(out):
        if segment.origin is Origin.TEMPLATE or segment.path[-1:] == ("role",):
            layout.append(segment)
            pieces[-1] += segment.text
            continue
        index = segment.path[1] if len(segment.path) == 3 and segment.path[2] == "content" else None
        if not isinstance(index, int) or segment.text not in (stand_ins[index], stand_ins[index].strip()):
            return None
        slot = Slot(index, segment.text != stand_ins[index], segment.turn)
        layout.append(slot)
        pieces += "", ""
    slots = [piece for piece in layout if isinstance(piece, Slot)]
    order = tuple(slot.message for slot in slots)
    strips = tuple(slot.strip for slot in slots)
    unused_fields = find_unused(chat, used_paths(out), set(out.seen), set(out.left_out))
    return Skeleton(
        pieces,
        None if order == tuple(range(len(roles))) else order,
        strips if any(strips) else None,
        tuple(layout),
        tuple((message, unused) for unused in unused_fields for message in unused.path if isinstance(message, int)),
        chat.day_read,
    )
