"""What fits a schema: values that are spelled out, and whether there are any."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from math import ceil, floor
from typing import Any

from lect.addon import json_schema
from lect_constrain.schema import OF_TYPES, Schema, matches, types_of

FITS: dict[str, Callable[[Any, Any], bool]] = {
    "minimum": lambda value, bound: value >= bound,
    "maximum": lambda value, bound: value <= bound,
    "exclusiveMinimum": lambda value, bound: value > bound,
    "exclusiveMaximum": lambda value, bound: value < bound,
    "multipleOf": lambda value, factor: Fraction(repr(value)) % Fraction(repr(factor)) == 0,  # As it is written.
    "minLength": lambda value, bound: len(value) >= bound,
    "maxLength": lambda value, bound: len(value) <= bound,
    "pattern": lambda value, pattern: matches(pattern, value),
}
"""The keywords by which a value that is spelled out is checked."""
MOST_DEPENDENT = 4
"""How many keys of an object may require others: each takes two branches."""


def exclude_each_other(one: Schema, other: Schema, defs: Mapping[str, Schema]) -> bool:
    """Return whether no value that is written for one schema fits the other too, nor the reverse."""
    one, other = (defs.get(each.get("$ref", "").removeprefix("#/$defs/"), each) for each in (one, other))
    if "anyOf" in one or "anyOf" in other:
        pairs = [(mine, theirs) for mine in one.get("anyOf", [one]) for theirs in other.get("anyOf", [other])]
        return all(exclude_each_other(*pair, defs) for pair in pairs)
    kinds = [{*map(wider, each["enum"])} if "enum" in each else {*types_of(each)} for each in (one, other)]
    kinds = [each | {"number"} if "integer" in each else each for each in kinds]
    if not kinds[0] & kinds[1]:
        return True
    if "enum" in one and "enum" in other:
        return not any(same(mine, theirs) for mine in one["enum"] for theirs in other["enum"])
    if kinds[0] & kinds[1] != {"object"}:
        return False
    shared = {*one.get("required", ())} & {*other.get("required", ())}
    if any(exclude_each_other(one["properties"][name], other["properties"][name], defs) for name in shared):
        return True
    return all(
        mine.get("additionalProperties") is False
        and "patternProperties" not in mine
        and not {*theirs.get("required", ())} <= {*mine.get("properties", ())}
        for mine, theirs in ((one, other), (other, one))
    )


def depending(schema: Schema) -> list[Schema] | None:
    """Return the branches of an object in which a key requires others; None if they cannot be told apart."""
    given, properties = schema["dependentRequired"], schema.get("properties", {})
    is_open = schema.get("additionalProperties", False) is not False or "patternProperties" in schema
    if not isinstance(given, Mapping) or len(given) > MOST_DEPENDENT or is_open or not properties:
        return None
    rest = {word: value for word, value in schema.items() if word != "dependentRequired"}
    further = {name: needs for name, needs in given.items() if name in properties}
    if not further:
        return [rest]
    name, needs = further.popitem()
    rest |= {"dependentRequired": further} if further else {}
    wanted = [*schema.get("required", ())]
    found = [{**rest, "required": [*dict.fromkeys([*wanted, name, *needs])]}]
    if {*needs} - {*properties}:
        found = []
    if name not in wanted:
        found.append({**rest, "properties": {each: value for each, value in properties.items() if each != name}})
    return found or None


def has_integer(schema: Schema) -> bool:
    """Return whether an integer is between the bounds of a schema."""
    lows = [ceil(schema["minimum"])] if "minimum" in schema else []
    lows += [floor(schema["exclusiveMinimum"]) + 1] if "exclusiveMinimum" in schema else []
    highs = [floor(schema["maximum"])] if "maximum" in schema else []
    highs += [ceil(schema["exclusiveMaximum"]) - 1] if "exclusiveMaximum" in schema else []
    return not lows or not highs or max(lows) <= min(highs)


def fits_beside(value: Any, schema: Schema) -> bool:
    """Return whether a value that is spelled out fits the keywords beside it."""
    kind = {"integer": "number"}.get(json_schema.kind_of(value), json_schema.kind_of(value))
    return all(fits(value, schema[word]) for word, fits in FITS.items() if word in schema and kind in OF_TYPES[word])


def same(one: Any, other: Any) -> bool:
    """Return whether two values are equal; true is not one."""
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(value, other[name]) for name, value in one.items())
    return bool(one == other) and isinstance(one, bool) == isinstance(other, bool)


def is_finite(schema: Any, defs: Mapping[str, Schema]) -> bool:
    """Return whether some value of a normal schema ends: none does if all refer to themselves."""
    ended: set[str] = set()

    def ends(part: Any) -> bool:
        if not isinstance(part, Mapping):
            return True
        if "$ref" in part:
            return part["$ref"].removeprefix("#/$defs/") in ended
        if "anyOf" in part:
            return any(map(ends, part["anyOf"]))
        types = types_of(part)
        if "enum" in part or {*types} - {"array", "object"}:
            return True
        is_list = all(map(ends, part.get("prefixItems", ())[: part.get("minItems", 0)])) and (
            part.get("minItems", 0) <= len(part.get("prefixItems", ())) or ends(part.get("items", {}))
        )
        is_object = all(ends(part["properties"][name]) for name in part.get("required", ()))
        return ("array" in types and is_list) or ("object" in types and is_object)

    while more := {name for name, each in defs.items() if name not in ended and ends(each)}:
        ended |= more
    return ends(schema)


def wider(value: Any) -> str:
    """Return the other type that a number has."""
    kind = json_schema.kind_of(value)
    return "number" if kind == "integer" else "integer" if kind == "number" and float(value).is_integer() else kind


def closing(schema: Schema, other: Schema) -> Schema:
    """Return a schema in which what `additionalProperties` of another says of its members is said of them too."""
    rest, patterns = other.get("additionalProperties", True), other.get("patternProperties", {})
    if rest is True:
        return schema
    named, found = other.get("properties", {}), dict(schema)
    if "properties" in schema:
        found["properties"] = {
            name: each
            if name in named or any(matches(pattern, name) for pattern in patterns)
            else (False if False in (rest, each) else {"allOf": [each, rest]})
            for name, each in schema["properties"].items()
        }
    if not schema.get("patternProperties", {}).keys() <= patterns.keys():
        # Which keys both are about is not found out, and so it is told.
        found["allOf/additionalProperties"] = rest
    return found
