"""Ids with images, made from ids with one placeholder for each: thousands of equal tokens need no encoding."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from lect.addon import Encoder, encoder_of
from lect.plugin import boundary
from lect_media.expansion import Expansion
from lect_media.places import Place

if TYPE_CHECKING:
    from lect import Encoded


class Spliced:
    """What was encoded, with all tokens of each image, as far as trainers need it.

    Attributes:
        ids: The token ids.
        media: Which of them are images, sounds and videos, as in `Encoded`.
        report: The report of what was encoded.
    """

    def __init__(self, encoded: Encoded, ids: list[int], media: tuple[Place, ...]):
        self.ids, self.media, self.report = ids, media, encoded.report
        self._encoded = encoded

    @property
    def weights(self) -> list[float]:
        """How much loss each token carries.

        Raises:
            MaskError: If no token carries loss, or all do, and it is not allowed.
        """
        given, weights, position = self._encoded.weights, list[float](), 0
        for before, place in zip(self._encoded.media, self.media, strict=True):
            weights += given[position : before.start]
            weights += [0.0] * (place.end - place.start)
            position = before.end
        return [*weights, *given[position:]]


@boundary
def spliced(encoded: Encoded, expansions: Sequence[Expansion], tokenizer: Any) -> Spliced | None:
    """Return an encoding, in which each image is one placeholder, with all tokens of each.

    Args:
        encoded: The encoding.
        expansions: What becomes of each of its `media`, in order.
        tokenizer: The tokenizer.

    Returns:
        The same ids and weights as those of the expanded prompt; None if text beside an image could be cut into other
        tokens, or an image is cut off: then the expanded prompt must be encoded.
    """
    control_ids = encoder_of(tokenizer).control_ids
    if encoded.report.truncated or len(encoded.media) != len(expansions):
        return None
    ids: list[int] = []
    media: list[Place] = []
    position = 0
    for place, expansion in zip(encoded.media, expansions, strict=True):
        replaced = encoded.ids[place.start : place.end]
        tokens = ids_instead(control_ids.get(replaced[0], ""), expansion, tokenizer) if len(replaced) == 1 else None
        if tokens is None:
            return None
        ids += encoded.ids[position : place.start]
        media.append(place._replace(start=len(ids), end=len(ids) + len(tokens)))
        ids += tokens
        position = place.end
    return Spliced(encoded, [*ids, *encoded.ids[position:]], tuple(media))


@boundary
def ids_instead(placeholder: str, expansion: Expansion, tokenizer: Any) -> list[int] | None:
    """Return the ids of what becomes of an image, which take the place of its placeholder's.

    Args:
        placeholder: The placeholder, as the template writes it.
        expansion: What becomes of the image.
        tokenizer: The tokenizer.

    Returns:
        The ids; None if text beside them could be cut into other tokens: then the expanded prompt must be encoded.
    """
    encoder = encoder_of(tokenizer)
    is_edge = not encoder.depends_on_neighbours and _is_edge(placeholder, encoder)
    return _ids_of(expansion, encoder) if is_edge else None


@lru_cache(1024)
def _is_edge(text: str, encoder: Encoder) -> bool:
    """Return whether a text is a control token that absorbs no white space beside it."""
    return text in encoder.controls and [each[:2] for each in encoder.found(f" {text} ")] == [(1, len(text) + 1)]


def _ids_of(expansion: Expansion, encoder: Encoder) -> list[int] | None:
    """Return the ids of what becomes of an image; None if its ends could be one token with what is beside them."""
    runs = expansion.runs
    if not runs or not (_is_edge(runs[0].text, encoder) and _is_edge(runs[-1].text, encoder)):
        return None
    ids: list[int] = []
    for run in runs:
        if run.text in encoder.controls:
            ids += [encoder.controls[run.text]] * run.times
        elif run.is_control or encoder.found(run.text):
            return None
        else:
            ids += encoder.between(run.text, []).ids * run.times
    return ids
