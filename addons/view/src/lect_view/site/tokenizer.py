"""A `tokenizer.json` in Python alone: the page has no native code.

It reads BPE over bytes, as Qwen, Llama 3, DeepSeek, GLM, gpt-oss and Mistral since Nemo have it; others are refused.
"""

from __future__ import annotations

import json
import os
import re
import unicodedata
from functools import cache, lru_cache
from heapq import heapify, heappop, heappush
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal

from lect.errors import LectError, SourceError, TokenizerError, saferepr
from lect_view.site.patterns import translated

if TYPE_CHECKING:
    from collections.abc import Iterator

FILE = "tokenizer.json"
ELSEWHERE = "the page reads BPE over bytes; other tokenizers need lect on your own machine"
MOST_KEPT = 2
REMEMBERED = 20_000
"""Words whose tokens are kept."""
# What GPT-2 splits a text into, and whoever states no pattern of his own.
USUAL = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
FORMS: dict[str, Literal["NFC", "NFD", "NFKC", "NFKD"]] = {"NFC": "NFC", "NFD": "NFD", "NFKC": "NFKC", "NFKD": "NFKD"}
"""Normalizers that leave most texts as they are."""


@lru_cache(MOST_KEPT)
def load(directory: str) -> BytePairs:
    """Return the tokenizer of a directory.

    Raises:
        SourceError: If there is none, or it cannot be read.
        TokenizerError: If it is of another kind.
    """
    try:
        with open(os.path.join(directory, FILE), encoding="utf-8") as file:
            data = json.load(file)
    except (OSError, ValueError, RecursionError) as error:
        raise SourceError(f"cannot read {FILE}: {error}") from error
    try:
        return BytePairs(data)
    except LectError:
        raise
    except (AttributeError, KeyError, TypeError, ValueError, re.error) as error:
        raise TokenizerError(f"{FILE} cannot be used: {error!r}\n  try: {ELSEWHERE}") from error


