"""The arguments of a call as nodes, as its format writes them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lect.json_schema import kind_of
from lect.plugin.grammar import Literals, Params
from lect_constrain.nodes import Lit, Node, Text, alt, closed, seq
from lect_constrain.notations import JSON, Notation, Value
from lect_constrain.order import keys
from lect_constrain.schema import types_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lect_constrain.probes import Pairs


class Arguments:
    """Writes the arguments of calls one by one.

    Args:
        pairs: How they are written.
        words: What true, false and null may be.
        marks: The marks that a raw text must not contain.
        ends: The marks of the format, which mean something even inside a string of JSON.
    """

    def __init__(self, pairs: Pairs, words: Any, marks: tuple[str, ...], ends: tuple[str, ...]):
        self.pairs, self.words, self.marks, self.ends = pairs, words, marks, ends
        self.loose: list[str] = []

    def node(self, schema: dict[str, Any]) -> Node:
        """Return the arguments that a schema allows."""
        shared = {"$defs": schema["$defs"]} if "$defs" in schema else {}
        branches = [each for each in flat(schema, shared.get("$defs", {})) if "object" in types_of(each)]
        return alt(self.written(each, shared) for each in branches)

    def written(self, schema: dict[str, Any], shared: dict[str, Any]) -> Node:
        pairs, required = self.pairs, {*schema.get("required", ())}
        properties: dict[str, Any] = dict(schema.get("properties", {}))
        properties |= {name: {} for name in required if name not in properties}
        if schema.get("additionalProperties", True) is not False:
            self.loose.append("/additionalProperties")
        names = sorted(properties, key=str.lower) if pairs.is_sorted else list(properties)
        written = [(self.pair(name, {**properties[name], **shared}), name in required) for name in names]
        return keys(schema, written, Lit(pairs.separator), self.loose, "", pairs.none)

    def pair(self, name: str, schema: dict[str, Any]) -> Node:
        """Return one argument."""
        pairs, kind = self.pairs, self.pairs.kind
        if isinstance(kind, Literals):
            literal = Value(schema, self.literal_notation(kind), path=f"/properties/{name}")
            return seq(pairs.open, name, pairs.equals_for("string"), literal, pairs.close)
        mark = kind.close.format(key=name)
        close = pairs.close.replace("{key}", name)
        found = []
        for type_name, value in self.typed(name, schema, mark):
            found.append(seq(pairs.equals_for(type_name), closed(value, close, (*self.marks, mark))))
        return seq(pairs.open, name, alt(found))

    def typed(self, name: str, schema: dict[str, Any], mark: str) -> list[tuple[str, Node]]:
        """Return the values of a parameter whose strings are raw, each with its type."""
        defs = schema.get("$defs", {})
        shared = {"$defs": defs} if defs else {}
        found: list[tuple[str, Node]] = []
        branches = flat(schema, defs)
        raw = Text((*self.marks, mark))
        has_text = any("string" in types_of(each) and "enum" not in each for each in branches)
        same = len({*self.pairs.equals.values()}) == 1
        if has_text:
            self.loose += [
                f"/properties/{name}/{word}"
                for each in branches
                for word in ("pattern", "format", "minLength", "maxLength")
                if word in each
            ]
            found.append(("string", raw))
            if same:
                return found
        for branch in branches:
            if "enum" in branch:
                found += [self.one(each) for each in branch["enum"]]
                continue
            for type_name in types_of(branch):
                if type_name != "string":
                    found += self.values({**branch, "type": type_name, **shared}, name, mark)
        return found

    def one(self, value: Any) -> tuple[str, Node]:
        if isinstance(value, str):
            return "string", Lit(value)
        return kind_of(value), self.notation().literal(value)

    def values(self, schema: dict[str, Any], name: str, mark: str) -> list[tuple[str, Node]]:
        type_name, path = schema["type"], f"/properties/{name}"
        nested = type_name in ("array", "object")
        kind = self.pairs.kind
        if nested and isinstance(kind, Params) and kind.nested:
            tags = (f"{kind.open}{{}}>", kind.close.replace("{key}", "{}"))
            return [(type_name, Value(schema, Notation((), self.words, tags=tags), self.marks, path))]
        if not nested:
            return [(type_name, Value(schema, self.notation(), path=path))]
        return [(type_name, Value(schema, JSON, (mark, *self.ends), path))]

    def notation(self) -> Notation:
        return Notation(words=self.words)

    def literal_notation(self, kind: Literals) -> Notation:
        """Return how values are written in a call as in Python, or in a notation like it."""
        quotes = kind.quotes or ('"', "'")
        space = "" if kind.bare else " "
        return Notation(quotes, self.words, kind.bare, space=space, is_sorted=self.pairs.is_sorted)


def flat(schema: dict[str, Any], defs: Mapping[str, Any], depth: int = 0) -> list[dict[str, Any]]:
    """Return the branches of a schema, references resolved."""
    if "$ref" in schema:
        return flat(defs[schema["$ref"].removeprefix("#/$defs/")], defs, depth + 1) if depth < len(defs) + 1 else [{}]
    return [found for each in schema["anyOf"] for found in flat(each, defs, depth)] if "anyOf" in schema else [schema]
