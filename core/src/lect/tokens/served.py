"""What differs between an answer that is trained and what the model writes on a server."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from lect.errors import LectError
from lect.prompt.fields import spell
from lect.tokens.turns import MOST_ASKED, alike, missing_fields

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from lect.prompt.message import Request
    from lect.prompt.segments import Layout
    from lect.tokens.turns import TurnSpan, Write
    from lect.values import Segment

SHOWN = 30
"""How many characters of two texts that differ are shown."""


class Deviation(NamedTuple):
    """An answer that is not trained as the model would write it on a server."""

    message: int
    """The index of the message."""
    reason: str
    """What differs, and why, for people."""
    kind: Literal["differs", "left_out", "no_stop", "noted"] = "differs"
    """Whether it is trained otherwise than served, not at all, without a stop, or as served, with something to know."""


def deviations_in(layout: Layout, turns: Iterable[TurnSpan], request: Request, write: Write) -> Iterator[Deviation]:
    """Yield what differs in the answers of one prompt for a whole conversation."""
    messages = request.messages
    differing = [turn for turn in turns if not turn.is_served and messages[turn.message].get("role") == "assistant"]
    own: dict[tuple[str | int, ...], list[Segment]] = {}
    for segment in layout.segments if differing else ():
        own.setdefault(segment.path[:2], []).append(segment)
    compared = 0
    for turn in differing:
        lost = missing_fields(messages[turn.message], own.get(("messages", turn.message), ()))
        if lost:
            reason = f"its {' and '.join(lost)} is not in the text: the format leaves it out of history"
        elif compared < MOST_ASKED:
            compared += 1
            reason = _first_difference(layout, turn, request, write)
        else:
            reason = f"a server sends another text, as before the first {MOST_ASKED} answers of this kind"
        yield Deviation(turn.message, reason)


def _first_difference(layout: Layout, turn: TurnSpan, request: Request, write: Write) -> str:
    messages, tools, options, _ = request
    try:
        served = write(messages[: turn.message], tools=tools, add_generation_prompt=True, **options)
    except LectError as error:
        return f"the format refuses the conversation before it: {error}"
    text = layout.text
    if text.startswith(served):
        return "the prompt that a server sends opens reasoning, which is not closed here: no reasoning is given"
    at = alike(text, served)
    here = next((each.path for each, end in zip(layout.segments, layout.starts[1:], strict=True) if end > at), ())
    where = f" ({spell(here)})" if here else ""
    return f"a server sends {served[at : at + SHOWN]!r} where this text has {text[at : at + SHOWN]!r}{where}"