class BytePairs:
    """A tokenizer with the two methods that lect needs."""

    def __init__(self, data: dict[str, Any]):
        model = data["model"]
        self._added: dict[str, int] = {token["content"]: token["id"] for token in data.get("added_tokens") or ()}
        self._vocabulary: dict[str, int] = model["vocab"]
        pairs = (tuple(each.split(" ")) if isinstance(each, str) else tuple(each) for each in model["merges"])
        self._ranks: dict[tuple[str | None, ...], int] = {pair: rank for rank, pair in enumerate(pairs)}
        self._takes_words = bool(model.get("ignore_merges"))
        self._forms = [_form(each) for each in _steps(data.get("normalizer"), "normalizers")]
        self._splits: list[re.Pattern[str]] = []
        is_bytes = False
        for each in _steps(data.get("pre_tokenizer"), "pretokenizers"):
            kind = each["type"]
            if kind == "ByteLevel" and not each.get("add_prefix_space"):
                is_bytes = True
                self._splits += [re.compile(translated(USUAL))] if each.get("use_regex", True) else []
            elif kind == "Digits":
                self._splits.append(re.compile(r"\d" if each.get("individual_digits") else r"\d+"))
            elif kind == "Split" and "Regex" in each["pattern"] and each["behavior"] == "Isolated":
                self._splits.append(re.compile(translated(each["pattern"]["Regex"])))
            else:
                raise _other(f"it splits texts by {saferepr(kind)}")
        if model.get("type", "BPE") != "BPE" or not is_bytes:
            raise _other(f"its model is {saferepr(model.get('type'))}, not over bytes")
        spaces = [re.escape(text) for text in sorted(self._added, key=len, reverse=True) if not text.strip() and text]
        self._spaces = re.compile(f"({'|'.join(spaces)})") if spaces else None
        self._tokens = lru_cache(REMEMBERED)(self._merged)

    def control_tokens(self) -> dict[str, int]:
        """Return the ids of all special and added tokens."""
        return self._added

    def encode_ordinary(self, text: str) -> tuple[list[int], list[tuple[int, int]]]:
        """Return the ids of a text without control tokens, and the characters that each token stands for."""
        if any(not unicodedata.is_normalized(form, text) for form in self._forms):
            raise TokenizerError(
                f"the text changes when it is normalized, as this tokenizer does it\n  try: {ELSEWHERE}"
            )
        ids: list[int] = []
        offsets: list[tuple[int, int]] = []
        for start, piece in self._pieces(text):
            if self._spaces and piece in self._added:
                ids.append(self._added[piece])
                offsets.append((start, start + len(piece)))
                continue
            # Of every byte, the character that it is in.
            places = [start + at for at, character in enumerate(piece) for _ in character.encode()]
            position = 0
            for token in self._tokens("".join(map(_letters().__getitem__, piece.encode()))):
                ids.append(self._vocabulary[token])
                offsets.append((places[position], places[position + len(token) - 1] + 1))
                position += len(token)
        return ids, offsets

    def _pieces(self, text: str) -> Iterator[tuple[int, str]]:
        """Yield the words of a text, each with its place."""
        pieces = self._spaces.split(text) if self._spaces else [text]
        at = 0
        for piece in filter(None, pieces):
            words = [piece]
            if not (self._spaces and piece in self._added):
                for pattern in self._splits:
                    words = [word for each in words for word in _isolated(pattern, each)]
            for word in words:
                yield at, word
                at += len(word)

    def _merged(self, word: str) -> tuple[str, ...]:
        """Return the tokens of a word whose letters stand for bytes: the pair that was learnt first is joined first."""
        if self._takes_words and word in self._vocabulary:
            return (word,)
        parts: list[str | None] = [*word]
        following = [*range(1, len(word)), -1]
        before = [*range(-1, len(word) - 1)]
        found = ((self._ranks.get(pair), at, pair) for at, pair in enumerate(pairwise(parts)))
        waiting = [(rank, at, pair) for rank, at, pair in found if rank is not None]
        heapify(waiting)
        while waiting:
            _, at, pair = heappop(waiting)
            behind = following[at]
            if behind < 0 or (parts[at], parts[behind]) != pair:
                continue
            parts[at], parts[behind] = f"{pair[0]}{pair[1]}", None
            following[at] = following[behind]
            if following[at] >= 0:
                before[following[at]] = at
            for left, right in ((before[at], at), (at, following[at])):
                if left >= 0 and right >= 0:
                    pair = parts[left], parts[right]
                    if (rank := self._ranks.get(pair)) is not None:
                        heappush(waiting, (rank, left, pair))
        return tuple(part for part in parts if part is not None)


def _steps(given: Any, name: str) -> list[dict[str, Any]]:
    """Return the steps of a part of a tokenizer, which may be one, several or none."""
    if given is None:
        return []
    if given["type"] == "Sequence":
        return [step for each in given[name] for step in _steps(each, name)]
    return [given]


def _form(step: dict[str, Any]) -> Literal["NFC", "NFD", "NFKC", "NFKD"]:
    if step["type"] not in FORMS:
        raise _other(f"it changes texts by {saferepr(step['type'])}")
    return FORMS[step["type"]]


def _other(why: str) -> TokenizerError:
    return TokenizerError(f"{FILE} is of another kind: {why}\n  try: {ELSEWHERE}")


def _isolated(pattern: re.Pattern[str], text: str) -> Iterator[str]:
    """Yield what a pattern finds, and what is between."""
    at = 0
    for found in pattern.finditer(text):
        if found.start() > at:
            yield text[at : found.start()]
        if found[0]:
            yield found[0]
        at = found.end()
    if at < len(text):
        yield text[at:]


@cache
def _letters() -> list[str]:
    """Return the letter that stands for each byte, as since GPT-2: itself if it can be seen."""
    seen = {*range(33, 127), *range(161, 173), *range(174, 256)}
    others = iter(range(256, 512))
    return [chr(byte if byte in seen else next(others)) for byte in range(256)]
