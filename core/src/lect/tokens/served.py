"""What differs between an answer that is trained and what the model writes on a server."""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from lect.errors import LectError, MaskError, ServedDifferentlyWarning, warn_caller
from lect.prompt.fields import spell
from lect.prompt.message import REASONING_NAMES, Request
from lect.prompt.segments import Layout
from lect.reply.plain import PLAIN
from lect.tokens.probes import TEXT, THOUGHT
from lect.tokens.spans import kind_of
from lect.tokens.turns import MOST_RENDERED, TurnSpan, Write, alike, is_anothers, is_own, missing_fields
from lect.values import TEMPLATE, Segment

if TYPE_CHECKING:
    from lect.tokens.edges import Edges

Piece = tuple[str, str]
"""The kind of a text, empty for what the format writes, and the text."""
MOST_SHAPES = 256
"""How many shapes of answers are known with a template."""
PROBES = {"content": TEXT, "reasoning": THOUGHT}
"""Texts by their kind."""
TEXTS = (*REASONING_NAMES, "content")
"""The fields of a message that hold them."""
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


def fault_in(edges: "Edges", layout: Layout, turn: TurnSpan, request: Request) -> str:
    """Return why an answer is no reply to the prompt before it; empty if it is one.

    A reply is in one piece, ends at its first stop, and is read as it was meant. What a format writes around texts
    decides how they are read, so that is tried with other texts, and once; calls are read as they are.
    """
    text, starts, message = layout.text, layout.starts, turn.message
    for stop in (*edges.turn_marks.stops, text[turn.stop : turn.end]):
        if stop and (at := text.find(stop, turn.start, turn.stop)) >= 0:
            is_format = layout.segments[bisect_right(starts, at) - 1].origin is TEMPLATE
            what = "the format writes it as two turns" if is_format else "its text contains a stop of the model"
            return f"{what}, and a reply ends at the first stop"
    pieces: list[Piece] = []
    for index in range(bisect_right(starts, turn.start) - 1, bisect_left(starts, turn.stop)):
        segment = layout.segments[index]
        if is_anothers(segment, message):
            return "other messages are within it, and a reply is in one piece"
        piece = text[max(starts[index], turn.start) : min(starts[index + 1], turn.stop)]
        pieces.append((kind_of(segment.path) if is_own(segment, message) else "", piece))
    fields, marks = request.messages[message], edges.marks
    given = "".join([str(fields[name]) for name in TEXTS if fields.get(name)])
    if any(mark in given for mark in marks.close):
        shown = "".join(piece for kind, piece in pieces if kind in PROBES)
        for mark in (*marks.open, *marks.close):
            given, shown = given.replace(mark, ""), shown.replace(mark, "")
        if _bare(given) != _bare(shown):
            return "the format leaves out reasoning that is in its content"
    if fields.get("tool_calls"):
        is_read: bool | None = _is_read(edges, layout, turn, pieces, request)
    else:
        pieces = [(kind, PROBES.get(kind, piece)) for kind, piece in pieces]
        while pieces and turn.stop == turn.end and not pieces[-1][0]:
            pieces.pop()  # Where no stop is known, this may be one.
        key = text[turn.begin : turn.start], *pieces, text[turn.stop : turn.end]
        is_read = edges.read.get(key)
        if is_read is None:
            if len(edges.read) >= MOST_SHAPES:
                edges.read.clear()
            is_read = edges.read[key] = _is_read(edges, layout, turn, pieces, request)
    return "" if is_read else "it would be read otherwise than it is meant"


def _is_read(edges: "Edges", layout: Layout, turn: TurnSpan, pieces: Sequence[Piece], request: Request) -> bool:
    """Return whether pieces are read as they are meant, but for white space."""
    said = "".join(text for _, text in pieces) + layout.text[turn.stop : turn.end]
    reply = edges.parse(said, prompt=layout.text[: turn.start], tools=request.tools, grammar=edges.grammar or PLAIN)
    meant = [_bare("".join(text for each, text in pieces if each == kind)) for kind in PROBES]
    heard = [_bare(reply.content), _bare(reply.reasoning or "")]
    if not meant[1] and any(mark in said for mark in edges.marks.close):
        # Reasoning was stored in the content, as the model wrote it, and the format takes it from there.
        meant, heard = meant[:1], [heard[1] + heard[0]]
    calls = [call.get("function", call) for call in request.messages[turn.message].get("tool_calls") or ()]
    return (
        meant == heard
        and [call["name"] for call in calls] == [call.name for call in reply.tool_calls]
        and [_told(call.get("arguments")) for call in calls] == [_told(call.arguments) for call in reply.tool_calls]
    )


def _bare(text: str) -> str:
    return "".join(text.split())


def _told(arguments: Any) -> Any:
    """Return arguments as a format that knows only text has them, which may leave out null."""
    from json import dumps, loads  # Commands whose help is shown import this module.

    with suppress(ValueError):
        arguments = loads(arguments) if isinstance(arguments, str) else arguments
    if not isinstance(arguments, dict):
        return arguments
    told = {name: value if isinstance(value, str) else dumps(value) for name, value in arguments.items()}
    return {name: _bare(text) for name, text in told.items() if arguments[name] is not None}


def deviations_in(
    layout: Layout, turns: Iterable[TurnSpan], request: Request, write: Write, fault: Callable[[TurnSpan], str]
) -> Iterator[Deviation]:
    """Yield what differs in the answers of one prompt for a whole conversation."""
    messages = request.messages
    answers = [turn for turn in turns if messages[turn.message].get("role") == "assistant"]
    yield from (Deviation(turn.message, reason) for turn in answers if turn.is_served and (reason := fault(turn)))
    differing = [turn for turn in answers if not turn.is_served]
    own: dict[tuple[str | int, ...], list[Segment]] = {}
    for segment in layout.segments if differing else ():
        own.setdefault(segment.path[:2], []).append(segment)
    compared = 0
    for turn in differing:
        if lost := missing_fields(messages[turn.message], own.get(("messages", turn.message), ())):
            reason = f"its {' and '.join(lost)} is not in the text: the format leaves it out of history"
        elif compared < MOST_RENDERED:
            compared += 1
            reason = _first_difference(layout, turn, request, write)
        else:
            reason = f"a server sends another text, as before the first {MOST_RENDERED} answers of this kind"
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


def refuse_or_warn(deviations: Sequence[Deviation], *, strict: bool) -> None:
    """Refuse what deviates from serving, or warn of the answers that are trained otherwise."""
    if strict:
        listed = "\n".join(f"  messages[{each.message}]: {each.reason}" for each in deviations)
        raise MaskError(f"what would be trained is not what a server makes the model write\n{listed}")
    if differing := {each.message: each.reason for each in reversed(deviations) if each.kind == "differs"}:
        first = min(differing)
        msg = (
            f"{len(differing)} of the answers would be written otherwise on a server"
            f"\n  messages[{first}]: {differing[first]}"
            "\n  try: lect.encode(..., unroll='auto'), which trains what is served"
        )
        warn_caller(msg, ServedDifferentlyWarning, once=True)
