"""Other people's tokenizers, as this package uses them. None of their packages is imported here."""

from __future__ import annotations

import re
import sys
from array import array
from bisect import bisect_left, bisect_right
from itertools import pairwise
from os import urandom
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, runtime_checkable

from lect.errors import TokenizerError, shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

Offsets = list[tuple[int, int]]


@runtime_checkable
class Tokenizer(Protocol):
    """The two methods that a tokenizer needs if it comes from neither `tokenizers` nor transformers."""

    def control_tokens(self) -> Mapping[str, int]:
        """Return the ids of all special and added tokens by their texts."""
        ...

    def encode_ordinary(self, text: str) -> tuple[Sequence[int], Sequence[tuple[int, int]]]:
        """Return the ids of a text, and the start and end of each token; none of them may be a control token."""
        ...


class Found(NamedTuple):
    """A control token in a text: from which character to which it stands, and its id."""

    start: int
    end: int
    id: int


class Tokens:
    """The tokens of a text. Their offsets are made when all of them are asked for: that takes longer than the rest."""

    __slots__ = ("_encoding", "_offsets", "ids", "known")

    def __init__(self, ids: list[int], offsets: Offsets | None = None, encoding: Any = None):
        self.ids = ids
        self.known: list[tuple[int, int]] = []
        """Where some of the tokens begin, with their numbers, so that a search near them is short."""
        self._offsets = offsets
        self._encoding = encoding

    def __reduce__(self) -> tuple[Any, ...]:
        return Tokens, (self.ids, self.offsets())

    def offsets(self) -> Offsets:
        """Return the characters that each token stands for."""
        if self._offsets is None:
            self._offsets = self._encoding.offsets
        return self._offsets

    def span(self, index: int) -> tuple[int, int]:
        """Return the characters that one token stands for."""
        span: tuple[int, int] = self._encoding.token_to_chars(index) if self._offsets is None else self._offsets[index]
        return span

    def spans(self, indices: Iterable[int]) -> Offsets:
        """Return the characters that some tokens stand for."""
        span_of = self._encoding.token_to_chars if self._offsets is None else self._offsets.__getitem__
        return list(map(span_of, indices))

    def first(self, position: int) -> int:
        """Return the first token that begins at a position or behind it."""
        if self._offsets is not None:
            return bisect_left(self._offsets, (position,))
        count = len(self.ids)
        index = self._near(position)
        if index is None:
            index = self._encoding.char_to_token(position) if count else 0
        if index is None:
            return bisect_left(self.offsets(), (position,))
        span_of = self._encoding.token_to_chars
        # Several tokens may stand for one character, and one for several.
        while index and span_of(index - 1)[0] >= position:
            index -= 1
        while index < count and span_of(index)[0] < position:
            index += 1
        return index

    def _near(self, position: int) -> int | None:
        """Return a known token that begins a little before a position, or there."""
        before = bisect_right(self.known, (position, len(self.ids))) - 1
        if before < 0:
            return None
        begins_at, index = self.known[before]
        return index if position - begins_at <= NEAR else None


NEAR = 64
"""Characters. To look through all tokens takes longer than to go on from one that is so near."""


class Encoder:
    """One tokenizer: encodes a text with or without its control tokens.

    Attributes:
        controls: The ids of the control tokens by their texts. White space is none, whatever the tokenizer calls it.
        control_ids: Their texts by ids.
        opening: The ids that the tokenizer puts before every text of its own accord.
        unknown: The id of what the tokenizer does not know, if there is one.
    """

    opening: Sequence[int] = ()
    unknown: int | None = None

    def __init__(self, controls: Mapping[str, int]):
        self.controls = {text: each for text, each in controls.items() if text.strip()}
        self.control_ids = {each: text for text, each in self.controls.items()}

    def whole(self, text: str) -> Tokens:
        """Return a text as the tokenizer itself encodes it, whatever the origin of its control tokens."""
        raise NotImplementedError

    def ordinary(self, text: str, start: int, *, goes_on: bool) -> tuple[Sequence[int], Sequence[tuple[int, int]]]:
        """Return the ids and offsets of a piece of a text, without control tokens. The offsets begin at 0.

        Args:
            text: The piece.
            start: Where in the whole text it begins.
            goes_on: Whether what stands before it is ordinary text too.
        """
        raise NotImplementedError

    def found(self, text: str, tokens: Tokens) -> list[Found]:
        """Return the control tokens among the tokens of a text."""
        at = _places(tokens.ids, self.control_ids)
        spans = tokens.spans(at)
        found = [Found(start, end, tokens.ids[index]) for (start, end), index in zip(spans, at, strict=True)]
        tokens.known = [(start, index) for (start, _), index in zip(spans, at, strict=True)]
        if self.unknown is None:
            return found
        # It stands for every character that the tokenizer does not know, and is no control token there.
        spelt = self.control_ids[self.unknown]
        return [each for each in found if each.id != self.unknown or spelt in text[each.start : each.end]]

    def between(self, text: str, controls: Iterable[Found], cuts: Sequence[int] = ()) -> Tokens:
        """Encode a text with these control tokens and no others, and no token that reaches over a cut.

        What stands between control tokens is encoded by itself, as every tokenizer does it.
        """
        ids: list[int] = []
        offsets: Offsets = []
        position = 0
        for start, end, each in [*controls, Found(len(text), len(text), -1)]:
            edges = [position, *(cut for cut in cuts if position < cut < start), start]
            for begin, stop in pairwise(edges):
                if begin < stop:
                    more, places = self.ordinary(text[begin:stop], begin, goes_on=begin != position)
                    ids += more
                    offsets += [(begin + first, begin + last) for first, last in places]
            if start < end:
                ids.append(each)
                offsets.append((start, end))
            position = end
        return Tokens(ids, offsets)


