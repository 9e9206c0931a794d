"""Tool schemas that say the type of one parameter in every way that JSON Schema has for it."""

KINDS = {
    "string": ("501", "true", "null", "[1]", "7.5", '{"a": 1}', "plain"),
    "integer": ("7", "-12"),
    "number": ("7", "7.5"),
    "boolean": ("true", "false"),
    "null": ("null",),
    "array": ("[1]",),
    "object": ('{"a": 1}',),
}
"""Texts that a value of each type may be written as."""
EXAMPLES = {"string": "a", "integer": 3, "number": 2.5, "boolean": True, "null": None, "array": [1], "object": {"a": 1}}
CONDITION = {"if": {"required": ["other"]}}


class Described:
    """A schema in the making: each reference gets a definition of its own."""

    def __init__(self):
        self.defs = {}

    def defined(self, schema):
        """Return a reference to a schema, by a name that has to be escaped."""
        name = f"a~/{len(self.defs)}"
        self.defs[name] = schema
        return {"$ref": f"#/$defs/{name.replace('~', '~0').replace('/', '~1')}"}

    def recursive(self, schema):
        """Return a reference to a schema of which one branch is itself."""
        found = self.defined({})
        self.defs[f"a~/{len(self.defs) - 1}"] = {"anyOf": [found, schema]}
        return found

    def ways(self):
        """Return the ways to say something of the same value, by name; each takes a schema."""
        return {
            "plain": lambda schema: schema,
            "$ref": self.defined,
            "recursive $ref": self.recursive,
            "allOf": lambda schema: {"allOf": [{"description": "x"}, schema]},
            "anyOf": lambda schema: {"anyOf": [schema, schema]},
            "oneOf": lambda schema: {"oneOf": [schema]},
            "then": lambda schema: {**CONDITION, "then": schema},
            "else": lambda schema: {**CONDITION, "then": {"description": "x"}, "else": schema},
        }

    def members(self):
        """Return the ways to say something of the member `x1`, by name; each takes its schema."""
        other = {"other": {"type": "boolean"}}
        return {
            "properties": lambda schema: {"type": "object", "properties": {"x1": schema, **other}},
            "patternProperties": lambda schema: {"patternProperties": {"^x[0-9]+$": schema, "^y": {"type": "array"}}},
            "additionalProperties": lambda schema: {"properties": other, "additionalProperties": schema},
            "unevaluatedProperties": lambda schema: {"properties": other, "unevaluatedProperties": schema},
            "dependentSchemas": lambda schema: {"dependentSchemas": {"other": {"properties": {"x1": schema}}}},
        }

    def whole(self, schema):
        """Return a schema with its definitions."""
        return {**schema, "$defs": self.defs}


def stated(kind):
    """Return the schemas that allow just one type."""
    return [{"type": kind}, {"type": [kind]}, {"const": EXAMPLES[kind]}, {"enum": [EXAMPLES[kind]]}]


def items():
    """Return the ways to say something of the second item of a list, by name; each takes its schema."""
    return {
        "items": lambda schema: {"type": "array", "items": schema},
        "prefixItems": lambda schema: {"prefixItems": [{"type": "array"}, schema], "items": {"type": "array"}},
        "items after prefixItems": lambda schema: {"prefixItems": [{"type": "array"}], "items": schema},
        "a list of items": lambda schema: {"items": [{"type": "array"}, schema]},
        "additionalItems": lambda schema: {"items": [{"type": "array"}], "additionalItems": schema},
    }
