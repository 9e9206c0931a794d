"""A tokenizer with the two methods that lect requires, simple enough to follow by eye."""

import re


class Tiny:
    """Words with the space before them, single characters, and control tokens with ids from 1,000,000 on.

    Attributes:
        calls: How often it was asked to encode.
    """

    def __init__(self, *controls, word=r" ?\w+|\s+|."):
        self.calls = 0
        self._controls = {text: 1_000_000 + number for number, text in enumerate(controls)}
        self._word = re.compile(word, re.DOTALL)

    def control_tokens(self):
        return self._controls

    def encode_ordinary(self, text):
        self.calls += 1
        found = list(self._word.finditer(text))
        return [hash_of(match[0]) for match in found], [match.span() for match in found]

    def texts(self, encoded, prompt):
        """Return the text of each token."""
        return [prompt.text[start:end] for start, end in encoded.offsets]


class Bytes(Tiny):
    """One token for each byte, several with the same offsets, as some tokenizers encode what they do not know."""

    def encode_ordinary(self, text):
        found = [(byte, (at, at + 1)) for at, letter in enumerate(text) for byte in letter.encode()]
        return [byte for byte, _ in found], [place for _, place in found]

    def decode(self, ids):
        return bytes(ids).decode("utf-8", "replace")


class Trimming(Tiny):
    """White space is left out of the offsets, as in some tokenizers, so that a token of nothing else has no width."""

    def encode_ordinary(self, text):
        ids, offsets = super().encode_ordinary(text)
        trimmed = []
        for start, end in offsets:
            lead = len(text[start:end]) - len(text[start:end].lstrip())
            trimmed.append((start + lead, end))
        return ids, trimmed


def hash_of(text):
    """Return the same id for the same text in every process, below those of control tokens."""
    number = 0
    for letter in text:
        number = (number * 131 + ord(letter)) % 999_983
    return number
