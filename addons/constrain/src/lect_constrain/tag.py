"""Structural tags, the JSON that xgrammar reads, and with it vLLM and SGLang."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lect_constrain.gbnf import Gbnf
from lect_constrain.lost import Lost
from lect_constrain.nodes import Alt, Chars, Lit, Node, Quoted, Ref, Rep, Seq, Text, Tokens, Word
from lect_constrain.notations import Begun, Value
from lect_constrain.progress import Counted
from lect_constrain.schema import KNOWN, NUMERIC, has_text, kept, parts_of, types_of

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

HONOURED = KNOWN | {"multipleOf"}
"""The keywords that xgrammar honours, those that `_is_ignored` names aside."""
SAFE = 2**53
"""Up to where it compares integers exactly."""


class Tag:
    """Writes a structural tag.

    What it excludes is nearly all that the engine takes to compile it. Control tokens are therefore excluded by their
    ids where all marks are such tokens, and otherwise only those that a reply of the format has. Literals have them as
    tokens too: where free tokens may stand, xgrammar 0.2.8 loses them beside a text that begins alike.
    """

    def __init__(self, tokens: Mapping[str, int], strays: Collection[str]):
        self.tokens, self.strays = Tokens(tokens), strays
        self.lost = Lost()
        self.counted = Counted()

    def written(self, root: Node) -> dict[str, Any]:
        """Return the whole structural tag."""
        if _has_tagged_values(root):
            self.tokens = Tokens({})
        return {"type": "structural_tag", "format": self.format(root)}

    def format(self, node: Node) -> dict[str, Any]:
        """Return a node as a format."""
        self.counted.meet(node)
        match node:
            case Lit(text):
                return _row(self.spelled(text) or [{"type": "const_string", "value": ""}])
            case Text(first=""):
                return self.text(node)
            case Chars(allowed, low, high):
                return {"type": "regex", "pattern": f"[{allowed}]{{{low},{'' if high is None else high}}}"}
            case Value():
                return self.value(node)
            case Ref(name, rules):
                # A tag has no rules: arguments in any order are written out.
                return self.format(rules[name])
            case Seq(items):
                return _row([self.format(each) for each in items])
            case Alt(items):
                return {"type": "or", "elements": [self.format(each) for each in items]}
            case Rep(item, low, high):
                content = self.format(item)
                if high is None and low < 2:
                    return {"type": "plus" if low else "star", "content": content}
                if (low, high) == (0, 1):
                    return {"type": "optional", "content": content}
                return {"type": "repeat", "min": low, "max": -1 if high is None else high, "content": content}
            case Quoted() | Word() | Text() | Begun():
                return self.grammar(node)
        raise AssertionError(node)

    def text(self, node: Text) -> dict[str, Any]:
        """Return free text."""
        marks = [*node.without, *[node.end] * bool(node.end)]
        found = [self.tokens.pattern.search(mark) for mark in marks]
        if marks and all(found) and (not node.end or (found[-1] and not found[-1].start())):
            ids = {self.tokens.ids[each[0]] for each in found if each}
            text: dict[str, Any] = {"type": "any_tokens", "exclude_tokens": sorted(ids)}
            return _row([text, *self.spelled(node.end)])
        known = [mark for mark in marks if mark not in self.tokens.ids or mark not in self.strays]
        text = {"type": "any_text", "excludes": known}
        return _row([text, *[{"type": "const_string", "value": node.end}] * bool(node.end)])

    def spelled(self, text: str) -> list[dict[str, Any]]:
        """Return a text with its control tokens as tokens."""
        return [
            {"type": "token", "token": each} if isinstance(each, int) else {"type": "const_string", "value": each}
            for each in self.tokens.split(text)
        ]

    def value(self, node: Value) -> dict[str, Any]:
        """Return a value: as JSON, which the engine knows, or as a grammar."""
        if not node.notation.is_json:
            return self.grammar(node)
        excludes = [*node.without] if node.without and has_text(node.schema) else []
        lost = Lost()
        schema = kept(node.schema, HONOURED, lost.loose, node.path, unless=_is_ignored)
        for part in parts_of(schema):
            if not part.keys().isdisjoint(("minItems", "maxItems")):
                part.setdefault("items", True)  # Without it, xgrammar counts the items and allows none.
        if len(lost):
            # A grammar honours more, but compiles more slowly.
            grammar = Gbnf()
            written = {"type": "grammar", "grammar": grammar.written(node)}
            if len(grammar.lost) < len(lost):
                self.lost.add(grammar.lost)
                return written
        self.lost.add(lost)
        # Without a limit, a model may write white space until it runs out of tokens.
        found = {"type": "json_schema", "json_schema": schema or True, "max_whitespace_cnt": 8}
        return {**found, "excludes": excludes} if excludes else found

    def grammar(self, node: Node) -> dict[str, Any]:
        """Return a node as a grammar of its own."""
        writer = Gbnf()
        found = {"type": "grammar", "grammar": writer.written(node)}
        self.lost.add(writer.lost)
        return found


def _is_ignored(word: str, schema: dict[str, Any]) -> bool:
    """Return whether xgrammar ignores a keyword, or takes it for something else.

    It takes strings with a pattern or a length for text without escapes, and control characters for text.
    """
    if word in NUMERIC and "integer" in types_of(schema):
        return bool(abs(schema[word]) > SAFE or schema[word] != int(schema[word]))
    if word == "prefixItems":
        count = len(schema[word])
        return schema.get("items") is not False or bool(schema.get("maxItems", count) < count)
    if word == "multipleOf":
        return types_of(schema) != ("integer",)
    return word in ("pattern", "minLength", "maxLength")


def _has_tagged_values(node: Node) -> bool:
    """Return whether values consist of marks again, which grammars inside a structural tag have as texts."""
    if isinstance(node, Value):
        return node.notation.tags is not None
    if isinstance(node, Ref):
        return _has_tagged_values(node.rules[node.name])
    parts = node.items if isinstance(node, Seq | Alt) else (node.item,) if isinstance(node, Rep) else ()
    return any(map(_has_tagged_values, parts))


def _row(items: list[dict[str, Any]]) -> dict[str, Any]:
    flat = [part for item in items for part in (item["elements"] if item["type"] == "sequence" else [item])]
    return flat[0] if len(flat) == 1 else {"type": "sequence", "elements": flat}
