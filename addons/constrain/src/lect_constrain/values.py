"""Values of a schema as nodes, in any notation. Engines that know JSON Schema need it only for other notations."""

from __future__ import annotations

from decimal import Decimal
from math import ceil, floor
from typing import TYPE_CHECKING, Any

from lect_constrain.characters import WORD, outside
from lect_constrain.lost import Keywords, Lost
from lect_constrain.members import UnwritableError, members, other_than
from lect_constrain.nodes import EMPTY, Lit, Node, Ref, Rep, Word, alt, closed, optional, seq
from lect_constrain.notations import JSON, Value
from lect_constrain.numerals import EXPONENT, FRACTION, WHOLE, Bound, integers, numbers
from lect_constrain.patterns import ANYTHING, UnknownPatternError, is_apart, lengths_of, pattern_node
from lect_constrain.schema import Schema, dumped, types_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

ANY: dict[str, Any] = {"type": ["string", "integer", "number", "boolean", "null", "array", "object"]}


class Values:
    """The nodes of one value.

    Args:
        value: The value.
        left: Which schemas inside it are left to the engine, as values again.

    Attributes:
        root: The value itself.
        rules: What `Ref` nodes in it refer to, by name.
        lost: The keywords that are not honoured exactly.
    """

    def __init__(self, value: Value, *, left: Callable[[Schema], bool] | None = None):
        self.notation, self.without, self.left = value.notation, value.without, left
        self.lost = Lost()
        schema = dict(value.schema)
        self.defs: dict[str, Any] = schema.pop("$defs", {})
        self.schemas: dict[str, Any] = {"any": ANY, **self.defs}
        self.rules: dict[str, Node] = {}
        self.within: list[str] = []
        self.root = self.own(schema, value.path)

    def node(self, schema: dict[str, Any], path: str = "") -> Node:
        """Return the values of a schema, or leave them to the engine."""
        if self.left is not None:
            whole = {**schema, "$defs": self.defs} if self.defs and '"$ref"' in dumped(schema) else schema
            if self.left(whole):
                return Value(whole, self.notation, path=path)
        return self.own(schema, path)

    def own(self, schema: Schema, path: str) -> Node:
        """Return the values of a schema; what it says and nobody reads is lost."""
        words = Keywords(schema, path)
        found = self.written(words)
        self.lost.loose += words.unread()
        return found

    def written(self, words: Keywords) -> Node:
        path, schema = words.path, words.schema
        if "$ref" in schema:
            return self.rule(words.get("$ref").removeprefix("#/$defs/"))
        if "anyOf" in schema:
            return self.either([(each, f"{path}/anyOf/{index}") for index, each in enumerate(words.get("anyOf"))])
        if "enum" in schema:
            return alt(map(self.notation.literal, words.get("enum")))
        types = types_of(schema)
        words.get("type")
        if schema.keys() <= {"type"} and len(types) > 5 and schema is not ANY:
            return self.rule("any")
        # Every integer is a number.
        types = tuple(each for each in types if each != "integer" or "number" not in types)
        return alt(getattr(self, f"{each}_node")(words) for each in types)

    def either(self, branches: list[tuple[Schema, str]]) -> Node:
        """Return the values of one of several schemas, without those that cannot be written."""
        found, why = [], None
        for schema, path in branches:
            try:
                found.append(self.node(schema, path))
            except UnwritableError as error:
                self.lost.tight.append(path)
                why = error
        if not found and why:
            raise why
        return alt(found)

    def rule(self, name: str) -> Node:
        schema, key = self.schemas[name], f"{name} {self.notation.tags}"
        if self.notation.tags and name not in self.within:
            # A text and what closes it are one node: only what recurs is a rule.
            self.within.append(name)
            found = self.node(schema, f"/$defs/{name}")
            self.within.remove(name)
            return found
        if key not in self.rules:
            self.rules[key] = EMPTY
            self.rules[key] = self.node(schema, f"/$defs/{name}")
        return Ref(key, self.rules)

    def in_json(self, words: Keywords) -> Node:
        """Return the values of a schema as JSON, whatever the notation around them is."""
        around, self.notation = self.notation, JSON
        found = self.object_node(words)
        self.notation = around
        return found

    def null_node(self, words: Keywords) -> Node:
        return self.notation.literal(None)

    def boolean_node(self, words: Keywords) -> Node:
        return alt([self.notation.literal(True), self.notation.literal(False)])

    def integer_node(self, words: Keywords) -> Node:
        low, high = _bounds(words)
        if low is None and high is None:
            return Word(seq(optional(Lit("-")), WHOLE))
        least = None if low is None else floor(low.value) + 1 if low.is_excluded else ceil(low.value)
        most = None if high is None else ceil(high.value) - 1 if high.is_excluded else floor(high.value)
        return self.between(integers(least, most), words)

    def number_node(self, words: Keywords) -> Node:
        low, high = _bounds(words)
        if low is None and high is None:
            return Word(seq(optional(Lit("-")), WHOLE, FRACTION, EXPONENT))
        return self.between(numbers(low, high), words)

    def between(self, found: list[Node], words: Keywords) -> Node:
        if not found:
            raise UnwritableError(f"no number is between the bounds at {words.path or '/'}")
        return Word(alt(found))

    def string_node(self, words: Keywords) -> Node:
        low, high, pattern = words.get("minLength", 0), words.get("maxLength"), words.get("pattern")
        notation, path = self.notation, words.path
        is_quoted = not notation.tags and all(len(quote) == 1 for quote in notation.quotes)
        unsaid = [word for word, bound in (("minLength", low), ("maxLength", high)) if bound]
        if pattern is not None:
            node, shortest, longest = self.patterned(pattern, is_quoted)
            if node is not None:
                kept = {
                    "minLength": shortest >= low,
                    "maxLength": high is None or (longest is not None and longest <= high),
                }
                self.lost.loose += [f"{path}/{word}" for word in unsaid if not kept[word]]
                return node
            self.lost.loose.append(f"{path}/pattern")
        if not is_quoted or self.without:
            self.lost.loose += [f"{path}/{word}" for word in unsaid]
        return notation.string(self.without, low, high)

    def patterned(self, pattern: str, is_quoted: bool) -> tuple[Node | None, int, int | None]:
        """Return the strings that fit a pattern, and how long they are; None if some would contain a mark."""
        notation = self.notation
        raw = () if is_quoted else notation.quotes
        try:
            shortest, longest = lengths_of(pattern_node(pattern, ""))
            if not is_apart(pattern, (*self.without, *raw)):
                return None, 0, None
            if notation.tags:
                return Word(pattern_node(pattern, "")), shortest, longest
            if not is_quoted:
                # A quote that is a token is none inside a word.
                found = [seq(each, Word(pattern_node(pattern, "")), each) for each in notation.quotes]
            else:
                found = [Word(seq(each, pattern_node(pattern, each), each)) for each in notation.quotes]
        except UnknownPatternError:
            return None, 0, None
        return alt(found), shortest, longest

    def array_node(self, words: Keywords) -> Node:
        path, first = words.path, words.get("prefixItems", ())
        items = [self.node(each, f"{path}/prefixItems/{index}") for index, each in enumerate(first)]
        low, high, further = words.get("minItems", 0), words.get("maxItems"), words.get("items", {})
        item = None
        if further is not False and high != 0:
            try:
                item = self.node({} if further is True else further, f"{path}/items")
            except UnwritableError:
                if low > len(items):
                    raise
                self.lost.tight.append(f"{path}/items")
        return self.in_list(items, item, low, high)

    def in_list(self, first: list[Node], item: Node | None, low: int, high: int | None) -> Node:
        notation = self.notation
        if notation.tags:
            # Nothing between the tags would be read as an empty text.
            items = [self.tagged("item", each) for each in first[:high]]
            if item is not None and high != 0:
                most = None if high is None else high - len(first)
                items.append(Rep(self.tagged("item", item), max(low - len(first), 0 if first else 1), most))
            return alt([Lit("[]")] * (low == 0) + [seq(*items)] * bool(items))
        comma = seq(",", notation.gap())
        rows: list[Node] = []
        if low == 0 and high != 0:
            rows.append(Lit(""))
        count = len(first)
        # The longest is part of what goes on with further items.
        longest = min(count - (item is not None and high != count), count if high is None else high)
        rows += [notation.row(first[:length]) for length in range(max(low, 1), longest + 1)]
        rows = rows or [Lit("")] * (high == 0)
        most = None if high is None else high - count
        if item is not None and (most is None or most > 0):
            least = max(low - count, 0 if first else 1)
            head = notation.row(first) if first else item
            less = 0 if first else 1
            more = Rep(seq(comma, item), max(least - less, 0), None if most is None else most - less)
            rows.append(seq(head, more))
        return seq("[", notation.gap(), alt(rows), notation.gap(), "]") if rows else Lit("[]")

    def tagged(self, name: str, value: Node) -> Node:
        """Return a value in tags."""
        assert self.notation.tags is not None
        opened, close = (each.replace("{}", name) for each in self.notation.tags)
        return seq(opened, closed(value, close, (*self.without, close)))

    def object_node(self, words: Keywords) -> Node:
        notation, schema = self.notation, words.schema
        if notation.tags and not schema.get("properties") and schema.get("additionalProperties", True) is not False:
            # A key that is free could not be repeated in what closes it.
            return self.in_json(words)
        row = members(words, _Members(self))
        return row if notation.tags else seq("{", notation.gap(), row, notation.gap(), "}")


