"""From the end of a sampled turn to the next generation prompt, in characters and in tokens."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING, Any, NamedTuple

from lect import Origin, Segment
from lect.addon import REASONING_NAMES, Layout, controls_in, encoder_of
from lect.errors import RefusedError
from lect_rollout.trajectory import Stretch

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lect.plugin import Reply, Template
    from lect_media import Place

BREAKS_OFF = {"incomplete_call": "a call", "incomplete_reasoning": "reasoning", "stray_header": "a header"}
"""The problems of replies that break off, and what they break off in."""
KINDS = {**dict.fromkeys(REASONING_NAMES, "reasoning"), "tool_calls": "call"}
"""The fields of a message, and the kind of the pieces of a reply that become this field; any other is content."""
NO_CONTROL = "\ufffc"
"""A character that no control token contains."""


class TurnEnd(NamedTuple):
    """How the turn of a message ends."""

    begin: int
    """Where the turn begins."""
    field: str
    """The field of the message that is last in its turn; empty if there is none."""
    own_end: int
    """Where that ends."""
    stop: int
    end: int
    close: int
    """As in `TurnSpan`, but before the text of later messages, which a few formats write into the same turn."""


def turn_end(layout: Layout, template: Template, message: int) -> TurnEnd:
    """Return how the turn of a message ends.

    Raises:
        RefusedError: If the template writes nothing for it.
    """
    region = next((region for region in layout.regions() if region[0] == message), None)
    if region is None:
        raise RefusedError(f"template {template.label!r} writes nothing for messages[{message}]")
    _, first, behind, own = region
    own_end = layout.starts[own[-1] + 1] if own else layout.starts[first]
    after = range(own[-1] + 1 if own else first, behind)
    within = [index for index in after if _is_of(layout.segments[index], message + 1)]
    close = layout.starts[within[0] if within else behind]
    stop, end = template.edges().turn_marks.stop_in(layout.text, own_end, close)
    if within and stop == end:
        stop = end = own_end
    field = str(layout.segments[own[-1]].path[2]) if own else ""
    return TurnEnd(layout.starts[first], field, own_end, stop, end, close)


def _is_of(segment: Segment, message: int) -> bool:
    """Return whether a segment is text of a message, other than its role."""
    return segment.path[:2] == ("messages", message) and segment.path[2:] not in ((), ("role",))


def written(text: str, turn: int | None) -> Segment:
    """Return a text of the template, in a turn or outside all of them."""
    return Segment(text, Origin.TEMPLATE, (), -1, turn)


def breaks_off(reply: Reply) -> str:
    """Return in what a reply breaks off, for people; empty if another turn may follow it."""
    if reply.stop is not None:
        return ""
    last = [problem.code for problem in reply.problems if problem.span[1] == len(reply.raw)]
    return next((BREAKS_OFF[code] for code in last if code in BREAKS_OFF), "")


def is_shown(end: TurnEnd, reply: Reply) -> bool:
    """Return whether a turn in history ends with what the reply ends with."""
    kinds = [piece.kind for piece in reply.pieces if piece.kind not in ("mark", "after")]
    is_cut = breaks_off(reply) in ("a call", "a header")
    return bool(kinds) and not is_cut and KINDS.get(end.field, "content") == kinds[-1]


def continued_at(layout: Layout, end: TurnEnd, reply: Reply) -> int:
    """Return where, in a prompt in which the reply is history, the text begins that follows what was sampled.

    Raises:
        RefusedError: If the reply ends otherwise than the prompt has it.
    """
    text, stop = layout.text, reply.stop
    size = len(reply.raw) - sum(piece.end - piece.start for piece in reply.pieces if piece.kind == "after")
    before, after = reply.raw[:size].removesuffix(stop or ""), reply.raw[size:]
    position = end.end
    if (stop is None and is_shown(end, reply)) or end.end == end.own_end:
        # The sample may itself have begun to write what the template writes there.
        rest = text[end.own_end : end.stop if end.stop < end.end else end.close]
        position = end.own_end + len(rest) - len(unwritten(before, rest))
    elif stop is None:
        position = end.stop
    elif end.end > end.close and text[end.stop : end.end] != stop:
        # The header of the next turn ends this one. Another token did here, so the header is still to be written.
        # The template knows the roles, which may be part of a header.
        trusted = (each.origin is Origin.TEMPLATE or each.path[2:] == ("role",) for each in layout.segments)
        pieces = zip(layout.segments, trusted, strict=True)
        if stop in "".join(each.text if is_trusted else NO_CONTROL for each, is_trusted in pieces):
            msg = f"the sample ends with {stop!r}, which begins another turn than that of the next message"
            raise RefusedError(msg)
        position = end.stop
    if not text.startswith(after, position):
        raise RefusedError(f"the sample goes on after its stop, {stop!r}\n  try: feed(ids) up to the stop")
    return position + len(after)


def unwritten(sample: str, text: str) -> str:
    """Return a text that is to follow a sample, without what the sample itself has begun to write of it."""
    return next(text[size:] for size in range(len(text), -1, -1) if sample.endswith(text[:size]))


def segments_from(layout: Layout, position: int) -> list[Segment]:
    """Return the segments of a prompt from a position on."""
    index = bisect_right(layout.starts, position) - 1
    segments = list(layout.segments[index:])
    if segments:
        segments[0] = segments[0]._replace(text=segments[0].text[position - layout.starts[index] :])
    return segments


def encoded_after(
    before: int | None, segments: Sequence[Segment], tokenizer: Any, places: Sequence[Place] = (), begin: int = 0
) -> Stretch:
    """Return segments as tokens, as a tokenizer encodes them after another token; none of them reaches back into it.

    `places` are those of images in a text in which the segments begin at `begin`.
    """
    encoder = encoder_of(tokenizer)
    control = None if before is None else encoder.control_ids.get(before)
    context = control or NO_CONTROL
    segments = [written(context, None), *segments]
    layout = Layout("".join(segment.text for segment in segments), segments)
    _, own, foreign = controls_in(layout, encoder)
    own = [each for each in own if each.start >= len(context)]
    if control and before is not None:
        is_clean = all(each.start < len(context) for each in foreign)
        tokens = encoder.between(layout.text, [(0, len(context), before), *own], is_clean=is_clean)
    else:
        tokens = encoder.between(layout.text, own, [len(context)])
    first = tokens.first(len(context))
    pieces = [bisect_right(layout.starts, start, hi=len(segments)) - 1 for start, _ in tokens.offsets()[first:]]

    def behind(position: int) -> int:
        return tokens.first(position - begin + len(context)) - first

    media = [place._replace(start=behind(place.start), end=behind(place.end)) for place in places]
    return Stretch(tokens.ids[first:], [segments[piece].turn for piece in pieces], media=media)
