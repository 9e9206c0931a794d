"""Token ids as text: what a model wrote, without the spaces that tokenizers add and decoders drop."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lect.tokens.tokenizer import Encoder

INCOMPLETE = "\ufffd"
"""What decoders write for bytes that are not a character, or not one yet."""


class Decoder:
    """Decodes sampled tokens.

    Raises:
        TokenizerError: If the tokenizer cannot decode.
    """

    def __init__(self, encoder: Encoder):
        self._encoder = encoder
        # Decoders drop the space with which a text begins, so everything is decoded after a letter.
        self._known = list(encoder.whole("a").ids)
        self._letter = encoder.decode(self._known)
        control = next(iter(encoder.controls), "")
        after_control = [each for each in encoder.whole(f"{control}a").ids if each not in encoder.control_ids]
        self._adds_space = self._ordinary(after_control).startswith(" ")

    def text(self, ids: Sequence[int], before: int | None) -> str:
        """Return the text of tokens; `before` is the one that precedes them."""
        controls = self._encoder.control_ids
        is_after_control = before in controls
        pieces = []
        for control, group in groupby(ids, controls.get):
            run = list(group)
            text = self._ordinary(run) if control is None else control * len(run)
            # A tokenizer that puts a space before every text puts it there when it encodes this, too.
            pieces.append(text.removeprefix(" ") if control is None and is_after_control and self._adds_space else text)
            is_after_control = control is not None
        return "".join(pieces)

    def _ordinary(self, ids: list[int]) -> str:
        text = self._encoder.decode([*self._known, *ids])
        return text[len(self._letter) :] if text.startswith(self._letter) else self._encoder.decode(ids)
