"""Third-party tokenizers, as this package uses them. None of their packages is imported here."""

import os
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple, Protocol, runtime_checkable

from lect.errors import TokenizerError, saferepr
from lect.tokens.copies import PLAIN, bare, changed

Offsets = list[tuple[int, int]]
FIRST = itemgetter(0)
FAR = 4096
"""An `Encoding` goes through its tokens to find a character."""
SHORT, MOST_SHORT = 12, 512
"""Characters of a piece that is remembered, such as a newline between control tokens, and how many pieces are."""


@runtime_checkable
class Tokenizer(Protocol):
    """The two methods that a tokenizer needs if it comes from neither `tokenizers` nor transformers.

    To read sampled ids it needs a third, `decode(ids)`: the text of ordinary tokens, with U+FFFD for bytes that are no
    character. Control tokens are not among them.
    """

    def control_tokens(self) -> Mapping[str, int]:
        """Return the ids of all special and added tokens by their texts."""
        ...

    def encode_ordinary(self, text: str) -> tuple[Sequence[int], Sequence[tuple[int, int]]]:
        """Return the ids of a text, and the start and end of each token; none of them may be a control token."""
        ...


class ControlToken(NamedTuple):
    """A control token in a text: its start, its end and its id."""

    start: int
    end: int
    id: int


class Tokens:
    """The tokens of a text that was encoded in pieces: where each begins, its ids, and its offsets from there.

    Offsets, a list or an `Encoding` that has them, are computed on demand: computing all takes longer than the rest.
    """

    def __init__(self, pieces: Sequence[tuple[int, Sequence[int], Any]]):
        self._starts, self._offsets = [start for start, _, _ in pieces], [offsets for _, _, offsets in pieces]
        self._firsts: list[int] = []
        self.ids: list[int] = []
        for _, ids, _ in pieces:
            self._firsts.append(len(self.ids))
            self.ids += ids

    def __reduce__(self) -> tuple[Any, ...]:
        return Tokens, ([(0, self.ids, self.offsets())],)

    def offsets(self) -> Offsets:
        """Return the characters that each token stands for."""
        places = enumerate(self._starts)
        return [(start + begin, start + end) for piece, start in places for begin, end in self._within(piece)]

    def span(self, index: int) -> tuple[int, int]:
        """Return the characters that one token stands for."""
        piece = bisect_right(self._firsts, index) - 1
        start, within, index = self._starts[piece], self._offsets[piece], index - self._firsts[piece]
        begin, end = within[index] if isinstance(within, list) else within.token_to_chars(index)
        return start + begin, start + end

    def first(self, position: int) -> int:
        """Return the first token that begins at a position or after it."""
        piece = max(bisect_right(self._starts, position) - 1, 0)
        if piece == len(self._starts):
            return 0
        first, within, position = self._firsts[piece], self._offsets[piece], position - self._starts[piece]
        if not isinstance(within, list) and position < FAR:
            token: int | None = within.char_to_token(position)
            # Tokens may overlap, or have no width.
            if (
                token is not None
                and within.token_to_chars(token)[0] == position
                and (token == 0 or within.token_to_chars(token - 1)[0] < position)
            ):
                return first + token
        return first + bisect_left(self._within(piece), (position,))

    def _within(self, piece: int) -> Offsets:
        """Return the offsets of the tokens of a piece, relative to its start."""
        within: Offsets | Any = self._offsets[piece]
        if not isinstance(within, list):
            within = self._offsets[piece] = within.offsets
        return within


class Ordinary(NamedTuple):
    """A piece of a text in which no control token may arise."""

    start: int
    text: str
    goes_on: bool
    """Whether ordinary text precedes it."""


