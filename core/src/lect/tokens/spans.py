"""Which characters of a prompt carry loss."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from operator import itemgetter
from typing import Any, NamedTuple

from lect.errors import MaskError
from lect.prompt.message import REASONING_NAMES
from lect.prompt.segments import Layout
from lect.tokens.policy import DEFAULT_POLICY, LossPolicy, own_weight
from lect.tokens.turns import TurnSpan, is_anothers, is_own
from lect.values import INPUT, TRANSFORMED

WEIGHT_AND_KIND = itemgetter(2, 4)


class LossSpan(NamedTuple):
    """Characters of the prompt that carry loss."""

    start: int
    """The first character."""
    end: int
    """The character after the last one."""
    weight: float
    """How much loss they carry."""
    message: int
    """The index of the message whose turn it is."""
    kind: str
    """`content`, `reasoning`, `tool_calls`, `stop` or `separator`."""


def loss_spans(
    layout: Layout, turns: Sequence[TurnSpan], messages: Sequence[Mapping[str, Any]], policy: LossPolicy | None
) -> list[LossSpan]:
    """Return the spans that carry loss, in order; neighbours of equal weight and kind are merged."""
    policy = policy or DEFAULT_POLICY
    weights = _weights(turns, messages, policy)
    _refuse_unknown(policy, messages)
    last = max((each for each, weight in weights.items() if weight), default=None) if policy.stop == "last" else None
    spans: list[LossSpan] = []
    make = tuple.__new__
    for turn in turns:
        weight = weights.get(turn.message, 0.0)
        if not weight and turn.message not in policy.spans:
            continue
        start = turn.header_end if policy.train_prefill else turn.start
        pieces = [
            make(LossSpan, (begin, end, weight * policy.kind_weight(kind), turn.message, kind))
            for begin, end, kind in _pieces(layout, turn, start)
        ]
        if policy.patterns or policy.spans:
            pieces = _adjusted(layout, pieces, turn.message, policy)
        if policy.stop == "turn" or turn.message == last:
            pieces.append(make(LossSpan, (turn.stop, turn.end, weight, turn.message, "stop")))
        if policy.train_separator:
            pieces.append(LossSpan(turn.end, turn.close, weight, turn.message, "separator"))
        spans += _joined(pieces)
    return spans


def marked_spans(
    layout: Layout, marks: Sequence[tuple[int, int]], messages: Sequence[Mapping[str, Any]], policy: LossPolicy
) -> list[LossSpan]:
    """Return the spans that carry loss by a template's own marks, in order.

    Each belongs to the message in whose turn it is; what is outside of turns, to the one before.
    """
    _refuse_unknown(policy, messages)
    weights = {index: own_weight(message, index) for index, message in enumerate(messages)}
    # The text may have been cut within the last answer, for a model to continue it.
    length = len(layout.text)
    marked = [part for start, end in marks if start < length for part in _by_turn(layout, start, min(end, length))]
    spans: list[LossSpan] = []
    for message, start, end in marked:
        own = weights.get(message)
        weight = 0.0 if policy.last and message != marked[-1][0] else 1.0 if own is None else own
        turn = TurnSpan(message, start, start, start, end, end, end)
        pieces = [
            LossSpan(begin, stop, weight * policy.kind_weight(kind), message, kind)
            for begin, stop, kind in _complete(_pieces(layout, turn, start), start, end)
        ]
        spans += _joined(_adjusted(layout, pieces, message, policy))
    return spans


def _by_turn(layout: Layout, start: int, end: int) -> Iterator[tuple[int, int, int]]:
    """Yield the message, start and end of each part of a text that is in one turn."""
    first, behind = bisect_right(layout.starts, start) - 1, bisect_left(layout.starts, end)
    before = (layout.segments[index].turn for index in range(first, -1, -1))
    message = next((turn for turn in before if turn is not None), 0)
    for index in range(first, behind):
        turn = layout.segments[index].turn
        if turn is not None and turn != message:
            if start < layout.starts[index]:
                yield message, start, layout.starts[index]
            message, start = turn, max(start, layout.starts[index])
    yield message, start, end


def _complete(pieces: Iterable[tuple[int, int, str]], at: int, end: int) -> Iterator[tuple[int, int, str]]:
    """Yield pieces that leave nothing out: text of other messages counts as content."""
    for start, stop, kind in pieces:
        yield at, start, "content"
        yield start, stop, kind
        at = stop
    yield at, end, "content"


def _weights(turns: Sequence[TurnSpan], messages: Sequence[Mapping[str, Any]], policy: LossPolicy) -> dict[int, float]:
    """Return the weight of each trained message."""
    by_role = [turn.message for turn in turns if messages[turn.message].get("role") in policy.roles]
    trained = dict.fromkeys(by_role[-1:] if policy.last else by_role, 1.0)
    for turn in turns:
        message = turn.message
        own = own_weight(messages[message], message)
        if own is not None and (own == 0 or message in trained or not policy.last):
            trained[message] = own
    return trained


def _refuse_unknown(policy: LossPolicy, messages: Sequence[Mapping[str, Any]]) -> None:
    for message in policy.spans:
        if not 0 <= message < len(messages):
            msg = f"LossPolicy: spans[{message}] names a message that does not exist; there are {len(messages)}"
            raise MaskError(msg)


def _pieces(layout: Layout, turn: TurnSpan, start: int) -> Iterator[tuple[int, int, str]]:
    """Yield what the speaker of a turn writes, up to its stop, by kind.

    Text of other messages within the turn, such as the result of a call, is left out with what is around it; images are
    left out. What the template writes for the speaker takes the kind of its neighbours: that of a call or of reasoning.
    """
    starts, segments = layout.starts, layout.segments
    index = bisect_right(starts, start) - 1
    begin, before = start, "content"
    waiting: int | None = None
    is_foreign = False
    while begin < turn.stop:
        segment = segments[index]
        if segment.origin is not INPUT and not segment.path:
            waiting = begin if waiting is None and not is_foreign else waiting
        elif is_own(segment, turn.message):
            kind = kind_of(segment.path)
            if waiting is not None:
                yield waiting, begin, kind if before == "content" else before
            waiting, is_foreign = None, False
            yield begin, min(starts[index + 1], turn.stop), kind
            before = kind
        else:
            is_foreign = is_foreign or is_anothers(segment, turn.message)
            if waiting is not None and not is_foreign:
                yield waiting, begin, before
            waiting = None
        index += 1
        begin = starts[index]
    if waiting is not None:
        yield waiting, turn.stop, before


def kind_of(path: tuple[str | int, ...]) -> str:
    """Return the kind of the text in a message's field."""
    name = path[2]
    if name in REASONING_NAMES:
        return "reasoning"
    return "tool_calls" if name in ("tool_calls", "function_call") else "content"


