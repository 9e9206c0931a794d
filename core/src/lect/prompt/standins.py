"""Stand-ins for what a caller gives: two for each text, which differ only in what no program may write as its own.

Programs look at the length of a text, at the white space around it, at the markers in it, whether it is a number or
JSON, or which of two texts is the greater one. In all that, the two stand-ins of a text are alike, so that a program
does the same with both. But each letter, digit and sign of one is another in the other.
"""

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from random import Random
from typing import Any

from lect.prompt.fields import is_list
from lect.prompt.inputs import plain_str
from lect.prompt.normalize import read_object

Pair = tuple[str, str]

ALPHABETS = ("bfgjkqvwz", "123456789", "".join(map(chr, range(0x430, 0x450))), "\u00a4\u00a6\u00a7\u00b6")
"""Latin letters of which no word consists that a program could look for, digits, Cyrillic letters, and signs."""
FEWEST_LETTERS = 4
MARKS = "\ue000"
"""Stands for the markers of a template in a stand-in that is made for all of them."""
PLAIN = ("{word}",)
LONG = ("{long}",)
SHAPES = ("{word}", "{number}", '{{"{word}": "{foreign} {short}", "{number}": [{number}]}}\n', "{capital}")
"""What texts may be: programs may treat each kind in another way."""
RICH = (
    "\n {word}{sign} {capital} {foreign}\u00e9\U0001f600 {number}." + MARKS + '<|{short}|>\t[{word}] "</{short}>" \n',
)
"""A text that has everything at once, with what looks like a marker."""
BETWEEN = ("{short}", "\n{word}\n", " {number}", "{foreign} {capital}")
"""What is between the markers in it."""
MOST_MARKS = 40
LONGEST_MARK = 100
WORD = 9
"""The length of a word: that of the ids that some models require."""
POOL = 499
"""How many random letters words are taken from."""
LINES = 50
"""The length of a long text."""

IDS = frozenset({"id", "tool_call_id"})
"""Fields whose texts are words, because some models refuse others."""
TYPES = frozenset({
    "array", "audio", "boolean", "function", "image", "image_url", "input_audio", "integer", "null", "number", "object",
    "string", "text", "video",
})  # fmt: skip
"""Types of parts, tools and schemas that programs know. They are kept."""
KEYS = frozenset({
    "additionalProperties", "anyOf", "arguments", "content", "default", "description", "enum", "format", "function",
    "id", "image", "image_url", "items", "name", "nullable", "oneOf", "parameters", "properties", "reasoning",
    "reasoning_content", "required", "response", "return", "role", "strict", "text", "thinking", "title",
    "tool_call_id", "tool_calls", "type", "url",
})  # fmt: skip
"""Keys of messages, tools and schemas that programs know. They are kept; any other key is a text of the caller's."""


class Letters:
    """The letters and digits of stand-ins, in pairs: one is for the first stand-in, the other for the second.

    The `avoided` ones are not among them, if enough others are left.
    """

    def __init__(self, seed: str, avoided: Collection[str] = ()):
        random = Random(seed)  # noqa: S311 - no secret: it is in the warning
        pairs = [_random_pairs(random, alphabet, avoided) for alphabet in ALPHABETS]
        first, second = map("".join, zip(*pairs, strict=True))
        self._exchanged = str.maketrans(first + first.upper(), second + second.upper())
        self._pools = [(letters, "".join(random.choices(letters, k=POOL))) for letters, _ in pairs]
        places = random.sample(range(MOST_MARKS), MOST_MARKS)
        self._between = [(place, self.pair(BETWEEN[place % len(BETWEEN)], place)) for place in places]

    def pair(self, shape: str, number: int) -> Pair:
        """Return two texts of one shape. Those of the next numbers have other words, with other first letters."""
        at = number * 13 % (POOL - WORD)
        word, digits, foreign, signs = (
            letters[number % len(letters)] + pool[at : at + WORD - 1] for letters, pool in self._pools
        )
        pieces = {"word": word, "short": word[5:], "capital": word[0].upper(), "number": digits[:3]}
        pieces |= {"foreign": foreign[:5], "sign": signs[0], "long": f"{word}, {digits}.\n" * LINES}
        text = shape.format_map(pieces)
        return text, text.translate(self._exchanged)

    def marked(self, words: Iterable[str]) -> Pair:
        """Return two texts with some of these words in them."""
        marks = [word for word in words if len(word) <= LONGEST_MARK][:MOST_MARKS]
        first = second = ""
        for place, (one, two) in self._between:
            if place < len(marks):
                first += marks[place] + one
                second += marks[place] + two
        return first, second


def _random_pairs(random: Random, alphabet: str, avoided: Collection[str]) -> Pair:
    left = "".join(letter for letter in alphabet if letter not in avoided)
    alphabet = left if len(left) >= FEWEST_LETTERS else alphabet
    # Pairs of neighbours: which of two texts is the greater one is the same with either stand-in.
    chosen = sorted(random.sample(alphabet, len(alphabet) // 4 * 4))
    pairs = [random.sample(chosen[at : at + 2], 2) for at in range(0, len(chosen), 2)]
    return "".join(pair[0] for pair in pairs), "".join(pair[1] for pair in pairs)


class StandIns:
    """The stand-ins for one conversation: equal texts have equal ones, and an empty text and `roles` stay as they are.

    `seen` is how often each text was seen before: each time it has the next of the shapes.
    """

    def __init__(
        self,
        letters: Letters,
        roles: Collection[str],
        shapes: Sequence[str] = PLAIN,
        seen: dict[str, int] | None = None,
    ):
        self._letters, self._roles, self._shapes = letters, roles, shapes
        self._seen = {} if seen is None else seen
        self._texts: dict[str, Pair] = {"": ("", "")}
        self._numbers: dict[float, Pair] = {}

    def stand_in(self, value: Any, which: int, key: object = None) -> Any:
        """Return a value, found under `key`, with the first or second stand-in for each text and number in it."""
        if isinstance(value, str):
            return self._text(plain_str(value), which, key)
        if type(value) is dict or isinstance(value, Mapping):
            read = {}
            for name, item in value.items():
                is_known = name in KEYS or not isinstance(name, str)
                read[name if is_known else self._text(plain_str(name), which)] = self.stand_in(item, which, name)
            return read
        if type(value) is list or is_list(value):
            return [self.stand_in(item, which, key) for item in value]
        if isinstance(value, int | float) and not isinstance(value, bool):
            if value not in self._numbers:
                self._numbers[value] = self._letters.pair("{number}", len(self._numbers))
            return int(self._numbers[value][which])
        return value

    def _text(self, text: str, which: int, key: object = None) -> str:
        if (key == "role" and text in self._roles) or (key == "type" and text in TYPES):
            return text
        if key == "arguments" and (read := read_object(text)) is not None:
            return json.dumps(self.stand_in(read, which))
        if text not in self._texts:
            shapes = PLAIN if key in IDS else self._shapes
            # A text that is met only twice does not begin where the one before it does.
            self._seen[text] = self._seen.get(text, 2 * len(self._seen)) + 1
            self._texts[text] = self._letters.pair(shapes[self._seen[text] % len(shapes)], len(self._texts))
        return self._texts[text][which]
