"""Values of a schema as nodes, in any notation. Engines that know JSON Schema need it only for other notations."""

from __future__ import annotations

from math import ceil, floor
from typing import TYPE_CHECKING, Any

from lect_constrain.nodes import EMPTY, Chars, Lit, Node, Ref, Rep, Word, alt, closed, optional, seq
from lect_constrain.notations import JSON, Value
from lect_constrain.order import keys
from lect_constrain.patterns import FORMATS, UnknownPatternError, is_open, pattern_node
from lect_constrain.schema import ANY_ORDER, KNOWN, Schema, dumped, types_of

if TYPE_CHECKING:
    from collections.abc import Callable

ANY: dict[str, Any] = {"type": ["string", "integer", "number", "boolean", "null", "array", "object"]}
LONGEST = 15
"""How many further digits a number may have."""
FRACTION = Rep(seq(".", Chars("0-9", 1, 12)), 0, 1)
EXPONENT = Rep(seq(alt([Lit("e"), Lit("E")]), Chars("+\\-", 0, 1), Chars("0-9", 1, 2)), 0, 1)
WHOLE = alt([Lit("0"), seq(Chars("1-9", 1, 1), Chars("0-9", 0, LONGEST))])


class Values:
    """The nodes of one value.

    Args:
        value: The value.
        left: Which schemas inside it are left to the engine, as values again.

    Attributes:
        root: The value itself.
        rules: What `Ref` nodes in it refer to, by name.
        dropped: The paths of keywords that are not honoured.
    """

    def __init__(self, value: Value, *, left: Callable[[Schema], bool] | None = None):
        self.notation, self.without, self.left = value.notation, value.without, left
        self.dropped: list[str] = []
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
        """Return the values of a schema."""
        self.dropped += [f"{path}/{word}" for word in schema if word not in KNOWN and word != ANY_ORDER]
        if "$ref" in schema:
            return self.rule(schema["$ref"].removeprefix("#/$defs/"))
        if "anyOf" in schema:
            branches = schema["anyOf"]
            return alt(self.node(each, f"{path}/anyOf/{index}") for index, each in enumerate(branches))
        if "enum" in schema:
            return alt(map(self.notation.literal, schema["enum"]))
        types = types_of(schema)
        if schema.keys() <= {"type"} and len(types) > 5 and schema is not ANY:
            return self.rule("any")
        # Every integer is a number.
        types = tuple(each for each in types if each != "integer" or "number" not in types)
        return alt(getattr(self, f"{each}_node")(schema, path) for each in types)

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

    def in_json(self, schema: dict[str, Any], path: str) -> Node:
        """Return the values of a schema as JSON, whatever the notation around them is."""
        around, self.notation = self.notation, JSON
        found = self.node(schema, path)
        self.notation = around
        return found

    def null_node(self, schema: dict[str, Any], path: str) -> Node:
        return self.notation.literal(None)

    def boolean_node(self, schema: dict[str, Any], path: str) -> Node:
        return alt([self.notation.literal(True), self.notation.literal(False)])

    def integer_node(self, schema: dict[str, Any], path: str) -> Node:
        lows = [ceil(schema["minimum"])] if "minimum" in schema else []
        lows += [floor(schema["exclusiveMinimum"]) + 1] if "exclusiveMinimum" in schema else []
        highs = [floor(schema["maximum"])] if "maximum" in schema else []
        highs += [ceil(schema["exclusiveMaximum"]) - 1] if "exclusiveMaximum" in schema else []
        low, high = max(lows, default=None), min(highs, default=None)
        if low is None and high is None:
            return Word(seq(optional(Lit("-")), WHOLE))
        return Word(alt(_integers(low, high)))

    def number_node(self, schema: dict[str, Any], path: str) -> Node:
        bounds = [each for each in schema if "inimum" in each or "aximum" in each]
        low = schema.get("minimum", schema.get("exclusiveMinimum"))
        self.dropped += [f"{path}/{each}" for each in bounds if not (low == 0 and "inimum" in each)]
        if low == 0 and "exclusiveMinimum" in schema:
            return Word(seq(Chars("1-9", 1, 1), Chars("0-9", 0, LONGEST), FRACTION))
        return Word(seq("" if low == 0 else optional(Lit("-")), WHOLE, FRACTION, EXPONENT))

    def string_node(self, schema: dict[str, Any], path: str) -> Node:
        low, high = schema.get("minLength", 0), schema.get("maxLength")
        pattern = schema.get("pattern") or FORMATS.get(schema.get("format", ""))
        if "format" in schema and (schema["format"] not in FORMATS or "pattern" in schema):
            self.dropped.append(f"{path}/format")
        quoted = not self.notation.tags and all(len(quote) == 1 for quote in self.notation.quotes)
        lengths = [f"{path}/{each}" for each in ("minLength", "maxLength") if each in schema]
        if pattern:
            try:
                if quoted and not (self.without and is_open(pattern)):
                    found = alt(Word(seq(each, pattern_node(pattern, each), each)) for each in self.notation.quotes)
                    self.dropped += lengths
                    return found
            except UnknownPatternError:
                pass
            self.dropped.append(f"{path}/{'pattern' if 'pattern' in schema else 'format'}")
        if not quoted or self.without:
            self.dropped += lengths
        return self.notation.string(self.without, low, high)

    def array_node(self, schema: dict[str, Any], path: str) -> Node:
        first = [
            self.node(each, f"{path}/prefixItems/{index}") for index, each in enumerate(schema.get("prefixItems", ()))
        ]
        further = schema.get("items", {})
        item = None if further is False else self.node({} if further is True else further, f"{path}/items")
        low, high = schema.get("minItems", 0), schema.get("maxItems")
        return self.in_list(first, item, low, high)

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

    def object_node(self, schema: dict[str, Any], path: str) -> Node:
        notation = self.notation
        properties, required = schema.get("properties", {}), {*schema.get("required", ())}
        extra = schema.get("additionalProperties", True)
        keyed = {name: self.node(each, f"{path}/properties/{name}") for name, each in properties.items()}
        keyed |= {name: self.node({}) for name in required if name not in keyed}
        if notation.is_sorted:
            keyed = {name: keyed[name] for name in sorted(keyed, key=str.lower)}
        if notation.tags:
            if not keyed and extra is not False:
                # A key that is free could not be repeated in what closes it.
                return self.in_json(schema, path)
            tagged = [(self.tagged(name, each), name in required) for name, each in keyed.items()]
            return keys(schema, tagged, EMPTY, self.dropped, path, "{}")
        colon = seq(":", notation.gap())
        pairs = [(seq(notation.key(name), colon, each), name in required) for name, each in keyed.items()]
        comma = seq(",", notation.gap())
        if extra is not False and not keyed:
            value = self.node({} if extra is True else extra, f"{path}/additionalProperties")
            # A key that is free must not be one of the others, which no writer can say: so it stands alone.
            key = Word(seq('"', Chars("A-Za-z_", 1, 1), Chars("A-Za-z0-9_", 0, 24), '"'))
            bare = Word(seq(Chars("A-Za-z_", 1, 1), Chars("A-Za-z0-9_", 0, 24)))
            free = seq(bare if notation.bare_keys else key, colon, value)
            inner = optional(seq(free, Rep(seq(comma, free), 0, 8)))
        else:
            self.dropped += [f"{path}/additionalProperties"] * (extra is not False)
            inner = keys(schema, pairs, comma, self.dropped, path)
        return seq("{", notation.gap(), inner, notation.gap(), "}")


