"""The regular expressions of a response template, as the marks that they find.

A grammar has marks and not patterns: they can be looked for while a reply arrives, and sampled by a constraint. What is
more than marks with white space and short fields between them is refused, so that no pattern of a model's file can take
long.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

MOST_PATHS = 64
LONGEST = 500
"""Characters of a pattern."""
DEEPEST = 20
MOST_TAKERS = 2
"""How many pieces of any length may take the same character: one more multiplies the time by the length of a text."""
WHITE = {"n": "\n", "t": "\t", "r": "\r"}
SPACES = (r"\s", r"\h")
CLASS = re.compile(r"\[\^?\]?(?:\\.|[^\]\\])*\]|\\[sSwWdDh]|\.", re.DOTALL)
LISTED = re.compile(r"\[([^\^\\\]\-]+)\]")
NESTED = re.compile(r"(?<!\\)\[|--|&&|~~|\|\|")
"""What later versions of `re` may read as a set in a set."""
QUANTIFIER = re.compile(r"(?:[*+?]|\{\d*,?\d*\})[?+]?")
GROUP = re.compile(r"\(\?P?<([A-Za-z_]\w*)>")
LETTERS = [*map(chr, range(128)), "é", "中"]
AGAIN = re.compile(r"\(\?P=([A-Za-z_]\w*)\)")


class UnreadableError(ValueError):
    """What a grammar has no words for."""


class Piece(NamedTuple):
    """A piece of what a pattern finds.

    Attributes:
        kind: `text`, `space` (which may be absent), `field` (a named group), `free` (any characters of a class),
            `ahead` (a text that follows and is not part of it), `start` or `end` (of the whole text).
        text: The text; for `space`, `field` and `free`, the pattern.
        name: The name of a field.
    """

    kind: str
    text: str = ""
    name: str = ""


Path = tuple[Piece, ...]


def paths_of(pattern: str) -> list[Path]:
    """Return what a pattern can find, one path for each way through it.

    Raises:
        UnreadableError: If it is more than marks, white space and named groups.
    """
    if len(pattern) > LONGEST:
        msg = f"a pattern of {len(pattern)} characters"
        raise UnreadableError(msg)
    reader = _Reader(pattern)
    paths = reader.alternatives()
    if reader.at < len(pattern):
        raise reader.refused()
    return list(dict.fromkeys(_joined(path) for path in paths))


def parts_of(field: Piece) -> list[Path]:
    """Return what the pattern of a named group can find."""
    return paths_of(field.text[field.text.index(">") + 1 : -1])


class _Reader:
    def __init__(self, pattern: str):
        self.pattern = pattern
        self.at = self.depth = 0

    def refused(self) -> UnreadableError:
        return UnreadableError(f"the pattern {self.pattern!r}, at {self.at}")

    def take(self, expected: re.Pattern[str]) -> re.Match[str] | None:
        found = expected.match(self.pattern, self.at)
        if found:
            self.at = found.end()
        return found

    def alternatives(self) -> list[Path]:
        found = self.sequence()
        while self.pattern.startswith("|", self.at):
            self.at += 1
            found = [*found, *self.sequence()]
        return found

    def sequence(self) -> list[Path]:
        paths: list[Path] = [()]
        while self.at < len(self.pattern) and self.pattern[self.at] not in "|)":
            begin = self.at
            atom = self.atom()
            end = self.at
            if how := self.take(QUANTIFIER):
                atom = self.repeated(atom, self.pattern[begin:end], how[0])
            elif any(piece.kind == "free" for path in atom for piece in path) and self.pattern[begin] != "(":
                # One character of a class: the alternatives, if it lists them.
                listed = LISTED.fullmatch(self.pattern[begin:end])
                atom = [(Piece("text", each),) for each in listed[1]] if listed else atom
            paths = [(*path, *more) for path in paths for more in atom]
            if len(paths) > MOST_PATHS:
                raise self.refused()
        return paths

    def repeated(self, atom: list[Path], written: str, how: str) -> list[Path]:
        if written in SPACES or all(len(path) == 1 and path[0].text.isspace() for path in atom):
            return [(Piece("space", written + how),)]
        if CLASS.fullmatch(written):
            return [(Piece("free", written + how),)]
        if how.startswith("?"):
            return [*atom, ()]
        raise self.refused()

    def atom(self) -> list[Path]:
        pattern, at = self.pattern, self.at
        if again := self.take(AGAIN):
            return [(Piece("text", f"{{{again[1]}}}"),)]
        if pattern[at] == "(":
            return self.group()
        if found := self.take(CLASS):
            if not _is_class(found[0]):
                raise self.refused()
            return [(Piece("free", found[0]),)]
        self.at += 1
        letter = pattern[at]
        if letter in "^$":
            return [(Piece("start" if letter == "^" else "end"),)]
        if letter != "\\":
            if letter in "*+?{[":
                raise self.refused()
            return [(Piece("text", letter),)]
        escaped = pattern[self.at : self.at + 1]
        self.at += 1
        if escaped in ("A", "Z", "z"):
            return [(Piece("start" if escaped == "A" else "end"),)]
        if not escaped or (escaped.isalnum() and escaped not in WHITE):
            raise self.refused()
        return [(Piece("text", WHITE.get(escaped, escaped)),)]

    def group(self) -> list[Path]:
        begin, named = self.at, GROUP.match(self.pattern, self.at)
        opening = named[0] if named else next(
            (each for each in ("(?:", "(?=", "(") if self.pattern.startswith(each, begin)), "("
        )  # fmt: skip
        self.at += len(opening)
        self.depth += 1
        inner = self.alternatives() if self.depth <= DEEPEST else []
        if not inner or not self.pattern.startswith(")", self.at):
            raise self.refused()
        self.at += 1
        self.depth -= 1
        if named:
            return [(Piece("field", self.pattern[begin : self.at], named[1]),)]
        if opening != "(?=":
            return inner
        texts = [_joined(path) for path in inner]
        if any(len(path) != 1 or path[0].kind != "text" for path in texts):
            raise self.refused()
        return [(Piece("ahead", path[0].text),) for path in texts]


def is_quick(pieces: Iterable[Piece]) -> bool:
    """Return whether no character can be taken by many of the pieces of any length."""
    classes = [re.compile(each) for each in _classes(pieces)]
    return all(sum(bool(each.match(letter)) for each in classes) <= MOST_TAKERS for letter in LETTERS)


def _classes(pieces: Iterable[Piece]) -> Iterator[str]:
    """Yield the classes of the pieces of any length."""
    for piece in pieces:
        if piece.kind == "field":
            for path in parts_of(piece):
                yield from _classes(path)
        elif piece.kind == "space":
            yield r"\s"
        elif piece.kind == "free" and (found := CLASS.match(piece.text)) and found.end() < len(piece.text):
            yield found[0]


def _is_class(text: str) -> bool:
    try:
        return not NESTED.search(text, 1) and bool(re.compile(text))
    except re.error:
        return False


def _joined(path: Path) -> Path:
    """Return a path with texts that follow one another as one."""
    return tuple(_join(path))


def _join(path: Path) -> Iterator[Piece]:
    text = ""
    for piece in path:
        if piece.kind == "text":
            text += piece.text
            continue
        if text:
            yield Piece("text", text)
        text = ""
        yield piece
    if text:
        yield Piece("text", text)
