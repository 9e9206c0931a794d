"""Learning a skeleton: the program of a template runs on stand-ins for the texts of a conversation.

Not needed to import lect, so it is imported when the first shape is learnt.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lect.errors import LectError
from lect.prompt.inputs import plain_str
from lect.prompt.program import run_program
from lect.prompt.segments import segments_of
from lect.prompt.skeleton import Skeleton, is_encodable
from lect.prompt.unused import find_unused
from lect.prompt.watched import MARK, LearningChat, Watch, stand_in
from lect.prompt.writer import TrackingWriter
from lect.values import Origin

if TYPE_CHECKING:
    from lect.facts import Facts
    from lect.prompt.chat import Chat
    from lect.prompt.program import Program
    from lect.values import Path


def learn(
    facts: Facts,
    program: Program,
    words: tuple[str, ...],
    roles: tuple[str, ...],
    options: dict[str, Any],
    asking: bool,
) -> tuple[Skeleton | None, str]:
    """Run the program, which may look for `words`, on stand-ins for a chat of these roles.

    Return the skeleton, or None where the template refuses the roles or does more than write the texts; and the first
    look at a text that the template does not state, empty if there was none.
    """
    if any(word in stand_in(0) for word in words):
        return None, ""
    watch = Watch(words)
    out = TrackingWriter()
    try:
        chat = LearningChat(
            facts,
            [{"role": role, "content": watch.text(index)} for index, role in enumerate(roles)],
            None,
            options,
            add_generation_prompt=asking,
            tracked=True,
        )
        chat.watch = watch
        watch.forget()
        run_program(program, chat, out)
    except LectError:
        # It refuses the conversation, or fails on the stand-ins; the long way tells which.
        return None, ""
    if watch.looks:
        return None, watch.looks[0]
    return _skeleton(chat, out, watch), ""


def _skeleton(chat: Chat, out: TrackingWriter, watch: Watch) -> Skeleton | None:
    """Return what was written, with places for the texts; None where a text also occurs elsewhere."""
    if out.own_marks is not None:
        # Where they are depends on the texts.
        return None
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
    literals = "".join(skeleton.pieces)
    skeleton.is_ascii = literals.isascii()
    if not is_encodable(literals):
        return None
    # Whether a stripped text is empty can only be checked where it is written.
    if any(watch.places[text].made_by is not plain_str and text not in written for text in asked):
        return None
    skeleton.asks_empty = bool(asked)
    skeleton.count = len(chat.messages)
    order = [place.text for _, place in skeleton.slots]
    used = sorted(set(order))
    skeleton.unwritten = [text for text in reversed(range(skeleton.count)) if text not in used]
    skeleton.order = None if order == used else [used.index(text) for text in order]
    skeleton.changes = [
        (place, made_by) for place, (_, (_, made_by, _)) in enumerate(skeleton.slots) if made_by is not plain_str
    ]
    skeleton.day = chat.day_read
    asks = watch.words or skeleton.compares or skeleton.asks_empty or skeleton.day
    skeleton.is_plain = not (asks or skeleton.unwritten or skeleton.order is not None or skeleton.changes)
    skeleton.unused = [(_text_at(unused.path), unused) for unused in find_unused(chat, out)]
    skeleton.turns = skeleton.spans = None
    skeleton.left = 1
    skeleton.checked_at = 1
    return skeleton


def _text_at(path: Path) -> int | None:
    """Return the number of the text at `path`; None if something else is there."""
    match path:
        case ("messages", int(number), "content"):
            return number
    return None