def _adjusted(layout: Layout, pieces: list[LossSpan], message: int, policy: LossPolicy) -> list[LossSpan]:
    """Return the pieces of a turn, with the weights of a policy's patterns and spans."""
    begin, stop = (pieces[0].start, pieces[-1].end) if pieces else (0, 0)
    for pattern, factor in policy.patterns.items():
        found = (match.span() for match in re.finditer(pattern, layout.text[begin:stop]))
        places = [(begin + start, begin + end) for start, end in found]
        pieces = list(_changed(pieces, places, lambda weight, factor=factor: weight * factor))
    for start, end, own in policy.spans.get(message, ()):
        pieces = list(_changed(pieces, _places(layout, message, start, end), lambda _, own=own: own))
    return pieces


def _places(layout: Layout, message: int, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield where some characters of a message's content are in the prompt."""
    for index, segment in enumerate(layout.segments):
        if segment.path[:3] != ("messages", message, "content"):
            continue
        if segment.start == TRANSFORMED:
            raise MaskError(
                f"LossPolicy: spans[{message}] cannot be found in the prompt: the template changes the text\n"
                "  try: patterns={...}, which look at the prompt itself"
            )
        moved = layout.starts[index] - segment.start
        yield max(start + moved, layout.starts[index]), min(end + moved, layout.starts[index + 1])


def _changed(pieces: list[LossSpan], places: Iterable[tuple[int, int]], change: Any) -> Iterator[LossSpan]:
    """Yield the pieces, with another weight in some places."""
    places = [*places]
    for piece in pieces:
        at = piece.start
        for begin, end in places:
            begin, end = max(begin, at), min(end, piece.end)
            if begin >= end:
                continue
            if at < begin:
                yield piece._replace(start=at, end=begin)
            yield piece._replace(start=begin, end=end, weight=change(piece.weight))
            at = end
        if at < piece.end:
            yield piece._replace(start=at)


def _joined(pieces: list[LossSpan]) -> Iterator[LossSpan]:
    """Return the pieces of a turn that have a length and a weight."""
    return merged([piece for piece in pieces if piece[0] < piece[1] and piece[2]], WEIGHT_AND_KIND)


def merged(spans: Iterable[LossSpan], key: Callable[[LossSpan], Any]) -> Iterator[LossSpan]:
    """Yield spans, those that touch and have the same `key` as one."""
    held: LossSpan | None = None
    for span in spans:
        if held is not None and held.end == span.start and key(held) == key(span):
            held = tuple.__new__(LossSpan, (held.start, span.end, *held[2:]))
            continue
        if held is not None:
            yield held
        held = span
    if held is not None:
        yield held
