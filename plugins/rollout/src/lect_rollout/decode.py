"""Token ids as text: what a model wrote, without the spaces that tokenizers add and decoders drop."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any

from lect.errors import TokenizerError, saferepr
from lect.tokens.tokenizer import FastEncoder, encoder_of

if TYPE_CHECKING:
    from collections.abc import Sequence

INCOMPLETE = "\ufffd"
"""What decoders write for bytes that are not a character, or not one yet."""


class Decoder:
    """Decodes sampled tokens.

    Raises:
        TokenizerError: If the tokenizer cannot be used, or cannot decode.
    """

    def __init__(self, tokenizer: Any):
        encoder = encoder_of(tokenizer)
        self._controls = encoder.control_ids
        self._tokenizer = getattr(tokenizer, "backend_tokenizer", tokenizer)
        self._arguments = {"skip_special_tokens": False} if isinstance(encoder, FastEncoder) else {}
        # Decoders drop the space with which a text begins, so everything is decoded after a letter.
        self._known = list(encoder.whole("a").ids)
        self._letter = self._decoded(self._known)
        control = next(iter(encoder.controls), "")
        after_control = [each for each in encoder.whole(f"{control}a").ids if each not in self._controls]
        self._adds_space = self._ordinary(after_control).startswith(" ")

    def text(self, ids: Sequence[int], before: int | None) -> str:
        """Return the text of tokens; `before` is the one that precedes them."""
        is_after_control = before in self._controls
        pieces = []
        for control, group in groupby(ids, self._controls.get):
            run = list(group)
            text = self._ordinary(run) if control is None else control * len(run)
            # A tokenizer that puts a space before every text puts it there when it encodes this, too.
            pieces.append(text.removeprefix(" ") if control is None and is_after_control and self._adds_space else text)
            is_after_control = control is not None
        return "".join(pieces)

    def _ordinary(self, ids: list[int]) -> str:
        text = self._decoded([*self._known, *ids])
        return text[len(self._letter) :] if text.startswith(self._letter) else self._decoded(ids)

    def _decoded(self, ids: list[int]) -> str:
        if not callable(getattr(self._tokenizer, "decode", None)):
            msg = (
                f"tokenizer is {saferepr(self._tokenizer)}, which has no method decode(ids) to read sampled ids\n"
                "  try: one that returns the text of ordinary tokens"
            )
            raise TokenizerError(msg)
        text = self._tokenizer.decode(ids, **self._arguments)
        if not isinstance(text, str):
            msg = f"{saferepr(self._tokenizer)}.decode returned {saferepr(text)}; expected text"
            raise TokenizerError(msg)
        return text
