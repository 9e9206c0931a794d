"""Lark as llguidance reads it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from lect_constrain.members import are_apart
from lect_constrain.nodes import EMPTY, Alt, Chars, Lit, Node, Rep, Seq, Tokens, Word, seq, spread
from lect_constrain.notations import Value
from lect_constrain.rules import RuleWriter
from lect_constrain.schema import ANY_ORDER, KNOWN, NUMERIC, Schema, dumped, kept, parts_of, types_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from lect_constrain.nodes import Quoted, Text

HONOURED = KNOWN | {"patternProperties", "multipleOf"}
"""The keywords that llguidance honours, those of `needs_rules` aside."""
SAFE = 2**53
"""Up to where it compares integers exactly."""
ANYTHING = "(?s:.*)"
JSON_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{\[]|[^"{\[\s]+|\s+|"')
CALLS = ('{"', '[{"')
"""What a call in JSON begins with."""
OPTIONS = {"whitespace_pattern": r"[ \n]{0,8}"}


class Lark(RuleWriter):
    """Writes Lark. A text and its end are one lazy lexeme; special tokens are tokens, which no text contains."""

    def __init__(self, tokens: Mapping[str, int]):
        super().__init__()
        self.tokens = Tokens(tokens)
        self.is_split = False
        """Whether a reply may be a value or a call that is one as well: then all JSON is written a token at a time.

        Until they differ, both must be the same to the lexer, and a `%json` has one of its own.
        """
        self.is_inside = False
        """Whether what is being written is a part of a value."""

    def expression(self, node: Node, *, outer: bool = False) -> str:
        if self.is_split and isinstance(node, Seq):
            node = _with_whole_strings(node)
        return super().expression(node, outer=outer)

    def literal(self, text: str) -> str:
        parts = self.tokens.split(text) or [""]
        if self.is_split and (self.is_inside or text.startswith(CALLS)):
            parts = JSON_TOKEN.findall(text)
        return " ".join(f"<[{each}]>" if isinstance(each, int) else dumped(each) for each in parts)

    def text(self, node: Text) -> str:
        # No text contains a special token as one, so it ends a text by itself; ordinary tokens can still spell it.
        without = node.without
        token = self.tokens.pattern.search(node.end)
        if not node.end or (token and not token.start()):
            excluded = self.excluding((*without, *[node.end] * bool(node.end)))
            body = (f"/[^{node.first}](?s:.*)/" if node.first else "/(?s:.+)/") + excluded
            return f"{self.terminal(body)}? {self.literal(node.end)}".removesuffix(' ""')
        if token:
            begin = _escaped(node.end[: token.start()])
            text = self.terminal(f"/{ANYTHING}{begin}/{self.excluding(without)}")
            return f"{text} {self.literal(node.end[token.start() :])}"
        before = f"([^{node.first}]{ANYTHING})?" if node.first else ANYTHING
        body = f"/{before}{_escaped(node.end)}/" + self.excluding(mark for mark in without if mark != node.end)
        return self.body(body, mark="[lazy]")

    def excluding(self, without: Iterable[str]) -> str:
        marks = "|".join(map(_escaped, sorted(without)))
        return f" & ~/{ANYTHING}({marks}){ANYTHING}/" if marks else ""

    def terminal(self, body: str) -> str:
        """Return the name of a terminal."""
        return self.body(body, "T")

    def quoted(self, node: Quoted) -> str:
        quote = node.quote
        high = "" if node.high is None else node.high
        count = f"{{{node.low},{high}}}" if node.low or node.high is not None else "*"
        others = "" if quote == '"' else quote
        # Not `\/`, which nobody needs to write: it is an escape of JSON, and not of Python.
        escape = f'\\\\(["{others}\\\\bfnrt]|u[0-9a-fA-F]{{4}})'
        begin = "" if node.is_open else quote
        body = f"/{begin}([^{quote}\\\\\\x00-\\x1f\\x7f]|{escape}){count}{quote}/"
        return self.terminal(body + self.excluding(node.without))

    def chars(self, node: Chars) -> str:
        if (node.low, node.high) == (0, 0):
            return '""'
        high = "" if node.high is None else node.high
        low = max(node.low, 1)
        expression = f"/[{_in_slashes(node.allowed)}]{{{low},{high}}}/"
        return f"{expression}?" if node.low == 0 else expression

    def word(self, node: Node) -> str:
        return f"/{regex(node)}/"

    def value(self, node: Value) -> str:
        if self.left(node) is None or self.is_split or needs_rules(node.schema):
            outside, self.is_inside = self.is_inside, True
            written = super().value(node)
            self.is_inside = outside
            return written
        schema = kept(node.schema, HONOURED, self.lost.loose, node.path)
        return "%json " + dumped({**schema, "x-guidance": OPTIONS})

    def left(self, node: Value) -> Callable[[Schema], bool] | None:
        if self.is_split or not node.notation.is_json or node.without:
            return None
        return lambda schema: not needs_rules(schema)

    def written(self, node: Node) -> str:
        """Return the whole grammar."""
        first = [*_beginnings(node)]
        calls = any(isinstance(each, Lit) and each.text.startswith(CALLS) for each in first)
        self.is_split = calls and any(isinstance(each, Value) for each in first)
        return "%llguidance {}\n\n" + super().written(node)


def needs_rules(schema: Mapping[str, Any]) -> bool:
    """Return whether a normal schema says something that llguidance would not honour by itself, and rules do."""

    def is_odd(word: str, part: Schema) -> bool:
        if word in NUMERIC:
            return "integer" in types_of(part) and abs(part[word]) > SAFE
        if word in ("minProperties", "maxProperties"):
            return {*part.get("properties", ())} != {*part.get("required", ())}
        return word == ANY_ORDER or (word == "patternProperties" and not are_apart(part[word]))

    return any(is_odd(word, part) for part in parts_of(schema) for word in part)


def regex(node: Node) -> str:
    """Return a node without free text as a regular expression."""
    match node:
        case Lit(text):
            return _escaped(text)
        case Chars(allowed, low, high):
            return f"[{_in_slashes(allowed)}]{{{low},{'' if high is None else high}}}"
        case Seq(items):
            return "".join(map(regex, items))
        case Alt(items):
            return "(" + "|".join(map(regex, items)) + ")"
        case Rep(item, low, high):
            return f"({regex(item)}){{{low},{'' if high is None else high}}}"
        case Word(item):
            return regex(item)
    raise AssertionError(node)


def _with_whole_strings(node: Seq) -> Node:
    """Return a row in which no choice begins within a string of JSON, such as the name of one of several tools."""
    for index, item in enumerate(node.items[:-1]):
        if isinstance(item, Lit) and item.text.startswith(CALLS) and '"' in JSON_TOKEN.findall(item.text):
            return spread(seq(*node.items[: index + 1]), seq(*node.items[index + 1 :]))
    return node


def _beginnings(node: Node) -> Iterator[Node]:
    """Yield the nodes that a node may begin with."""
    match node:
        case Alt(items):
            for each in items:
                yield from _beginnings(each)
        case Seq(items):
            first = next((each for each in items if not (isinstance(each, Chars | Rep) and each.low == 0)), EMPTY)
            yield from _beginnings(first)
        case _:
            yield node


def _in_slashes(allowed: str) -> str:
    return re.sub(r"\\.|/", lambda match: r"\/" if match[0] == "/" else match[0], allowed)


def _escaped(text: str) -> str:
    """Return a text as a part of a regular expression between slashes."""
    return re.sub(r"[\\^$.|?*+()\[\]{}/\-&~#]", r"\\\g<0>", text).replace("\n", "\\n")
