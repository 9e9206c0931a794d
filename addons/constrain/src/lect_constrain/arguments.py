"""The arguments of a call as nodes, as its format writes them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lect.addon import json_schema
from lect.plugin.grammar import Literals, Params
from lect_constrain.lost import Keywords, Lost
from lect_constrain.members import UnwritableError, members
from lect_constrain.nodes import Lit, Node, Text, alt, closed, seq
from lect_constrain.notations import JSON, Notation, Value, is_word
from lect_constrain.patterns import UnknownPatternError
from lect_constrain.schema import OF_TYPES, types_of
from lect_constrain.values import Values, free_key

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from lect_constrain.probes import Pairs

TEXT = frozenset({"string"})


class Arguments:
    """Writes the arguments of calls one by one.

    Args:
        pairs: How they are written.
        words: What true, false and null may be.
        marks: The marks that a raw text must not contain.
        ends: The marks of the format, which mean something even inside a string of JSON.
        reads: Whether a key is read, that of an argument or that of an object in one.
    """

    def __init__(
        self,
        pairs: Pairs,
        words: Any,
        marks: tuple[str, ...],
        ends: tuple[str, ...],
        reads: Callable[[str, bool], bool],
    ):
        self.pairs, self.words, self.marks, self.ends, self.reads = pairs, words, marks, ends, reads
        self.lost = Lost()
        self.separator: Node = Lit(pairs.separator)
        self.none, self.is_sorted = pairs.none, pairs.is_sorted
        self.shared: dict[str, Any] = {}

    def node(self, schema: dict[str, Any]) -> Node:
        """Return the arguments that a schema allows.

        Raises:
            UnwritableError: If the format cannot write any.
        """
        self.shared = {"$defs": schema["$defs"]} if "$defs" in schema else {}
        found, why = [], None
        for branch in flat(schema, "", self.lost):
            if "object" in types_of(branch.schema):
                branch.read |= {"type", "$defs"}
                try:
                    found.append(seq(members(branch, self), self.pairs.end))
                    self.lost.loose += branch.unread()
                except UnwritableError as error:
                    self.lost.tight.append(branch.path or "/")
                    why = error
        if not found and why:
            raise why
        return alt(found)

    def can_write(self, name: str) -> bool:
        return is_word(name) or self.reads(name, False)

    def member(self, name: str, schema: Any, path: str) -> Node:
        """Return one argument."""
        close = self.pairs.close.replace("{key}", name)
        mark = "" if isinstance(self.pairs.kind, Literals) else self.pairs.kind.close.format(key=name)
        return self.pair(Lit(name), {**schema, **self.shared}, path, close, mark)

    def further(self, pattern: str | None, names: Collection[str], schema: Any, path: str) -> Node | None:
        """Return one argument whose name is free."""
        kind = self.pairs.kind
        if "{key}" in self.pairs.close:
            return None
        try:
            key = free_key(pattern, names, "", (*self.marks, self.pairs.equals_for("string").strip()[:1]))
        except UnknownPatternError:
            return None
        # A key that is no plain word might be read too.
        self.lost.tight.append(path)
        mark = "" if isinstance(kind, Literals) else kind.close
        return self.pair(key, {**schema, **self.shared}, path, self.pairs.close, mark)

    def pair(self, key: Node, schema: dict[str, Any], path: str, close: str, mark: str) -> Node:
        pairs, kind = self.pairs, self.pairs.kind
        if isinstance(kind, Literals):
            literal = Value(schema, self.literal_notation(kind), path=path)
            return seq(pairs.open, key, pairs.equals_for("string"), literal, pairs.close)
        found = []
        for type_name, value in self.typed(schema, path, mark):
            found.append(seq(pairs.equals_for(type_name), closed(value, close, (*self.marks, mark))))
        return seq(pairs.open, key, alt(found))

    def typed(self, schema: dict[str, Any], path: str, mark: str) -> list[tuple[str, Node]]:
        """Return the values of a parameter whose strings are raw, each with its type."""
        found: list[tuple[str, Node]] = []
        branches = flat(schema, path, self.lost)
        texts = [each for each in branches if "string" in types_of(each.schema) and "enum" not in each.schema]
        if len(branches) == 1 and texts and types_of(texts[0].schema) == ("string",):
            return [("string", self.raw(texts[0], mark))]
        if texts:
            found.append(("string", Text((*self.marks, mark))))
            self.lose_marks(path)
            # Where nothing tells a text from other values, it may be any of them.
            is_any = len({*self.pairs.equals.values()}) == 1
            for branch in branches if is_any else texts:
                said = {"type", "enum", "$defs"}
                words = [word for word in branch.schema if word not in said and (is_any or OF_TYPES.get(word) == TEXT)]
                self.lost.loose += [f"{branch.path}/{word}" for word in words]
            if is_any:
                return found
        for branch in branches:
            if "enum" in branch.schema:
                branch.read |= {"type", "$defs"}
                found += [self.one(each) for each in branch.get("enum")]
                self.lost.loose += branch.unread()
                continue
            for type_name in types_of(branch.schema):
                if type_name != "string":
                    given = {word: value for word, value in branch.schema.items() if OF_TYPES.get(word) != TEXT}
                    found += self.values({**given, "type": type_name, **self.shared}, branch.path, mark)
        return found

    def raw(self, words: Keywords, mark: str) -> Node:
        """Return the texts of a string."""
        schema = {word: value for word, value in words.schema.items() if word != "$defs"}
        inside = Values(Value(schema, Notation((), self.words, tags=("", "")), (*self.marks, mark), words.path))
        self.lost.add(inside.lost)
        if isinstance(inside.root, Text):
            self.lose_marks(words.path)
        return inside.root

    def lose_marks(self, path: str) -> None:
        """Tell that a raw text does not contain every mark, though some are read where they are closed again."""
        self.lost.tight += [f"{path}/type"] * bool(self.marks)

    def one(self, value: Any) -> tuple[str, Node]:
        if isinstance(value, str):
            return "string", Lit(value)
        return json_schema.kind_of(value), self.notation().literal(value)

    def values(self, schema: dict[str, Any], path: str, mark: str) -> list[tuple[str, Node]]:
        type_name = schema["type"]
        nested = type_name in ("array", "object")
        kind = self.pairs.kind
        if nested and isinstance(kind, Params) and kind.nested:
            tags = (f"{kind.open}{{}}>", kind.close.replace("{key}", "{}"))
            return [(type_name, Value(schema, Notation((), self.words, tags=tags, keys=self.inner), self.marks, path))]
        if not nested:
            return [(type_name, Value(schema, self.notation(), path=path))]
        return [(type_name, Value(schema, JSON, (mark, *self.ends), path))]

    def notation(self) -> Notation:
        return Notation(words=self.words)

    def literal_notation(self, kind: Literals) -> Notation:
        """Return how values are written in a call as in Python, or in a notation like it."""
        quotes = kind.quotes or ('"', "'")
        space = "" if kind.bare else " "
        inner = self.inner if kind.bare else None
        return Notation(quotes, self.words, kind.bare, space=space, is_sorted=self.pairs.is_sorted, keys=inner)

    def inner(self, name: str) -> bool:
        return self.reads(name, True)


def flat(schema: dict[str, Any], path: str, lost: Lost) -> list[Keywords]:
    """Return the branches of a schema, references resolved."""
    defs = schema.get("$defs", {})

    def branches(part: dict[str, Any], path: str, depth: int) -> list[Keywords]:
        beside = [word for word in part if word not in ("anyOf", "$ref", "$defs")]
        if "$ref" in part:
            name = part["$ref"].removeprefix("#/$defs/")
            return branches(defs[name], f"/$defs/{name}", depth + 1) if depth < len(defs) + 1 else [Keywords({}, path)]
        if "anyOf" not in part:
            return [Keywords(part, path)]
        lost.loose += [f"{path}/{word}" for word in beside]
        parts = [branches(each, f"{path}/anyOf/{index}", depth) for index, each in enumerate(part["anyOf"])]
        return [found for each in parts for found in each]

    return branches(schema, path, 0)
