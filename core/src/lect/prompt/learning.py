"""Learning a skeleton: the program of a template runs on stand-ins for the texts of a conversation.

Not needed to import lect, so it is imported when the first shape is learnt.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from lect.errors import LectError
from lect.prompt.inputs import plain_str
from lect.prompt.program import run_program
from lect.prompt.segments import segments_of
from lect.prompt.shapes import remade
from lect.prompt.skeleton import Skeleton, is_encodable
from lect.prompt.unused import find_unused
from lect.prompt.watched import MARK, LearningChat, Watch, stand_in
from lect.prompt.writer import TrackingWriter
from lect.values import Origin

if TYPE_CHECKING:
    from lect.facts import Facts
    from lect.prompt.chat import Chat
    from lect.prompt.program import Program
    from lect.prompt.shapes import Request, Shape


class Lesson(NamedTuple):
    """The result of a run on stand-ins.

    Attributes:
        skeleton: The skeleton; None where the template refuses the shape, or does more than write the texts.
        look: The first look at a text that the template does not state; empty if there was none.
        opened: Whether the program looked into arguments.
    """

    skeleton: Skeleton | None = None
    look: str = ""
    opened: bool = False


def learn(facts: Facts, program: Program, words: tuple[str, ...], shape: Shape, request: Request) -> Lesson:
    """Run the program, which may look for `words`, on stand-ins for a conversation of this shape."""
    if any(word in stand_in(0) for word in words):
        return Lesson()
    watch = Watch(words)
    out = TrackingWriter()
    try:
        chat = LearningChat(
            facts,
            remade(shape, watch),
            request.tools,
            request.options,
            add_generation_prompt=request.add_generation_prompt,
            tracked=True,
        )
        chat.watch = watch
        watch.forget()
        run_program(program, chat, out)
    except LectError:
        # It refuses the conversation, or fails on the stand-ins; the long way tells which.
        return Lesson()
    if watch.looks or watch.opened:
        return Lesson(look=next(iter(watch.looks), ""), opened=watch.opened)
    return Lesson(_skeleton(chat, out, watch))


def _skeleton(chat: Chat, out: TrackingWriter, watch: Watch) -> Skeleton | None:
    """Return what was written, with places for the leaves; None where a leaf also occurs elsewhere."""
    skeleton = Skeleton()
    # From here on only our own code reads the stand-ins.
    asked = watch.asked.copy()
    skeleton.compares = watch.compared.copy()
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
    # Whether a stripped text is empty can only be checked where it is written.
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
    skeleton.plain = in_order and not (skeleton.changes or skeleton.compares or watch.words or skeleton.day)
    skeleton.ready = None
    skeleton.turns = skeleton.spans = None
    skeleton.left = 1
    skeleton.checked_at = 1
    return skeleton
