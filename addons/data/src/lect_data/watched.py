"""Stand-ins that notice when a program looks at them.

A frame is read off from stand-ins for the texts of a conversation, and holds for other texts only if the program did
not look at them: how long a text is, what is in it, whether two are the same. So every look is noticed. Some are
harmless: a word that is looked for and not found is recorded, and the frame is not used for texts with that word;
stripping white space, and asking whether a text is empty, are repeated for each text. Only reads by regular expressions
and by functions in C, such as those of the json module, go unnoticed.
"""

from __future__ import annotations

from functools import partialmethod
from operator import methodcaller
from typing import TYPE_CHECKING, Any, NamedTuple, SupportsIndex

from lect.plugin import Chat, Input, plain_str

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import date

    Edit = Callable[[str], str]
    Path = tuple[str | int, ...]

MARK = "\ue000"
"""Occurs in every stand-in and in everything derived from it."""
SPACE = "\n\n \t\u3000"
"""White space of several kinds, so that each way to strip a text has a different result."""
STRIPS: tuple[Edit, ...] = (
    str.strip,
    str.lstrip,
    str.rstrip,
    *(methodcaller(name, "\n") for name in ("strip", "lstrip", "rstrip")),
)
"""What a template may do to a text before writing it."""


def stand_in(message: int) -> str:
    """Return what stands for the text of a message."""
    return f"{SPACE}{MARK}{chr(0xE001 + message)}{SPACE[::-1]}"


class Place(NamedTuple):
    """What a stand-in stands for: the text of a message, and what is done to it before it is written."""

    message: int
    edit: Edit | None
    is_part: bool
    """Whether it is part of the text: a word that is not in the text is not in it."""


class Watch:
    """Creates the stand-ins of one conversation, and records how they were used.

    Attributes:
        places: What each stand-in that may be written stands for.
        looks: The looks after which what the program writes may depend on the texts.
        words: The words that were looked for, and not found.
        tested: The stand-ins that were tested for being empty.
    """

    def __init__(self) -> None:
        self.places: dict[str, Place] = {}
        self.forget()

    def forget(self) -> None:
        """Forget what was noticed until now."""
        self.looks: list[str] = []
        self.words: set[str] = set()
        self.tested: set[str] = set()

    def text(self, message: int) -> Watched:
        """Return the stand-in for the text of a message."""
        text = stand_in(message)
        self.places[text] = Place(message, None, is_part=True)
        for strip in STRIPS:
            self.places.setdefault(strip(text), Place(message, strip, is_part=True))
        return self.watched(text, ("messages", message, "content"), 0)

    def made(self, value: Any, make: Edit) -> Watched | None:
        """Return a stand-in for `make(value)`; None where `value` is not a stand-in for a text of a message."""
        place = self.places.get(plain_str(value)) if isinstance(value, Watched) else None
        if place is None or not place.is_part:
            return None
        strip = place.edit
        text = f"{MARK}{len(self.places)}"
        edit = make if strip is None else lambda text: make(strip(text))
        self.places[text] = Place(place.message, edit, is_part=False)
        return self.watched(text, value.path, -1)

    def watched(self, text: str, path: Path, start: int) -> Watched:
        """Return a text as a stand-in of this watch."""
        watched = str.__new__(Watched, text)
        watched.path, watched.start, watched.watch = path, start, self
        return watched


class Watched(Input):
    """The stand-in for a text."""

    __slots__ = ("watch",)
    watch: Watch

    def _piece(self, text: str, start: int) -> Watched:
        return self.watch.watched(text, self.path, start)

    def _changed(self, text: str) -> Input:
        self.watch.looks.append("a change to it")
        return super()._changed(text)

    def _look_for(self, words: Any, how: str) -> None:
        place = self.watch.places.get(plain_str(self))
        for word in words if isinstance(words, tuple) else (words,):
            if isinstance(word, str) and not str.__contains__(self, word) and place is not None and place.is_part:
                self.watch.words.add(plain_str(word))
            else:
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
        return self  # It does not contain the word, or no frame comes of it.

    def __bool__(self) -> bool:
        text = plain_str(self)
        if text:
            self.watch.tested.add(text)
        return bool(text)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Watched):
            one, two = plain_str(self), plain_str(other)
            if one != two:
                self.watch.looks.append("==")
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


class WatchedPart(dict[str, Any]):
    """A part that is no text, of which a program may read nothing but its type unnoticed."""

    def __init__(self, watch: Watch, kind: str):
        super().__init__(type=kind)
        self._watch = watch


class WatchedChat(Chat):
    """A chat of stand-ins."""

    __slots__ = ("watch",)
    watch: Watch

    def json(self, value: Any, *path: str | int, indent: int | None = None, **style: Any) -> str:
        def write(value: Any) -> str:
            return super(WatchedChat, self).json(value, *path, indent=indent, **style)

        text = self.watch.made(value, lambda text: plain_str(write(text)))
        return write(value) if text is None else text

    def transformed(self, value: str, make: Edit, *path: str | int) -> str:
        text = self.watch.made(value, make)
        return super().transformed(value, make, *path) if text is None else text

    def date(self) -> date:
        if self.options.get("date") is None:
            self.watch.looks.append("the day")
        return super().date()


def _looking(name: str, *, for_word: bool = False) -> Callable[..., Any]:
    """Return a method of `Watched` that does what a string does, and notices it, or the word that it looks for."""
    plain = getattr(Input, name)

    def look(self: Watched, *values: Any, **named: Any) -> Any:
        if for_word:
            self._look_for(values[0] if values else named.get("sep"), name)
        else:
            self.watch.looks.append(name)
        noticed = len(self.watch.looks)
        result = plain(self, *values, **named)
        # What the method itself looks at, such as a length, is not the program's look.
        del self.watch.looks[noticed:]
        return result

    return look


def _looking_into(name: str) -> Callable[..., Any]:
    """Return a method of `WatchedPart` that does what a dictionary does, and notices it, but for the type."""
    plain = getattr(dict, name)

    def look(self: WatchedPart, *values: Any) -> Any:
        if values[:1] != ("type",):
            self._watch.looks.append(name)
        return plain(self, *values)

    return look


for _name in (
    "__contains__", "__eq__", "__getitem__", "__iter__", "__len__", "__ne__", "__or__", "__repr__", "__reversed__",
    "__ror__", "copy", "get", "items", "keys", "values",
):  # fmt: skip
    setattr(WatchedPart, _name, _looking_into(_name))
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
