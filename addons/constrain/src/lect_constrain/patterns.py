"""Regular expressions of schemas as nodes: the part of their syntax that tools use."""

from __future__ import annotations

import re
from functools import lru_cache

from lect_constrain.characters import DIGITS, LAST, LINE_ENDS, SPACES, WORD, Ranges, joined, outside, shared, written
from lect_constrain.nodes import Alt, Chars, Lit, Node, Rep, Seq, alt, seq

CLASSES = {"d": DIGITS, "w": WORD, "s": SPACES, "D": outside(DIGITS), "W": outside(WORD), "S": outside(SPACES)}
CODES = {"n": 10, "r": 13, "t": 9, "f": 12, "v": 11, "0": 0}
HEX = re.compile(r"x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|u\{([0-9a-fA-F]{1,6})\}")
QUANTIFIER = re.compile(r"[*+?]|\{(\d+)(,?)(\d*)\}")
ANYTHING: Ranges = ((0, LAST),)
MOST = 2000


class UnknownPatternError(ValueError):
    """A pattern with something that nodes do not express."""


@lru_cache(256)
def pattern_node(pattern: str, quote: str = '"', within: Ranges = ANYTHING) -> Node:
    """Return the texts that a pattern finds something in, between the quotes of a string; without a quote, raw.

    They consist of the characters that they are to be `within`.

    Raises:
        UnknownPatternError: If it uses more than groups, classes, alternatives and repetitions.
    """
    reader = _Reader(pattern, quote, within)
    node = reader.choice(is_outer=True)
    if reader.at < len(pattern):
        raise UnknownPatternError(pattern)
    return node


@lru_cache(256)
def is_apart(pattern: str, marks: tuple[str, ...]) -> bool:
    """Return whether a raw text that fits a pattern contains none of some marks: each has a character that it lacks."""
    parts, texts, classes = [pattern_node(pattern, "")], "", []
    while parts:
        part = parts.pop()
        texts += part.text if isinstance(part, Lit) else ""
        classes += [re.compile(f"[{part.allowed}]")] if isinstance(part, Chars) else []
        parts += part.items if isinstance(part, Seq | Alt) else [part.item] if isinstance(part, Rep) else []
    return all(
        any(char not in texts and not any(each.match(char) for each in classes) for char in mark) for mark in marks
    )


def lengths_of(node: Node) -> tuple[int, int | None]:
    """Return how long the raw texts of a pattern are, at least and at most; None if there is no end."""
    match node:
        case Lit(text):
            return len(text), len(text)
        case Chars(low=low, high=high):
            return low, high
        case Rep(item, low, high):
            shortest, longest = lengths_of(item)
            return shortest * low, None if high is None or longest is None else longest * high
        case Seq(items) | Alt(items):
            every = [lengths_of(each) for each in items]
            ends = [longest for _, longest in every]
            least, most = (sum, sum) if isinstance(node, Seq) else (min, max)
            return least(low for low, _ in every), None if None in ends else most(
                end for end in ends if end is not None
            )
    raise AssertionError(node)


def beginning(pattern: str) -> str:
    """Return the literal text with which everything that fits a pattern begins."""
    found = re.match(r"\^((?:[\w /:-]|\\[^\w])*)(?![*+?{|])", pattern)
    return re.sub(r"\\(.)", r"\1", found[1]) if found and "|" not in pattern else ""


class _Reader:
    def __init__(self, text: str, quote: str, within: Ranges):
        self.text, self.at, self.quote, self.within = text, 0, quote, within

    def peek(self) -> str:
        return self.text[self.at : self.at + 1]

    def takes(self, text: str) -> bool:
        """Go on after a text if it is next, and return whether it is."""
        found = self.text.startswith(text, self.at)
        self.at += len(text) * found
        return found

    def choice(self, *, is_outer: bool = False) -> Node:
        branches = [self.row(is_outer)]
        while self.takes("|"):
            branches.append(self.row(is_outer))
        return alt(branches)

    def row(self, is_outer: bool) -> Node:
        """Return parts in a row; outside all groups, what is not anchored may stand anywhere in the text."""
        anything = Rep(self.written(ANYTHING), 0, None) if is_outer else Lit("")
        items: list[Node] = [] if is_outer and self.takes("^") else [anything]
        while self.peek() not in ("", "|", ")"):
            if is_outer and self.peek() == "$" and self.text[self.at + 1 : self.at + 2] in ("", "|"):
                self.at += 1
                return seq(*items)
            items.append(self.repeated(self.atom()))
        return seq(*items, anything)

    def repeated(self, node: Node) -> Node:
        found = QUANTIFIER.match(self.text, self.at)
        if not found:
            return node
        self.at = found.end()
        # A lazy repetition finds the same texts.
        self.takes("?")
        if self.peek() == "+":
            raise UnknownPatternError(self.text)
        low, high = {"*": (0, None), "+": (1, None), "?": (0, 1)}.get(found[0], (0, 0))
        if found[1]:
            low = int(found[1])
            high = low if not found[2] else int(found[3]) if found[3] else None
        if low > MOST or (high or 0) > MOST:
            raise UnknownPatternError(self.text)
        if isinstance(node, Chars) and (node.low, node.high) == (1, 1):
            return Chars(node.allowed, low, high)
        return Rep(node, low, high)

    def atom(self) -> Node:
        char = self.peek()
        self.at += 1
        if char == "(":
            return self.group()
        if char == "[":
            return self.written(self.characters())
        if char == ".":
            return self.written(outside(LINE_ENDS))
        if char == "\\":
            return self.written(self.escaped())
        if char in "*+?{^$":
            raise UnknownPatternError(self.text)
        return self.written(((ord(char), ord(char)),))

    def group(self) -> Node:
        if self.peek() == "?" and not self.takes("?:"):
            raise UnknownPatternError(self.text)
        node = self.choice()
        if not self.takes(")"):
            raise UnknownPatternError(self.text)
        return node

    def escaped(self) -> Ranges:
        """Return what an escape stands for."""
        char = self.peek()
        found = HEX.match(self.text, self.at)
        self.at += len(found[0]) if found else 1
        if char in CLASSES:
            return CLASSES[char]
        if not found and (not char or (char.isalnum() and char not in CODES)):
            raise UnknownPatternError(self.text)
        code = int(found[1] or found[2] or found[3], 16) if found else CODES.get(char, ord(char))
        return ((code, code),)

    def characters(self) -> Ranges:
        """Return what a class in brackets stands for."""
        negated = self.takes("^")
        found: list[tuple[int, int]] = []
        while not self.takes("]"):
            low = self.character()
            if self.peek() == "-" and self.text[self.at + 1 : self.at + 2] not in ("]", ""):
                self.at += 1
                high = self.character()
                if len(low) > 1 or len(high) > 1 or low[0][0] > high[0][1]:
                    raise UnknownPatternError(self.text)
                low = ((low[0][0], high[0][1]),)
            found += low
        if not found:
            raise UnknownPatternError(self.text)
        return outside(tuple(found)) if negated else joined(tuple(found))

    def character(self) -> Ranges:
        char = self.peek()
        self.at += 1
        if not char:
            raise UnknownPatternError(self.text)
        return self.escaped() if char == "\\" else ((ord(char), ord(char)),)

    def written(self, ranges: Ranges) -> Node:
        """Return one character of a class, as far as the text may have it."""
        ranges = shared(ranges, self.within)
        if not ranges:
            raise UnknownPatternError(self.text)
        return written(ranges, self.quote)