class Encoder:
    """One tokenizer: encodes a text with or without its control tokens.

    Attributes:
        controls: The ids of the control tokens by their texts. White space is not one, whatever the tokenizer says.
        control_ids: Their texts by ids.
        begins: All that their texts begin with.
        opening: The ids that the tokenizer puts before every text by itself.
        depends_on_neighbours: Whether the tokens of a piece depend on what precedes it.
    """

    opening: Sequence[int] = ()
    depends_on_neighbours = False

    def __init__(self, controls: Mapping[str, int]):
        self.controls = {text: each for text, each in controls.items() if text.strip()}
        self.control_ids = {each: text for text, each in self.controls.items()}
        self._spelled = re.compile(any_of(self.controls)) if self.controls else None
        self.begins = frozenset(text[:end] for text in self.controls for end in range(1, len(text)))

    def whole(self, text: str) -> Tokens:
        """Return a text as the tokenizer itself encodes it, whatever the origin of its control tokens."""
        return self.between(text, self.found(text), is_clean=True)

    def found(self, text: str) -> list[ControlToken]:
        """Return where the control tokens of a text are."""
        matches, make, ids = self._spelled.finditer(text) if self._spelled else (), tuple.__new__, self.controls
        return [make(ControlToken, (*match.span(), ids[match[0]])) for match in matches]

    def between(
        self, text: str, controls: Sequence[tuple[int, int, int]], cuts: Sequence[int] = (), *, is_clean: bool = False
    ) -> Tokens:
        """Encode a text with these control tokens and no others, and no token that crosses a cut.

        Between control tokens, text is encoded separately, as always. `is_clean`: it spells out no other control token.
        """
        is_clean = is_clean and not cuts
        if is_clean and self.depends_on_neighbours:
            return self.whole(text)
        pieces: list[Ordinary] = []
        make, position = tuple.__new__, 0
        for start, behind, _ in (*controls, (len(text), len(text), -1)):
            if position < start:
                begin = position
                for cut in cuts[bisect_right(cuts, position) : bisect_left(cuts, start)] if cuts else ():
                    pieces.append(Ordinary(begin, text[begin:cut], begin != position))
                    begin = cut
                pieces.append(make(Ordinary, (begin, text[begin:start], begin != position)))
            position = behind
        ordinary = self.ordinary(pieces, is_clean=is_clean)
        encoded = [(piece.start, *each) for piece, each in zip(pieces, ordinary, strict=True)]
        encoded += [(start, [each], [(0, end - start)]) for start, end, each in controls]
        encoded.sort(key=FIRST)
        return Tokens(encoded)

    def ordinary(self, pieces: Sequence[Ordinary], *, is_clean: bool) -> Iterable[tuple[Sequence[int], Any]]:
        """Return the ids of pieces of a text without control tokens, and the offsets relative to each piece.

        `is_clean`: none is spelled out in them, and each is between control tokens.
        """
        raise NotImplementedError

    def is_current(self, tokenizer: Any) -> bool:
        """Return whether the tokenizer has no more tokens than when the encoder was created."""
        return True


def any_of(texts: Iterable[str]) -> str:
    """Return a pattern for any of some texts that prefers the longest: a trie, as there may be thousands."""
    texts = set(texts)
    branches = []
    for _, group in groupby(sorted(texts - {""}), FIRST):
        alike = list(group)
        start = os.path.commonprefix(alike)  # noqa: RUF071  # of texts, not of paths
        branches.append(re.escape(start) + any_of(text[len(start) :] for text in alike))
    return f"(?:{'|'.join(branches)}){'?' if '' in texts else ''}" if branches else ""


class ProtocolEncoder(Encoder):
    """A tokenizer with the two methods of `Tokenizer`."""

    def __init__(self, tokenizer: Tokenizer):
        super().__init__(tokenizer.control_tokens())
        self._tokenizer = tokenizer

    def ordinary(self, pieces: Sequence[Ordinary], *, is_clean: bool) -> Iterable[tuple[Sequence[int], Any]]:
        for piece in pieces:
            ids, offsets = self._tokenizer.encode_ordinary(piece.text)
            if len(ids) != len(offsets):
                msg = f"{saferepr(self._tokenizer)}.encode_ordinary returned {len(ids)} ids and {len(offsets)} offsets"
                raise TokenizerError(msg)
            yield ids, list(offsets)