UTF_32 = f"utf-32-{sys.byteorder[0]}e"
MOST_LOOKED_FOR = 64
"""How many ids are looked for one by one; of more, those that are there at all."""


def _places(ids: list[int], wanted: Mapping[int, str]) -> list[int]:
    """Return where any of these ids stand in a list."""
    places = []
    try:
        # As characters, which are found several times faster than numbers.
        characters = array("I", ids).tobytes().decode(UTF_32, "surrogatepass")
        for each in map(chr, wanted if len(wanted) <= MOST_LOOKED_FOR else wanted.keys() & ids):
            place = characters.find(each)
            while place >= 0:
                places.append(place)
                place = characters.find(each, place + 1)
    except (OverflowError, ValueError):  # no id of any tokenizer, but somebody's own may have such
        return [place for place, each in enumerate(ids) if each in wanted]
    return sorted(places)


class ProtocolEncoder(Encoder):
    """A tokenizer of the two methods of `Tokenizer`."""

    def __init__(self, tokenizer: Tokenizer):
        super().__init__(tokenizer.control_tokens())
        self._tokenizer = tokenizer
        longest_first = sorted(self.controls, key=len, reverse=True)
        self._pattern = re.compile("|".join(map(re.escape, longest_first))) if longest_first else None

    def whole(self, text: str) -> Tokens:
        matches = self._pattern.finditer(text) if self._pattern else ()
        return self.between(text, [Found(*match.span(), self.controls[match[0]]) for match in matches])

    def ordinary(self, text: str, start: int, *, goes_on: bool) -> tuple[Sequence[int], Sequence[tuple[int, int]]]:
        ids, offsets = self._tokenizer.encode_ordinary(text)
        if len(ids) != len(offsets):
            msg = f"{shown(self._tokenizer)}.encode_ordinary returned {len(ids)} ids and {len(offsets)} offsets"
            raise TokenizerError(msg)
        return ids, offsets


class FastEncoder(Encoder):
    """A `tokenizers.Tokenizer`."""

    def __init__(self, tokenizer: Any):
        super().__init__({token.content: each for each, token in tokenizer.get_added_tokens_decoder().items()})
        # A copy, because the caller's cuts or pads what it encodes, which must not happen here.
        is_bare = tokenizer.truncation is None and tokenizer.padding is None
        self._tokenizer = tokenizer if is_bare else _changed(tokenizer, _bare)
        self._ordinary: dict[str, Any] = {}
        self.opening = _opening(self._tokenizer)
        self.unknown = next((each for each in self.whole(RARE).ids if each in self.control_ids), None)

    def whole(self, text: str) -> Tokens:
        encoding = self._tokenizer.encode(text, add_special_tokens=False)
        return Tokens(encoding.ids, encoding=encoding)

    def ordinary(self, text: str, start: int, *, goes_on: bool) -> tuple[Sequence[int], Sequence[tuple[int, int]]]:
        kind = "goes on" if goes_on else "later" if start else "first"
        tokenizer = self._ordinary.get(kind)
        if tokenizer is None:
            tokenizer = self._ordinary[kind] = _changed(self._tokenizer, PLAIN[kind])
        encoding = tokenizer.encode(text, add_special_tokens=False)
        return encoding.ids, encoding.offsets


RARE = "\U0003134a"
"""A letter that hardly any tokenizer knows: the last of the Chinese characters."""


def _opening(tokenizer: Any) -> list[int]:
    """Return the ids that a tokenizer puts before a text."""
    alone = tokenizer.encode("a", add_special_tokens=False).ids
    within = tokenizer.encode("a", add_special_tokens=True).ids
    for at in range(len(within) - len(alone) + 1):
        if within[at : at + len(alone)] == alone:
            return list(within[:at])
    return []


