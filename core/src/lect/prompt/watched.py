"""Stand-ins that notice when a program looks at them.

A skeleton is learnt from stand-ins for the texts of a conversation, and holds for other texts only if the program did
not look at them: how long a text is, what is in it, whether two are the same. So every look is noticed. Looking for a
word that the template states in `looks_for` is allowed, since no skeleton is used for a text that contains it. So are
stripping white space and asking whether a text is empty: these are repeated for each text. Only reads by regular
expressions and the json module go unnoticed.
"""

from __future__ import annotations

from functools import partialmethod
from operator import methodcaller
from typing import TYPE_CHECKING, Any, NamedTuple, SupportsIndex

from lect.prompt.chat import Chat
from lect.prompt.inputs import Input, given, plain_str
from lect.prompt.tojson import json_writer
from lect.values import TRANSFORMED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from lect.values import Path

    Strip = Callable[[str], str]

MARK = "\ue000"
"""Occurs in every stand-in and in everything derived from it."""
SPACE = "\n\n \t\u3000"
"""White space of several kinds, so that each way to strip a text has a different result."""

_lstrip_lines, _rstrip_lines, _strip_lines = (methodcaller(name, "\n") for name in ("lstrip", "rstrip", "strip"))
STRIPS: tuple[tuple[Strip, Strip | None], ...] = (
    (plain_str, None),
    (str.strip, str.lstrip),
    (str.lstrip, str.lstrip),
    (str.rstrip, None),
    (_strip_lines, _lstrip_lines),
    (_lstrip_lines, _lstrip_lines),
    (_rstrip_lines, None),
)
"""What a template may do to a text before writing it, and the part of that which strips its start."""


class Place(NamedTuple):
    """The place of a text in a prompt: its number, the function that writes it, and the part that strips its start."""

    text: int
    made_by: Strip
    stripped_by: Strip | None = None


class Watch:
    """Creates the stand-ins of one conversation, and records how they were used.

    Attributes:
        words: What may be looked for.
        places: What each text that may be written stands for.
        looks: The looks that are not allowed.
        asked: The texts that were tested for being empty.
        compared: The pairs of texts that were compared.
    """

    def __init__(self, words: Sequence[str]):
        self.words = words
        self.places: dict[str, Place] = {}
        self.forget()

    def forget(self) -> None:
        """Forget what was noticed until now."""
        self.looks: list[str] = []
        self.asked: set[str] = set()
        self.compared: list[tuple[Place, Place]] = []

    def text(self, number: int) -> Watched:
        """Return the stand-in for the text of a message."""
        text = stand_in(number)
        for strip, strip_start in STRIPS:
            self.places[strip(text)] = Place(number, strip, strip_start)
        return self._watched(text, ("messages", number, "content"), 0)

    def made(self, value: Any, make: Strip, path: Path) -> Input | None:
        """Return a stand-in for `make(value)`; None where `value` is not a stand-in."""
        if not isinstance(value, Watched):
            return None
        number, strip, _ = self.places[plain_str(value)]
        text = f"{MARK}{len(self.places)}"
        self.places[text] = Place(number, lambda text: make(strip(text)))
        return given(text, path, TRANSFORMED)

    def _watched(self, text: str, path: Path, start: int) -> Watched:
        watched = str.__new__(Watched, text)
        watched.path, watched.start, watched.watch = path, start, self
        return watched


def stand_in(number: int) -> str:
    """Return the text that stands for the text of a message."""
    return f"{SPACE}{MARK}{chr(0xE001 + number)}{SPACE[::-1]}"


class Watched(Input):
    """The stand-in for a text."""

    __slots__ = ("watch",)
    watch: Watch

    def _piece(self, text: str, start: int) -> Watched:
        return self.watch._watched(text, self.path, start)

    def _changed(self, text: str) -> Input:
        self.watch.looks.append("a change to it")
        return super()._changed(text)

    def _look_for(self, words: Any, how: str) -> None:
        for word in words if isinstance(words, tuple) else (words,):
            # A text without a word contains nothing that includes the word.
            if not isinstance(word, str) or not any(known in word for known in self.watch.words):
                self.watch.looks.append(f"{how}({word!r})")

    def _stripped(self, strip: Callable[[str, str | None], str], chars: str | None = None, /) -> Input:
        if chars not in (None, "\n"):
            self.watch.looks.append(f"strip({chars!r})")
        text = strip(self, chars)
        return self._shifted(text, str.index(self, text))

    strip = partialmethod(_stripped, str.strip)
    lstrip = partialmethod(_stripped, str.lstrip)
    rstrip = partialmethod(_stripped, str.rstrip)

    def replace(self, old: str, new: str, count: SupportsIndex = -1, /) -> Watched:
        self._look_for(old, "replace")
        return self  # No stand-in contains a word that may be looked for.

    def __bool__(self) -> bool:
        text = plain_str(self)
        if text:
            self.watch.asked.add(text)
        return bool(text)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Watched):
            one, two = plain_str(self), plain_str(other)
            if one != two:
                self.watch.compared.append((self.watch.places[one], self.watch.places[two]))
            return one == two
        if other == "":
            return not self
        if isinstance(other, str):
            self._look_for(other, "==")
        return False

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        self.watch.looks.append("hash")
        return str.__hash__(self)

    def __iter__(self) -> Iterator[str]:
        self.watch.looks.append("iter")
        return super().__iter__()


class LearningChat(Chat):
    """A chat of stand-ins."""

    __slots__ = ("watch",)
    watch: Watch

    def json(self, value: Any, *path: str | int, indent: int | None = None, **style: Any) -> str:
        text = self.watch.made(value, json_writer(indent=indent, **style), path)
        return super().json(value, *path, indent=indent, **style) if text is None else text

    def made(self, value: str, make: Callable[[str], str], *path: str | int) -> str:
        text = self.watch.made(value, make, path)
        return super().made(value, make, *path) if text is None else text


def _looking(name: str, *, for_word: bool = False) -> Callable[..., Any]:
    """Return a method of `Watched` that does what a string does, and notices it, or the word that it looks for."""
    plain = getattr(Input, name)

    def look(self: Watched, *values: Any, **named: Any) -> Any:
        if for_word:
            self._look_for(values[0] if values else named.get("sep"), name)
        else:
            self.watch.looks.append(name)
        return plain(self, *values, **named)

    return look


for _name in (
    "__len__", "__getitem__", "__lt__", "__le__", "__gt__", "__ge__", "encode", "isalnum", "isalpha", "isascii",
    "isdecimal", "isdigit", "isidentifier", "islower", "isnumeric", "isprintable", "isspace", "istitle", "isupper",
    "splitlines",
):  # fmt: skip
    setattr(Watched, _name, _looking(_name))
for _name in (
    "__contains__", "count", "endswith", "find", "index", "partition", "removeprefix", "removesuffix", "rfind",
    "rindex", "rpartition", "rsplit", "split", "startswith",
):  # fmt: skip
    setattr(Watched, _name, _looking(_name, for_word=True))