def _integers(low: int | None, high: int | None) -> list[Node]:
    """Return the whole numbers from one to the other; None is no bound."""
    below = high is None or high >= 0
    if low is None or low < 0:
        least, most = 1 if below or high is None else -high, None if low is None else -low
        return [seq("-", each) for each in _integers(least, most)] + (_integers(0, high) if below else [])
    longest = len(str(low if high is None else high))
    found = [
        _digits(str(max(low, 10 ** (length - 1) if length > 1 else 0)), str(min(high or most, most)))
        for length in range(len(str(low)), longest + 1)
        for most in [10**length - 1]
    ]
    return [*found, seq(Chars("1-9", 1, 1), Chars("0-9", longest, LONGEST))] if high is None else found


def _digits(low: str, high: str) -> Node:
    """Return the numbers from one to another of the same length."""
    rest = len(low) - 1
    if not low:
        return EMPTY
    if low[0] == high[0]:
        return seq(low[0], _digits(low[1:], high[1:]))
    first, last = int(low[0]), int(high[0])
    found: list[Node] = []
    if low[1:].strip("0"):
        found.append(seq(low[0], _digits(low[1:], "9" * rest)))
        first += 1
    if high[1:].strip("9"):
        found.append(seq(high[0], _digits("0" * rest, high[1:])))
        last -= 1
    if first <= last:
        found.append(seq(Chars(f"{first}-{last}", 1, 1), Chars("0-9", rest, rest) if rest else ""))
    return alt(found)