def _changed(tokenizer: Any, change: Any) -> Any:
    """Return a copy of a tokenizer, changed in how it is written down."""
    import json

    stated = json.loads(tokenizer.to_str())
    change(stated)
    return type(tokenizer).from_str(json.dumps(stated))


def _bare(stated: dict[str, Any]) -> None:
    stated["truncation"] = stated["padding"] = None


def _without_controls(stated: dict[str, Any]) -> None:
    """Give the control tokens names that no text has, so that their texts become ordinary tokens."""
    unguessable = urandom(16).hex()
    controls = [token for token in stated["added_tokens"] if token["content"].strip()]
    ids = {token["id"] for token in controls}
    for token in controls:
        token["content"] = unguessable + token["content"]
    stated["post_processor"] = None
    model = stated["model"]
    vocabulary = model["vocab"]
    if isinstance(vocabulary, list):
        model["vocab"] = [[unguessable * (each in ids) + text, score] for each, (text, score) in enumerate(vocabulary)]
        return
    renamed = {text: unguessable + text for text, each in vocabulary.items() if each in ids}
    model["vocab"] = {renamed.get(text, text): each for text, each in vocabulary.items()}
    if model.get("unk_token") in renamed:
        model["unk_token"] = renamed[model["unk_token"]]
    # Some vocabularies can put a control token together from ordinary ones.
    if "merges" in model:
        model["merges"] = [merge for merge in model["merges"] if renamed.keys().isdisjoint(_parts_and_whole(merge))]


def _parts_and_whole(merge: str | list[str]) -> list[str]:
    """Return the two pieces that a merge joins, and what they become. Older files have it as one text."""
    parts = merge.split(" ", 1) if isinstance(merge, str) else merge
    return [*parts, "".join(parts)]


def _later(stated: dict[str, Any]) -> None:
    """What stands behind a control token has no space put before it by those who do so for the whole text alone."""
    _without_controls(stated)
    for part in _parts(stated["pre_tokenizer"]):
        if part.get("prepend_scheme") == "first":
            part["prepend_scheme"] = "never"


def _goes_on(stated: dict[str, Any]) -> None:
    """What stands behind ordinary text has no space put before it at all."""
    _without_controls(stated)
    for part in _parts(stated["pre_tokenizer"]):
        if "prepend_scheme" in part:
            part["prepend_scheme"] = "never"
        if "add_prefix_space" in part:
            part["add_prefix_space"] = False
    normalizer = stated["normalizer"]
    if normalizer is not None:
        kept = [part for part in _parts(normalizer) if part["type"] not in ("Prepend", "Sequence")]
        stated["normalizer"] = {"type": "Sequence", "normalizers": kept}


def _parts(part: dict[str, Any] | None) -> list[dict[str, Any]]:
    """Return a part of a tokenizer with all that it consists of."""
    if part is None:
        return []
    inner = part.get("normalizers", part.get("pretokenizers", []))
    return [part, *(each for one in inner for each in _parts(one))]


PLAIN = {"first": _without_controls, "later": _later, "goes on": _goes_on}


def _state(tokenizer: Any) -> tuple[Any, ...]:
    """Return what tells that somebody has changed a tokenizer since."""
    parts = tokenizer.normalizer, tokenizer.pre_tokenizer, tokenizer.post_processor
    return tokenizer.get_vocab_size(), tokenizer.truncation is None, tokenizer.padding is None, *map(str, parts)


MOST_KEPT = 8
_kept: dict[tuple[Any, ...], tuple[Any, Encoder]] = {}
"""The encoders of the tokenizers used last, with the tokenizer, by its id and its state: who pads now and then goes
back and forth between two."""


def encoder_of(tokenizer: Any) -> Encoder:
    """Return what encodes with a tokenizer of the caller's.

    Raises:
        TokenizerError: If it is none that can be used.
    """
    fast = getattr(tokenizer, "backend_tokenizer", tokenizer)
    is_fast = hasattr(fast, "to_str") and hasattr(fast, "get_added_tokens_decoder")
    if not is_fast and not isinstance(tokenizer, Tokenizer):
        msg = (
            f"tokenizer is {shown(tokenizer)}; expected a tokenizers.Tokenizer, a fast tokenizer of transformers, or "
            "an object with control_tokens() and encode_ordinary(text)\n"
            "  try: AutoTokenizer.from_pretrained(..., use_fast=True)"
        )
        raise TokenizerError(msg)
    key = (id(fast), *(_state(fast) if is_fast else ()))
    kept = _kept.get(key)
    if kept is not None and kept[0] is fast:
        return kept[1]
    encoder: Encoder = FastEncoder(fast) if is_fast else ProtocolEncoder(tokenizer)
    while len(_kept) >= MOST_KEPT:
        _kept.pop(next(iter(_kept)), None)
    _kept[key] = (fast, encoder)
    return encoder
