"""Schemas of arguments that a value fits by construction, with every keyword that says something of a value."""

import random

TEXTS = ("501", "true", "null", "[1]", "7.5", '{"a": 1}', "plain", "", "x y", "None", "-3")
VALUES = (*TEXTS, 0, 7, -12, 501, 7.5, -2.25, True, False, None, [], [1], ["a", 2], ["5"], {}, {"a": 1}, {"a": "7"})
TYPES = ("string", "integer", "number", "boolean", "null", "array", "object")
NAMES = ("x", "y", "n1", "k_b")
KINDS = {str: "string", bool: "boolean", int: "integer", float: "number", type(None): "null"}
KINDS |= {list: "array", dict: "object"}


class Maker:
    """Makes schemas and values, the same for the same seed."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.defs = {}

    def arguments(self):
        """Return the arguments of a call."""
        chosen = self.random.sample(NAMES, self.random.randint(1, 2))
        return {name: self.random.choice(VALUES) for name in chosen}

    def parameters(self, arguments):
        """Return a schema that arguments fit, unless parts of it exclude each other."""
        found = self.of_members(arguments, 0)
        for _ in range(self.random.randint(0, 2)):
            other = self.of_members(self.arguments() if self.random.random() < 0.5 else arguments, 2)
            found = self.random.choice(
                (
                    lambda one, _: self.defined(one),
                    lambda one, _: {"allOf": self.shuffled(one, self.of_members(arguments, 2))},
                    lambda one, two: {"anyOf": self.shuffled(one, two)},
                    lambda one, two: {"oneOf": self.shuffled(one, {**two, "required": ["none"]})},
                    lambda one, two: {"if": {"required": [*arguments]}, "then": one, "else": two},
                )
            )(found, other)
        return {**found, "$defs": self.defs}

    def anything(self):
        """Return a schema of some value."""
        return self.random.choice(
            (
                {"type": self.random.choice(TYPES)},
                {"type": self.random.sample(TYPES, 2)},
                {"const": self.random.choice(VALUES)},
                {"enum": self.random.sample(VALUES, 3)},
            )
        )

    def of(self, value, depth):
        """Return a schema that a value fits."""
        kind = KINDS[type(value)]
        if depth < 4 and isinstance(value, dict | list) and self.random.random() < 0.5:
            return self.of_members(value, depth) if kind == "object" else self.of_items(value, depth)
        ways = [
            lambda _: {"type": kind},
            lambda _: {"type": [kind, self.random.choice([each for each in TYPES if each != kind])]},
            lambda _: {"const": value},
            lambda _: {"enum": self.shuffled(value, *self.random.sample(VALUES, 2))},
        ]
        further = [
            lambda inner: self.defined(inner),
            lambda inner: self.recursive(inner),
            lambda inner: {"allOf": self.shuffled(inner, {"description": "x"})},
            lambda inner: {self.random.choice(["anyOf", "oneOf"]): self.shuffled(inner, self.anything())},
        ]
        if depth > 3 or self.random.random() < 0.4:
            return self.random.choice(ways)(None)
        return self.random.choice(further)(self.of(value, depth + 1))

    def of_members(self, value, depth):
        """Return the schema of an object that says each of its members in some way."""
        found, left = {"type": "object"}, []
        for name, each in value.items():
            where = self.random.choice(["properties", "properties", "patternProperties", "rest"])
            if where == "rest":
                left.append(each)
            else:
                key = name if where == "properties" else f"^{name[:1]}"
                found.setdefault(where, {})[key] = self.of(each, depth + 1)
        if self.random.random() < 0.3:
            found.setdefault("properties", {})["zz"] = self.anything()
        if len(left) == 1:
            word = self.random.choice(["additionalProperties", "unevaluatedProperties"])
            found[word] = self.of(left[0], depth + 1)
        elif left or self.random.random() < 0.3:
            found["additionalProperties"] = bool(left)
        return found

    def of_items(self, value, depth):
        """Return the schema of a list."""
        count = self.random.randint(0, len(value))
        found = {"type": "array", "prefixItems": [self.of(each, depth + 1) for each in value[:count]]}
        rest = [self.of(each, depth + 1) for each in value[count:]]
        found = {word: each for word, each in found.items() if each}
        return found | ({"items": {"anyOf": rest}} if rest else {})

    def defined(self, schema):
        name = f"d{len(self.defs)}"
        self.defs[name] = schema
        return {"$ref": f"#/$defs/{name}"}

    def recursive(self, schema):
        """Return a reference to a schema of which one branch has itself in it."""
        found = self.defined({})
        more = {"type": "object", "properties": {"next": found}, "required": ["next"]}
        self.defs[found["$ref"].rsplit("/", 1)[1]] = {"anyOf": self.shuffled(schema, more)}
        return found

    def shuffled(self, *items):
        return self.random.sample(items, len(items))


def closed(schema):
    """Return a schema whose objects take no members but their properties unless it says so, as servers read tools."""
    if isinstance(schema, list):
        return [closed(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    found = {word: each if word in ("enum", "const") else closed(each) for word, each in schema.items()}
    said = {"additionalProperties", "unevaluatedProperties", "patternProperties"} & found.keys()
    return found | ({"additionalProperties": False} if isinstance(found.get("properties"), dict) and not said else {})