class FastEncoder(Encoder):
    """A `tokenizers.Tokenizer`."""

    def __init__(self, tokenizer: Any):
        added = tokenizer.get_added_tokens_decoder()
        super().__init__({token.content: each for each, token in added.items()})
        # Asking for the size of the vocabulary may take as long as encoding a text.
        next_id = max(tokenizer.get_vocab_size(with_added_tokens=False), *(each + 1 for each in added), 0)
        self._next = next_id, tokenizer.id_to_token(next_id)
        # A copy if the caller's tokenizer truncates or pads, which must not happen here.
        is_bare = tokenizer.truncation is None and tokenizer.padding is None
        self._tokenizer = tokenizer if is_bare else changed(tokenizer, bare)
        self._ordinary: dict[str, Any] = {}
        # With dropout, the ids of a text differ each time.
        is_random = getattr(getattr(self._tokenizer, "model", None), "dropout", None)
        self._short = self._alone if is_random else lru_cache(MOST_SHORT)(self._alone)
        self.opening = _opening(self._tokenizer)
        # Only the tokenizer itself knows where some control tokens are.
        self._is_odd = any(_is_odd(token, tokenizer.normalizer) for token in added.values() if token.content.strip())
        self.depends_on_neighbours = self._is_odd or "prepend_scheme=first" in str(tokenizer.pre_tokenizer)
        self._unknown = next((each for each in self.whole(RARE).ids if each in self.control_ids), None)
        self._adds_space = self._tokenizer.encode("a", add_special_tokens=False).tokens != ["a"]

    def whole(self, text: str) -> Tokens:
        encoding = self._tokenizer.encode(text, add_special_tokens=False)
        return Tokens([(0, encoding.ids, encoding)])

    def found(self, text: str) -> list[ControlToken]:
        return self._among(self.whole(text), text) if self._is_odd else super().found(text)

    def _among(self, tokens: Tokens, text: str) -> list[ControlToken]:
        """Return the control tokens among the tokens of a text."""
        at = [place for place, each in enumerate(tokens.ids) if each in self.control_ids]
        found = [ControlToken(*tokens.span(place), tokens.ids[place]) for place in at]
        if self._unknown is None:
            return found
        # It stands for every character unknown to the tokenizer, and is not a control token there.
        spelt = self.control_ids[self._unknown]
        return [each for each in found if each.id != self._unknown or spelt in text[each.start : each.end]]

    def ordinary(self, pieces: Sequence[Ordinary], *, is_clean: bool) -> Iterable[tuple[Sequence[int], Any]]:
        if not is_clean:
            return self._by_kind(pieces)
        long = [text for _, text, _ in pieces if len(text) > SHORT]
        encoded = ((each.ids, each) for each in self._tokenizer.encode_batch(long, add_special_tokens=False))
        return [self._short(text) if len(text) <= SHORT else next(encoded) for _, text, _ in pieces]

    def _alone(self, text: str) -> tuple[Sequence[int], Any]:
        encoding = self._tokenizer.encode(text, add_special_tokens=False)
        return encoding.ids, encoding.offsets

    def _by_kind(self, pieces: Sequence[Ordinary]) -> Iterator[tuple[Sequence[int], Any]]:
        kinds = [CLEAN if self._is_clean(piece) else _kind_of(piece) for piece in pieces]
        encodings = {}
        for kind in dict.fromkeys(kinds):
            texts = [piece.text for piece, each in zip(pieces, kinds, strict=True) if each == kind]
            encodings[kind] = iter(self._tokenizer_for(kind).encode_batch(texts, add_special_tokens=False))
        for piece, kind in zip(pieces, kinds, strict=True):
            encoding = next(encodings[kind])
            if kind == CLEAN and not self.control_ids.keys().isdisjoint(encoding.ids):
                # A normalizer has turned other characters into those of a control token.
                encoding = self._tokenizer_for(_kind_of(piece)).encode(piece.text, add_special_tokens=False)
            yield encoding.ids, encoding

    def _is_clean(self, piece: Ordinary) -> bool:
        """Return whether the tokenizer itself may encode a piece: it need not know what is before, nor spare a text."""
        is_alone = not self.depends_on_neighbours and not (piece.goes_on and self._adds_space)
        return is_alone and not (self._spelled and self._spelled.search(piece.text))

    def is_current(self, tokenizer: Any) -> bool:
        next_id, text = self._next
        return bool(tokenizer.id_to_token(next_id) == text)

    def _tokenizer_for(self, kind: str) -> Any:
        """Return the tokenizer for pieces of a kind, cached: a copy takes longer to create than the original."""
        if kind == CLEAN:
            return self._tokenizer
        if kind not in self._ordinary:
            self._ordinary[kind] = changed(self._tokenizer, PLAIN[kind])
        return self._ordinary[kind]


