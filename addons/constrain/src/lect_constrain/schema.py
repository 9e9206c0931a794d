"""What is known of the keywords of JSON Schemas, and of schemas in their normal form (`lect_constrain.normal`)."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from math import isfinite
from typing import Any

from lect.addon import json_schema

Schema = dict[str, Any]

TYPES = ("string", "integer", "number", "boolean", "null", "array", "object")
ONE = {
    "items", "additionalProperties", "not", "contains", "propertyNames", "if", "then", "else", "unevaluatedProperties",
    "unevaluatedItems",
}  # fmt: skip
"""The keywords whose value is a schema."""
KNOWN = frozenset([
    "type", "enum", "properties", "required", "additionalProperties", "items", "prefixItems", "minItems", "maxItems",
    "anyOf", "$ref", "$defs", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "pattern", "minLength",
    "maxLength", "minProperties", "maxProperties",
])  # fmt: skip
"""The keywords that engines honour themselves."""
ANY_ORDER = "any_order"
"""The keyword that objects of several keys have in the normal form if their keys may come in any order."""
NUMERIC = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")
COUNTS = ("minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties")
NAMED = ("properties", "patternProperties", "dependentSchemas")
REST_OF = {"additionalProperties": "patternProperties", "items": "prefixItems"}
"""Keywords that speak of what others leave: without the other they would speak of everything."""
OF_TYPES = {
    word: types
    for types, words in (
        (frozenset({"string"}), ("minLength", "maxLength", "pattern", "format")),
        (frozenset({"integer", "number"}), (*NUMERIC, "multipleOf")),
        (frozenset({"array"}), ("items", "prefixItems", "minItems", "maxItems", "uniqueItems", "contains")),
        (frozenset({"object"}), (*NAMED, "required", "additionalProperties", "minProperties", "maxProperties")),
        (frozenset({"object"}), ("propertyNames", "dependentRequired")),
    )
    for word in words
}
"""The types that keywords are about: of the others they say nothing."""


def misstated(word: str, value: Any) -> str:
    """Return what the value of a keyword has to be; empty if it is that."""
    kind = json_schema.kind_of(value)
    is_number = kind == "integer" or (kind == "number" and isfinite(value))
    if word in NUMERIC:
        return "" if is_number else "a number"
    if word == "multipleOf":
        return "" if is_number and value > 0 else "a number above 0"
    if word in COUNTS:
        return "" if is_number and value >= 0 and value == int(value) else "an integer, 0 or more"
    return "a regular expression, as text" if word == "pattern" and kind != "string" else ""


def types_of(schema: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the types that a normal schema without `anyOf` and `$ref` allows; all of them if it says nothing."""
    stated = schema.get("type", TYPES)
    return (stated,) if isinstance(stated, str) else tuple(stated)


def kept(
    schema: Any,
    known: frozenset[str],
    dropped: list[str],
    path: str = "",
    *,
    unless: Callable[[str, Schema], bool] | None = None,
) -> Any:
    """Return a normal schema with the keywords that an engine knows; the paths of the others go to `dropped`.

    So do those of which `unless` says, by the schema that they are in, that they are not honoured.
    """

    def inner(part: Any, where: str) -> Any:
        return kept(part, known, dropped, where, unless=unless)

    def is_dropped(word: str) -> bool:
        return word not in known or bool(unless and unless(word, schema))

    if not isinstance(schema, dict):
        return schema
    found: Schema = {}
    for word, value in schema.items():
        # Definitions are those of the whole schema, wherever a part of it is written.
        here = "/$defs" if word == "$defs" else f"{path}/{word}"
        if is_dropped(word):
            dropped.append(here)
        elif (of := REST_OF.get(word, "")) in schema and is_dropped(of):
            dropped.append(here)
            found[word] = True
        elif word in (*NAMED, "$defs"):
            found[word] = {name: inner(each, f"{here}/{name}") for name, each in value.items()}
        elif word in ("anyOf", "prefixItems"):
            found[word] = [inner(each, f"{here}/{index}") for index, each in enumerate(value)]
        else:
            found[word] = inner(value, here) if word in ONE else value
    return found


def parts_of(schema: Any) -> Iterator[Schema]:
    """Yield a normal schema and all schemas in it."""
    if isinstance(schema, dict):
        yield schema
        for word, value in schema.items():
            inner = (
                [*value.values()] if word in (*NAMED, "$defs") else value if word in ("anyOf", "prefixItems") else ()
            )
            for part in [value] if word in ONE else inner:
                yield from parts_of(part)


def has_text(schema: Any) -> bool:
    """Return whether a value of a normal schema may contain a string, or a key, that the schema does not spell out."""
    if not isinstance(schema, dict):
        return schema is not False
    parts = [*schema.get("anyOf", ()), *schema.get("prefixItems", ())]
    parts += [*schema.get("properties", {}).values(), *schema.get("$defs", {}).values()]
    if "enum" in schema or "$ref" in schema:
        return any(map(has_text, schema.get("$defs", {}).values()))
    if parts and not schema.keys() & {"type"}:
        return any(map(has_text, parts))
    types = types_of(schema)
    if "array" in types:
        parts.append(schema.get("items", {}))
    has_free_keys = "object" in types and schema.get("additionalProperties", True) is not False
    return "string" in types or has_free_keys or any(map(has_text, parts))


def matches(pattern: Any, text: str) -> bool:
    """Return whether a pattern of a schema finds something in a text."""
    try:
        return re.search(pattern, text) is not None
    except (re.error, TypeError):
        return False


def dumped(value: Any) -> str:
    """Return a value as JSON, as templates write it."""
    return json.dumps(value, ensure_ascii=False)


def in_order_of_keys(schema: Schema) -> Schema:
    """Return a normal schema whose own keys are in alphabetical order, not those of what is inside."""
    defs = schema.get("$defs", {})

    def ordered(part: Schema, seen: frozenset[str] = frozenset()) -> Schema:
        name = part.get("$ref", "").removeprefix("#/$defs/")
        if name in defs and name not in seen:
            return ordered(defs[name], seen | {name})
        found = dict(part)
        if "properties" in part:
            found["properties"] = dict(sorted(part["properties"].items()))
        if "anyOf" in part:
            found["anyOf"] = [ordered(each, seen) for each in part["anyOf"]]
        return found

    return ordered(schema) | ({"$defs": defs} if defs else {})
