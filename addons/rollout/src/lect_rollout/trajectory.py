"""What a rollout gives to a trainer."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from lect_media import Place

UNTRAINED = -100
"""The label of a token that is not trained, as trainers know it."""


class Stretch(NamedTuple):
    """Tokens that were added to a rollout at once."""

    ids: Sequence[int]
    messages: Sequence[int | None]
    """The message that each belongs to."""
    logprobs: Sequence[float | None] | None = None
    """None if they were not sampled."""
    media: Sequence[Place] = ()
    """Which of them are images, sounds and videos."""
    unexpanded: Sequence[int] | None = None
    """The same tokens with one placeholder for each of these; None if there are none."""


class MessageSpan(NamedTuple):
    """Tokens of a message's turn."""

    message: int
    """The index of the message."""
    start: int
    """The first token."""
    end: int
    """The token after the last one."""


class Trajectory(NamedTuple):
    """A rollout for training: its ids, and which of them were sampled."""

    ids: list[int]
    """The token ids."""
    weights: list[float]
    """1.0 for each token that was sampled, 0.0 for the others."""
    logprobs: list[float | None]
    """The log probability of each token as it was given; None if it was not sampled, or none was given."""
    spans: list[MessageSpan]
    """The tokens of each message in order; those outside all turns, such as a generation prompt, are in none."""
    media: Sequence[Place] = ()
    """The tokens of each image, sound and video in order, as in `Encoded`; none of them carries loss."""

    @property
    def labels(self) -> list[int]:
        """The ids, and -100 for those that were not sampled."""
        return [each if weight else UNTRAINED for each, weight in zip(self.ids, self.weights, strict=True)]

    @property
    def message_index(self) -> list[int | None]:
        """The index of the message that each token belongs to, as in `Encoded`; None for text outside all turns."""
        indices: list[int | None] = [None] * len(self.ids)
        for message, start, end in self.spans:
            indices[start:end] = [message] * (end - start)
        return indices

    def to_dict(self) -> dict[str, list[int]]:
        """Return the columns that trainers expect: `input_ids`, `attention_mask` and `labels`."""
        return {"input_ids": self.ids, "attention_mask": [1] * len(self.ids), "labels": self.labels}


def trajectory(stretches: Sequence[Stretch]) -> Trajectory:
    """Return stretches as one sequence."""
    messages = (message for stretch in stretches for message in stretch.messages)
    return Trajectory(
        [each for stretch in stretches for each in stretch.ids],
        [float(stretch.logprobs is not None) for stretch in stretches for _ in stretch.ids],
        [each for stretch in stretches for each in stretch.logprobs or [None] * len(stretch.ids)],
        list(_spans(messages)),
        list(_media(stretches)),
    )


def _media(stretches: Sequence[Stretch]) -> Iterable[Place]:
    begin = 0
    for stretch in stretches:
        for place in stretch.media:
            yield place._replace(start=begin + place.start, end=begin + place.end)
        begin += len(stretch.ids)


def _spans(messages: Iterable[int | None]) -> Iterable[MessageSpan]:
    end = 0
    for message, group in groupby(messages):
        start, end = end, end + len(list(group))
        if message is not None:
            yield MessageSpan(message, start, end)
