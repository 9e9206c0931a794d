"""Log probabilities of what a client reads, token by token, as OpenAI's APIs have them."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any, NamedTuple

from lect.addon import Decoder

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lect.addon import Event
    from lect_serve.engines.base import Piece

UNKNOWN = -9999.0
"""What OpenAI's APIs write for a token that is too unlikely to have a number; here also where the engine gave none."""


class Scored(NamedTuple):
    """A token, and where it is in the raw text."""

    text: str
    logprob: float | None
    start: int

    def is_in(self, event: Event) -> bool:
        """Return whether some of it is in the text of an event."""
        start, end = event.start or 0, event.end or 0
        return self.start < end and (self.start + len(self.text) > start or self.start >= start)

    def to_openai(self) -> dict[str, Any]:
        """Return it as OpenAI's APIs have it."""
        logprob = UNKNOWN if self.logprob is None else max(self.logprob, UNKNOWN)
        known = [*self.text.encode("utf-8", "replace")]
        return {"token": self.text, "logprob": logprob, "bytes": known, "top_logprobs": []}


class Scores:
    """The tokens of a reply, until the events that have their text.

    Of the tokens that are one character together, the last has its text, and the others have none: so the tokens of a
    content add up to it.

    Args:
        tokenizer: The tokenizer.
        before: The last id of the prompt.
    """

    def __init__(self, tokenizer: Any, before: int | None) -> None:
        self._decoder = Decoder(tokenizer, before)
        self._waiting: list[float | None] = []
        """The tokens whose text is not certain yet."""
        self._tokens: deque[Scored] = deque()
        self._length = 0

    def add(self, piece: Piece) -> None:
        """Add what an engine sent."""
        if piece.text is not None:
            self.end()
            self._put(piece.text, None)
            return
        logprobs: Sequence[float | None] = piece.logprobs or [None] * len(piece.ids)
        for each, logprob in zip(piece.ids, logprobs, strict=True):
            self._waiting.append(logprob)
            for text, count, _ in self._decoder.pieces([each]):
                self._settle(text, count)

    def end(self) -> None:
        """Add what was held back: no token comes that could change it."""
        text, count, _ = self._decoder.rest()
        self._settle(text, count)

    def _settle(self, text: str, count: int) -> None:
        some, self._waiting = self._waiting[:count], self._waiting[count:]
        for at, logprob in enumerate(some, 1):
            self._put(text if at == len(some) else "", logprob)

    def _put(self, text: str, logprob: float | None) -> None:
        self._tokens.append(Scored(text, logprob, self._length))
        self._length += len(text)

    def of(self, event: Event) -> list[dict[str, Any]]:
        """Return the tokens of an event, each once, and forget those before it."""
        found = []
        while self._tokens and self._tokens[0].start < (event.end or 0):
            token = self._tokens.popleft()
            if token.is_in(event):
                found.append(token.to_openai())
        return found
