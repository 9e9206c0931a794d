"""Values of a schema as nodes, in any notation. Engines that know JSON Schema need it only for other notations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lect_constrain.nodes import EMPTY, Alt, Chars, Lit, Node, Quoted, Ref, Rep, Word, alt, closed, optional, seq
from lect_constrain.patterns import FORMATS, UnknownPatternError, pattern_node
from lect_constrain.schema import kept, types_of

if TYPE_CHECKING:
    from lect_constrain.notations import Value

KNOWN = frozenset(
    [
        "type",
        "enum",
        "properties",
        "required",
        "additionalProperties",
        "items",
        "prefixItems",
        "minItems",
        "maxItems",
        "anyOf",
        "$ref",
        "$defs",
        "minimum",
        "maximum",
        "exclusiveMinimum",
        "exclusiveMaximum",
        "pattern",
        "format",
        "minLength",
        "maxLength",
    ]
)
"""The keywords that are written here."""
ANY: dict[str, Any] = {"type": ["string", "integer", "number", "boolean", "null", "array", "object"]}
FRACTION = Rep(seq(".", Chars("0-9", 1, 12)), 0, 1)
EXPONENT = Rep(seq(alt([Lit("e"), Lit("E")]), Chars("+\\-", 0, 1), Chars("0-9", 1, 2)), 0, 1)
WHOLE = alt([Lit("0"), seq(Chars("1-9", 1, 1), Chars("0-9", 0, 15))])
LARGEST = 10**15


class Values:
    """The nodes of one value.

    Attributes:
        root: The value itself.
        rules: What `Ref` nodes in it refer to, by name.
        dropped: The paths of keywords that are not honoured.
    """

    def __init__(self, value: Value):
        self.notation, self.without = value.notation, value.without
        self.dropped: list[str] = []
        schema = kept(_without_one_of(value.schema), KNOWN, self.dropped)
        self.schemas: dict[str, Any] = {"any": ANY, **schema.pop("$defs", {})}
        self.rules: dict[str, Node] = {}
        self.root = self.node(schema)

    def node(self, schema: dict[str, Any], path: str = "") -> Node:
        """Return the values of a schema."""
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
        if name not in self.rules:
            self.rules[name] = Lit("")
            self.rules[name] = self.node(self.schemas[name])
        return Ref(name)

    def null_node(self, schema: dict[str, Any], path: str) -> Node:
        return self.notation.literal(None)

    def boolean_node(self, schema: dict[str, Any], path: str) -> Node:
        return alt([self.notation.literal(True), self.notation.literal(False)])

    def integer_node(self, schema: dict[str, Any], path: str) -> Node:
        low, high = schema.get("minimum"), schema.get("maximum")
        if "exclusiveMinimum" in schema:
            low = max(low or -LARGEST, int(schema["exclusiveMinimum"] // 1 + 1))
        if "exclusiveMaximum" in schema:
            high = min(high or LARGEST, int(-(-schema["exclusiveMaximum"] // 1) - 1))
        if low is None and high is None:
            return Word(seq(optional(Lit("-")), WHOLE))
        least = -LARGEST if low is None else int(-(-low // 1))
        most = LARGEST if high is None else int(high // 1)
        return Word(alt(_integers(least, most)))

    def number_node(self, schema: dict[str, Any], path: str) -> Node:
        bounds = [each for each in schema if "inimum" in each or "aximum" in each]
        low = schema.get("minimum", schema.get("exclusiveMinimum"))
        self.dropped += [f"{path}/{each}" for each in bounds if not (low == 0 and "inimum" in each)]
        if low == 0 and "exclusiveMinimum" in schema:
            return Word(seq(Chars("1-9", 1, 1), Chars("0-9", 0, 15), FRACTION))
        return Word(seq("" if low == 0 else optional(Lit("-")), WHOLE, FRACTION, EXPONENT))

    def string_node(self, schema: dict[str, Any], path: str) -> Node:
        low, high = schema.get("minLength", 0), schema.get("maxLength")
        pattern = schema.get("pattern") or FORMATS.get(schema.get("format", ""))
        if "format" in schema and (schema["format"] not in FORMATS or "pattern" in schema):
            self.dropped.append(f"{path}/format")
        found = self.notation.string(self.without, low, high)
        quoted = isinstance(found, Quoted) or (isinstance(found, Alt) and isinstance(found.items[0], Quoted))
        if pattern:
            try:
                inner = pattern_node(pattern)
                if quoted:
                    self.dropped += [f"{path}/{each}" for each in ("minLength", "maxLength") if each in schema]
                    quotes = self.notation.quotes
                    return alt(Word(seq(quote, inner, quote)) for quote in quotes[:1])
            except UnknownPatternError:
                pass
            self.dropped.append(f"{path}/{'pattern' if 'pattern' in schema else 'format'}")
        if not quoted or self.without:
            self.dropped += [f"{path}/{each}" for each in ("minLength", "maxLength") if each in schema]
        return found

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
            return Rep(self.tagged("item", item or alt(first)), max(low, 1), high)
        comma = seq(notation.comma, notation.gap())
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
            found = in_order([(self.tagged(name, each), name in required) for name, each in keyed.items()], Lit(""))
            return alt(each for each in found.items if each is not EMPTY) if isinstance(found, Alt) else found
        colon = seq(notation.colon, notation.gap())
        pairs = [(seq(notation.key(name), colon, each), name in required) for name, each in keyed.items()]
        free = None
        if extra is not False and not keyed:
            value = self.node({} if extra is True else extra, f"{path}/additionalProperties")
            # A key that is free must not be one of the others, which no writer can say: so it stands alone.
            key = Word(seq('"', Chars("A-Za-z_", 1, 1), Chars("A-Za-z0-9_", 0, 24), '"'))
            bare = Word(seq(Chars("A-Za-z_", 1, 1), Chars("A-Za-z0-9_", 0, 24)))
            free = seq(bare if notation.bare_keys else key, colon, value)
        elif extra is not False:
            self.dropped.append(f"{path}/additionalProperties")
        comma = seq(notation.comma, notation.gap())
        inner = in_order(pairs, comma) if free is None else optional(seq(free, Rep(seq(comma, free), 0, 8)))
        return seq("{", notation.gap(), inner, notation.gap(), "}")


def in_order(pairs: list[tuple[Node, bool]], separator: Node, none: str = "") -> Node:
    """Return parts in their order, with a separator between those that are there; each says if it is required.

    `none` is what is there if none of them is.

    It is as long as the list: what may follow a part is the same whatever came before it.
    """
    following: Node | None = None
    """What may come after a part that is there."""
    beginning: Node = Lit(none) if none else EMPTY
    """What may come if nothing is there yet."""
    for pair, required in reversed(pairs):
        whole = pair if following is None else seq(pair, following)
        further = seq(separator, whole)
        if required:
            beginning, following = whole, further
        else:
            beginning = alt([whole, beginning])
            following = alt([further, Lit("") if following is None else following])
    return beginning


def _without_one_of(schema: Any) -> Any:
    """Return a schema whose `oneOf` is `anyOf`: that only one fits is for the caller to see to."""
    if isinstance(schema, dict):
        return {("anyOf" if word == "oneOf" else word): _without_one_of(each) for word, each in schema.items()}
    return [_without_one_of(each) for each in schema] if isinstance(schema, list) else schema


def _integers(low: int, high: int) -> list[Node]:
    """Return the whole numbers from one to the other."""
    if low < 0:
        below = [seq("-", each) for each in _integers(1 if high >= 0 else -high, -low)]
        return below + (_integers(0, high) if high >= 0 else [])
    found: list[Node] = []
    for length in range(len(str(low)), len(str(high)) + 1):
        least, most = max(low, 10 ** (length - 1) if length > 1 else 0), min(high, 10**length - 1)
        if least <= most:
            found.append(_digits(str(least), str(most)))
    return found


def _digits(low: str, high: str) -> Node:
    """Return the numbers from one to another of the same length."""
    if not low:
        return Lit("")
    if low == "0" * len(low) and high == "9" * len(high):
        return Chars("0-9", len(low), len(low))
    first, last = int(low[0]), int(high[0])
    if first == last:
        return seq(low[0], _digits(low[1:], high[1:]))
    rest = len(low) - 1
    found = [seq(low[0], _digits(low[1:], "9" * rest))]
    if last - first > 1:
        found.append(seq(Chars(f"{first + 1}-{last - 1}", 1, 1), Chars("0-9", rest, rest) if rest else ""))
    found.append(seq(high[0], _digits("0" * rest, high[1:])))
    return alt(found)
