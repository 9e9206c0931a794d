"""Answers that are not trained as a server makes the model write them: what became of each, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from lect_data.media import reached

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from lect import Encoded, Prompt, Row
    from lect_media import Spliced

KINDS = ("differs", "left_out", "no_stop")
"""Those of core's deviations that are counted: trained otherwise than served, not at all, or without a stop."""
WITHOUT_STOP = "the format writes no stop after it"
CUT_OFF = "max_length cuts it off"
NO_ANSWER = (
    "it is no answer, and nothing else is trained where conversations are unrolled\n  try: unroll='never', for one text"
)


class Deviation(NamedTuple):
    """A message that is not trained as it is served."""

    message: int
    kind: str
    reason: str


def in_text(prompt: Prompt, messages: Sequence[Mapping[str, Any]]) -> list[Deviation]:
    """Return what deviates in the answers of a text, except for those that were left out."""
    answers = prompt.trains
    if answers is None:
        answers = frozenset(index for index, each in enumerate(messages) if each.get("role") == "assistant")
    unstopped = [turn.message for turn in prompt.turns if turn.message in answers and turn.stop == turn.end]
    return _all(prompt.deviations, unstopped)


def in_ids(prompt: Prompt, encoded: Encoded | Spliced) -> list[Deviation]:
    """Return what deviates in the answers of a sequence, except for those that were left out by its format."""
    report = encoded.report
    beyond: set[int] = set()
    end = reached(encoded)
    if end is not None:
        beyond = {turn.message for turn in prompt.turns if turn.start >= end}
    unstopped = [message for message in report.stops_lost if message not in beyond]
    cut = (Deviation(message, "left_out", CUT_OFF) for message in report.stops_lost if message in beyond)
    return [*_all(report.deviations, unstopped), *cut]


def _all(stated: Iterable[Any], unstopped: Iterable[int]) -> list[Deviation]:
    """Return each answer once, with the first reason that is stated for it."""
    found: dict[tuple[int, str], Deviation] = {}
    for each in (*stated, *(Deviation(message, "no_stop", WITHOUT_STOP) for message in unstopped)):
        if each.kind in ("differs", "no_stop"):
            found.setdefault((each.message, each.kind), Deviation(each.message, each.kind, each.reason))
    return list(found.values())


def left_out(prompts: Sequence[Prompt], row: Row) -> Iterator[Deviation]:
    """Yield the messages of a row that would be trained, and are not in its prompts."""
    weights: Sequence[float | None] = row.weights or [None] * len(row.messages)
    for each in (each for prompt in prompts for each in prompt.deviations):
        if each.kind == "left_out" and weights[each.message] != 0:
            yield Deviation(each.message, each.kind, each.reason)
    if prompts and prompts[0].trains is not None:
        for index, (message, weight) in enumerate(zip(row.messages, weights, strict=True)):
            if weight and message.get("role") != "assistant":
                yield Deviation(index, "left_out", NO_ANSWER)


def in_side(prompt: Prompt, before: int) -> list[Deviation]:
    """Return the answers without a stop in one of two continuations, which begins with the message `before`."""
    trains = {message for message in prompt.trains or () if message >= before}
    unstopped = (turn.message for turn in prompt.turns if turn.message in trains and turn.stop == turn.end)
    return [Deviation(message, "no_stop", WITHOUT_STOP) for message in unstopped]
