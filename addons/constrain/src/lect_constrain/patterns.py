"""Regular expressions of schemas as nodes: the part of their syntax that tools use."""

from __future__ import annotations

import re

from lect_constrain.nodes import Alt, Chars, Lit, Node, Rep, Seq, alt, seq

FORMATS = {
    "date": r"^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|1[0-9]|2[0-8])$",
    "time": r"^([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](Z|[+-][01][0-9]:[0-5][0-9])$",
    "date-time": r"^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|1[0-9]|2[0-8])T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](Z|[+-][01][0-9]:[0-5][0-9])$",  # noqa: E501
    "uuid": r"^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$",
    "email": r"^[A-Za-z0-9_+-]{1,32}(\.[A-Za-z0-9_+-]{1,32}){0,3}@[A-Za-z0-9-]{1,32}(\.[A-Za-z0-9-]{1,32}){1,3}$",
    "ipv4": r"^((25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])\.){3}(25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])$",
}
"""The formats of strings, as patterns. They are a little narrower than the formats, never wider."""
CLASSES = {"d": "0-9", "w": "A-Za-z0-9_", "s": " "}
QUANTIFIER = re.compile(r"[*+?]|\{(\d+)(,?)(\d*)\}")
NOT_IN_STRINGS = r"\\\x00-\x1f\x7f"
"""What a string never contains unescaped, besides its quote."""
MOST = 2000


class UnknownPatternError(ValueError):
    """A pattern with something that nodes do not express."""


def pattern_node(pattern: str, quote: str = '"') -> Node:
    """Return the texts that a pattern finds something in, between the quotes of a string.

    Raises:
        UnknownPatternError: If it uses more than groups, classes, alternatives and repetitions.
    """
    begins, ends = pattern.startswith("^"), pattern.endswith("$") and not pattern.endswith("\\$")
    reader = _Reader(pattern[begins : len(pattern) - ends], quote)
    node = reader.choice()
    if reader.at < len(reader.text):
        raise UnknownPatternError(pattern)
    anything = Chars(f"^{reader.never}", 0, 64)
    return seq("" if begins else anything, node, "" if ends else anything)


def is_open(pattern: str) -> bool:
    """Return whether what fits a pattern may contain any character, and so any mark."""
    try:
        parts = [pattern_node(pattern)]
    except UnknownPatternError:
        return True
    while parts:
        part = parts.pop()
        if isinstance(part, Chars) and part.allowed.startswith("^"):
            return True
        parts += part.items if isinstance(part, Seq | Alt) else [part.item] if isinstance(part, Rep) else []
    return False


class _Reader:
    def __init__(self, text: str, quote: str):
        self.text, self.at, self.quote = text, 0, quote
        self.never = quote + NOT_IN_STRINGS

    def peek(self) -> str:
        return self.text[self.at : self.at + 1]

    def choice(self) -> Node:
        branches = [self.row()]
        while self.peek() == "|":
            self.at += 1
            branches.append(self.row())
        # An anchor may belong to one branch only.
        if len(branches) > 1 and re.search(r"(?<![\[\\])\^|(?<!\\)\$", self.text):
            raise UnknownPatternError(self.text)
        return alt(branches)

    def row(self) -> Node:
        items: list[Node] = []
        while self.peek() not in ("", "|", ")"):
            items.append(self.repeated(self.atom()))
        return seq(*items)

    def repeated(self, node: Node) -> Node:
        found = QUANTIFIER.match(self.text, self.at)
        if not found:
            return node
        self.at = found.end()
        if self.peek() in ("?", "+") and self.peek():
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
            return self.characters()
        if char == ".":
            return Chars(f"^{self.never}", 1, 1)
        if char == "\\":
            return self.escaped()
        if char in "*+?{^$":
            raise UnknownPatternError(self.text)
        return self.literal(char)

    def group(self) -> Node:
        if self.peek() == "?":
            if not self.text.startswith("?:", self.at):
                raise UnknownPatternError(self.text)
            self.at += 2
        node = self.choice()
        if self.peek() != ")":
            raise UnknownPatternError(self.text)
        self.at += 1
        return node

    def escaped(self) -> Node:
        char = self.peek()
        self.at += 1
        if char in CLASSES:
            return Chars(CLASSES[char], 1, 1)
        if not char or char.isalnum():
            raise UnknownPatternError(self.text)
        return self.literal(char)

    def literal(self, char: str) -> Node:
        return Lit(f"\\{char}" if char in (self.quote, "\\") else char)

    def characters(self) -> Node:
        end = self.at + 1 + (self.peek() == "^")
        while end < len(self.text) and self.text[end] != "]":
            end += 2 if self.text[end] == "\\" else 1
        body = self.text[self.at : end]
        self.at = end + 1
        negated = body.startswith("^")
        found = re.sub(r"\\([dws])", lambda match: CLASSES[match[1]], body[negated:])
        if (
            not found
            or re.search(r"\\[A-Za-z0-9]|\[", found)
            or (not negated and re.search(rf"{self.quote}|\\\\", found))
        ):
            raise UnknownPatternError(self.text)
        return Chars(f"^{self.never}{found}" if negated else found, 1, 1)
