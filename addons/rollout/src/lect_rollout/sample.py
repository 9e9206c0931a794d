"""The turn that is being sampled: its ids, their text, and the reply that they make."""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING, Any, cast

from lect.addon import Decoder
from lect.plugin import Reply

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Parse = Callable[[list[int], Any], Reply]

INCOMPLETE = "\ufffd"
"""What decoders write for bytes that are not a character, or not one yet."""


class Sample:
    """A turn that is being sampled. Each piece of it is decoded once, and parsed only if its reply is read.

    Args:
        before: The id that precedes it.
        parse: A function that makes its reply from ids and their tokenizer.

    Attributes:
        ids: The ids so far.
        reply: The reply that they make; None if there was no piece yet.
    """

    def __init__(self, before: int | None, parse: Parse):
        self.ids: list[int] = []
        self.reply: Reply | None = None
        self._before, self._parse = before, parse
        self._texts: list[str] = []
        self._incomplete = ""
        self._decoder: Decoder | None = None
        self._tokenizer: Any = None

    def extend(self, ids: list[int], tokenizer: Any) -> Reply:
        """Add sampled ids, and return the reply up to there."""
        decoder, self._decoder = self._decoder, None
        if decoder is None or tokenizer is not self._tokenizer:
            decoder = Decoder(tokenizer, self._before)
            decoder.feed(self.ids)
        text = decoder.feed(ids)
        # The tokens that it holds back may still become a character.
        self._incomplete, held, _ = copy(decoder).rest()
        self.ids += ids
        self._texts.append(text)
        self._decoder, self._tokenizer = decoder, tokenizer
        self.reply = cast("Reply", ReplyOnceRead(self._parse, self.ids, len(self.ids) - held, tokenizer))
        return self.reply

    @property
    def last(self) -> int | None:
        """The last id, or the one that precedes the turn."""
        return self.ids[-1] if self.ids else self._before

    @property
    def text(self) -> str:
        """The text of the ids; of a character that is not complete, what the tokenizer writes for it."""
        return "".join(self._texts) + self._incomplete

    def fork(self) -> Sample:
        """Return another turn that begins like this one."""
        other = copy(self)
        other.ids, other._texts, other._decoder = [*self.ids], [*self._texts], copy(self._decoder)
        return other

    def __getstate__(self) -> dict[str, Any]:
        # What decodes includes the tokenizer, and is made anew.
        return {**self.__dict__, "_decoder": None, "_tokenizer": None}


class ReplyOnceRead:
    """Stands for a reply, and parses it when it is first read: of the many that single tokens give, most never are."""

    __slots__ = ("_count", "_ids", "_parse", "_reply", "_tokenizer")

    def __init__(self, parse: Parse, ids: list[int], count: int, tokenizer: Any):
        self._parse, self._ids, self._tokenizer = parse, ids, tokenizer
        self._count = count  # Later ones belong to later replies, or are not a character yet.
        self._reply: Reply | None = None

    def _read(self) -> Reply:
        if self._reply is None:
            self._reply = self._parse(self._ids[: self._count], self._tokenizer)
        return self._reply

    @property  # type: ignore[misc]
    def __class__(self) -> type[Reply]:  # type: ignore[override]
        return Reply

    def __getattr__(self, name: str) -> Any:
        return getattr(self._read(), name)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._read())

    def __len__(self) -> int:
        return len(self._read())

    def __getitem__(self, at: Any) -> Any:
        return self._read()[at]

    def __eq__(self, other: object) -> bool:
        return self._read() == (other._read() if type(other) is ReplyOnceRead else other)

    def __hash__(self) -> int:
        return hash(self._read())

    def __repr__(self) -> str:
        return repr(self._read())

    def __reduce__(self) -> tuple[Any, ...]:
        return Reply, tuple(self)