def _is_odd(token: Any, normalizer: Any) -> bool:
    """Return whether finding a control token takes more than finding its text."""
    is_changed = token.normalized and normalizer is not None and "normalizers=[]" not in str(normalizer)
    return bool(is_changed or token.lstrip or token.rstrip or token.single_word)


RARE = "\U0003134a"
"""A character that hardly any tokenizer knows: the last of CJK Extension G."""


def _opening(tokenizer: Any) -> list[int]:
    """Return the ids that a tokenizer puts before a text."""
    alone = tokenizer.encode("a", add_special_tokens=False).ids
    within = tokenizer.encode("a", add_special_tokens=True).ids
    places = range(len(within) - len(alone) + 1)
    return next((list(within[:at]) for at in places if within[at : at + len(alone)] == alone), [])


def _kind_of(piece: Ordinary) -> str:
    return "goes on" if piece.goes_on else "later" if piece.start else "first"


CLEAN = "clean"


def _state(tokenizer: Any) -> tuple[Any, ...]:
    """Return a key that changes when a tokenizer is modified otherwise than by more tokens."""
    parts = tokenizer.normalizer, tokenizer.pre_tokenizer, tokenizer.post_processor
    return tokenizer.truncation is None, tokenizer.padding is None, *map(str, parts)


MOST_KEPT = 8
_kept: dict[tuple[Any, ...], tuple[Any, Encoder]] = {}
"""The encoders of recent tokenizers, with the tokenizer, by its id and state: who pads now and then has two states."""


def encoder_of(tokenizer: Any) -> Encoder:
    """Return the encoder for the caller's tokenizer, if it can be used."""
    fast = getattr(tokenizer, "backend_tokenizer", tokenizer)
    is_fast = hasattr(fast, "to_str") and hasattr(fast, "get_added_tokens_decoder")
    if not is_fast and not isinstance(tokenizer, Tokenizer):
        raise TokenizerError(
            f"tokenizer is {saferepr(tokenizer)}; expected a tokenizers.Tokenizer, a fast tokenizer of transformers, "
            "or an object with control_tokens() and encode_ordinary(text)\n"
            "  try: AutoTokenizer.from_pretrained(..., use_fast=True)"
        )
    key = (id(fast), *(_state(fast) if is_fast else ()))
    kept = _kept.get(key)
    if kept is not None and kept[0] is fast and kept[1].is_current(fast):
        return kept[1]
    encoder: Encoder = FastEncoder(fast) if is_fast else ProtocolEncoder(tokenizer)
    while len(_kept) >= MOST_KEPT:
        _kept.pop(next(iter(_kept)), None)
    _kept[key] = (fast, encoder)
    return encoder