class _Members:
    """Writes the members of an object."""

    def __init__(self, values: Values):
        self.values, self.lost, self.notation = values, values.lost, values.notation
        self.is_sorted, self.none = self.notation.is_sorted, "{}" if self.notation.tags else ""
        self.separator = EMPTY if self.notation.tags else seq(",", self.notation.gap())

    def can_write(self, name: str) -> bool:
        return self.notation.can_write(name)

    def member(self, name: str, schema: Any, path: str) -> Node:
        value = self.values.node(schema, path)
        if self.notation.tags:
            return self.values.tagged(name, value)
        return seq(self.notation.key(name), ":", self.notation.gap(), value)

    def further(self, pattern: str | None, names: Collection[str], schema: Any, path: str) -> Node | None:
        notation = self.notation
        if notation.tags:
            return None
        try:
            key = free_key(pattern, names, "" if notation.bare_keys else notation.quotes[0], self.values.without)
            value = self.values.node(schema, path)
        except (UnknownPatternError, UnwritableError):
            return None
        self.lost.tight += [path] * notation.bare_keys
        return seq(key, ":", notation.gap(), value)


def free_key(pattern: str | None, names: Collection[str], quote: str, without: tuple[str, ...] = ()) -> Node:
    """Return any key that fits a pattern, and is none of the names; without a quote, a plain word.

    Raises:
        UnknownPatternError: If the pattern cannot be expressed, or a key that fits it may contain a mark.
    """
    if pattern is not None and not quote:
        return Word(pattern_node(pattern, "", WORD))
    if pattern is not None:
        if not is_apart(pattern, without):
            raise UnknownPatternError(pattern)
        return Word(seq(quote, pattern_node(pattern, quote), quote))
    if not quote:
        return Word(other_than(names, WORD, "", WORD[1:]))
    # A mark has a character that no key has.
    marked = tuple((ord(mark[0]), ord(mark[0])) for mark in without)
    return Word(seq(quote, other_than(names, outside(marked) if marked else ANYTHING, quote), quote))


def _bounds(words: Keywords) -> tuple[Bound | None, Bound | None]:
    """Return the bounds of a number."""
    lows = [
        Bound(Decimal(repr(value)), is_excluded)
        for word, is_excluded in (("minimum", False), ("exclusiveMinimum", True))
        if (value := words.get(word)) is not None
    ]
    highs = [
        Bound(Decimal(repr(value)), is_excluded)
        for word, is_excluded in (("maximum", False), ("exclusiveMaximum", True))
        if (value := words.get(word)) is not None
    ]
    low = max(lows, default=None)
    high = min(highs, key=lambda bound: (bound.value, not bound.is_excluded), default=None)
    return low, high
