"""A tokenizer that encodes each distinct piece of text once: chats of one set share systems, tools and headers."""

from __future__ import annotations

from bisect import bisect_left
from functools import partial
from typing import TYPE_CHECKING, Any

from lect.plugin import split_at_controls

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from lect import Prompt

PER_TOKEN = 150
"""Bytes, roughly, of a token in an `Encoding` and among the ids."""
PER_PIECE = 400
TOGETHER = 64
"""Prompts whose pieces are encoded at once: enough for all cores, and few enough to stay in the processor's caches."""


class Piece:
    """The `Encoding` of a piece of text, as far as `Prompt.encode` reads it.

    Args:
        encoding: It, or one without offsets.
        encode: What returns one with offsets, if those are asked for after all.
    """

    __slots__ = ("_encode", "_encoding", "ids")

    def __init__(self, encoding: Any, encode: Callable[[], Any] | None = None):
        # A tuple, because the garbage collector goes through lists again and again.
        self.ids = tuple(encoding.ids)
        self._encoding = encoding if encode is None else None
        self._encode = encode

    @property
    def _located(self) -> Any:
        if self._encoding is None and self._encode is not None:
            self._encoding = self._encode()
        return self._encoding

    @property
    def offsets(self) -> Any:
        return self._located.offsets

    @property
    def char_to_token(self) -> Any:
        return self._located.char_to_token

    @property
    def token_to_chars(self) -> Any:
        return self._located.token_to_chars


class PieceTokenizer:
    """A `tokenizers.Tokenizer` to `Prompt.encode`, with a cache of the pieces between control tokens.

    The ids are right whatever is in the cache: a piece that is missing is encoded when it is asked for.

    Args:
        tokenizer: The tokenizer; this one must not be changed afterwards.
        cache_bytes: How much the cache may take, roughly.
    """

    def __init__(self, tokenizer: Any, cache_bytes: int):
        if tokenizer.truncation is not None or tokenizer.padding is not None:
            tokenizer = type(tokenizer).from_str(tokenizer.to_str())
            tokenizer.no_truncation()
            tokenizer.no_padding()
        self._tokenizer = tokenizer
        self._most = cache_bytes // 2
        # Two generations: what is used moves to the first, and the second is dropped when the first is full.
        self._recent: dict[str, Piece] = {}
        self._before: dict[str, Piece] = {}
        self._bytes = 0
        self.truncation = self.padding = None
        # `Prompt.encode` compares their spellings in every call, and spelling them takes a while.
        self.normalizer, self.pre_tokenizer, self.post_processor = (
            None if part is None else str(part)
            for part in (tokenizer.normalizer, tokenizer.pre_tokenizer, tokenizer.post_processor)
        )
        for name in ("encode", "get_added_tokens_decoder", "get_vocab_size", "id_to_token", "to_str"):
            setattr(self, name, getattr(tokenizer, name))

    @staticmethod
    def from_str(stated: str) -> Any:
        """Return another tokenizer: the copies that `Prompt.encode` makes have no cache."""
        from tokenizers import Tokenizer

        return Tokenizer.from_str(stated)

    def encode_batch(self, texts: Sequence[str], *, add_special_tokens: bool) -> list[Any]:
        """Return the encodings of texts, those that are not in the cache all at once."""
        if add_special_tokens:
            return list(self._tokenizer.encode_batch(texts))
        found = {text: self._known(text) for text in texts}
        missing = [text for text, piece in found.items() if piece is None]
        if missing:
            encodings = self._tokenizer.encode_batch(missing, add_special_tokens=False)
            for text, encoding in zip(missing, encodings, strict=True):
                found[text] = self._kept(text, Piece(encoding))
        return [found[text] for text in texts]

    def prepare(self, prompts: Iterable[Prompt]) -> None:
        """Encode the pieces of many prompts at once: on all cores, and faster on one too.

        Where tokens begin is asked for in answers only, and takes a sixth of the time.
        """
        answers: dict[str, None] = {}
        others: dict[str, None] = {}
        for prompt in prompts:
            end, trained = 0, prompt.trains
            starts = [] if trained is None else sorted(turn.start for turn in prompt.turns if turn.message in trained)
            for text, control in split_at_controls(prompt, self) or ():
                begin, end = end, end + len(text)
                if control is None:
                    next_start = bisect_left(starts, begin)
                    is_answer = trained is None or (next_start < len(starts) and starts[next_start] <= end)
                    (answers if is_answer else others)[text] = None
        self.pieces(answers, others)

    def pieces(self, located: Iterable[str], others: Iterable[str]) -> dict[str, Piece]:
        """Return pieces by their texts; where the tokens of the others begin is found out when it is asked for."""
        listed = list(located)
        found = dict(zip(listed, self.encode_batch(listed, add_special_tokens=False), strict=True))
        known = {text: self._known(text) for text in others if text not in found}
        plain = [text for text, piece in known.items() if piece is None]
        encodings = self._tokenizer.encode_batch_fast(plain, add_special_tokens=False)
        for text, encoding in zip(plain, encodings, strict=True):
            encode = partial(self._tokenizer.encode, text, add_special_tokens=False)
            known[text] = self._kept(text, Piece(encoding, encode))
        return found | known

    def _known(self, text: str) -> Piece | None:
        piece = self._recent.get(text)
        if piece is None and text in self._before:
            piece = self._kept(text, self._before[text])
        return piece

    def _kept(self, text: str, piece: Piece) -> Piece:
        self._bytes += PER_PIECE + len(text) + PER_TOKEN * len(piece.ids)
        if self._bytes > self._most:
            self._recent, self._before, self._bytes = {}, self._recent, 0
        self._recent[text] = piece
        return piece


def cached(tokenizer: Any, cache_bytes: int) -> Any:
    """Return a tokenizer with a cache; the same one if it is not of `tokenizers` or transformers."""
    fast = getattr(tokenizer, "backend_tokenizer", tokenizer)
    is_fast = hasattr(fast, "encode_batch") and hasattr(fast, "get_added_tokens_decoder")
    return PieceTokenizer(fast, cache_bytes) if is_fast and cache_bytes else tokenizer
