"""JSON Schemas in a normal form that all writers share, or an error before any engine sees them.

In it every reference is `#/$defs/...`, `allOf` and what stands beside `anyOf` or `$ref` are merged, annotations are
gone, formats are patterns, and objects with properties take no others unless the schema says so, as servers read tools.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from typing import Any

from lect import LimitError, MessageError
from lect.addon import json_schema
from lect.errors import saferepr
from lect_constrain.fitting import (
    FITS,
    closing,
    depending,
    exclude_each_other,
    fits_beside,
    has_integer,
    is_finite,
    same,
    wider,
)
from lect_constrain.formats import format_schema
from lect_constrain.schema import ANY_ORDER, NAMED, OF_TYPES, ONE, TYPES, Schema, matches, misstated, types_of

MOST, DEEPEST = 20_000, 64
"""How many subschemas a schema may have, and how deep they may be nested."""
ANNOTATIONS = {
    "title", "description", "default", "examples", "$comment", "deprecated", "readOnly", "writeOnly", "$schema", "$id",
    "$anchor", "nullable", "strict",
}  # fmt: skip
HIGHEST = ("minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties")
EXCLUSIVE = {"exclusiveMinimum": "minimum", "exclusiveMaximum": "maximum"}
"""In older schemas, such as those of OpenAPI 3.0, whether the bound itself is excluded."""
LOWEST = ("maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties")
BOUNDS = (
    ("minimum", "maximum"),
    ("minimum", "exclusiveMaximum"),
    ("exclusiveMinimum", "maximum"),
    ("exclusiveMinimum", "exclusiveMaximum"),
    ("minLength", "maxLength"),
    ("minItems", "maxItems"),
    ("minProperties", "maxProperties"),
)


MERGED = ONE - {"not", "if", "then", "else", "contains"}
"""The keywords with one schema that, said twice, say the same as once of both schemas."""
UNEVALUATED = "unevaluatedProperties"
IN_PLACE = ("$ref", "allOf", "anyOf", "oneOf", "if", "dependentSchemas")
"""The keywords by which a schema says more of the same value."""


class ContradictionError(MessageError):
    """A schema that no value fits."""


def is_merged(schema: Any) -> bool:
    """Return whether a schema is that of a value of which several say something."""
    return isinstance(schema, Mapping) and "allOf" in schema


def normal(schema: Any, where: str, *, any_order: bool = False, type_name: str | None = None) -> Schema:
    """Return a schema in its normal form; `where` names it in errors, and `type_name` is the type that it must have.

    Raises:
        MessageError: If it is not a schema, refers to nothing, or no value fits it.
        LimitError: If it is too large or too deep.
    """
    return _Normal(schema, where, any_order).result(type_name)


class _Normal:
    def __init__(self, schema: Any, where: str, any_order: bool):
        self.root, self.where, self.any_order = schema, where, any_order
        self.names: dict[str, str] = {}
        self.defs: Schema = {}
        self.count = 0

    def result(self, type_name: str | None) -> Schema:
        is_said = type_name is None or (isinstance(self.root, Mapping) and self.root.get("type") == type_name)
        found = self.node(self.root if is_said else {"allOf": [{"type": type_name}, self.root]}, "", 0)
        if not is_finite(found, self.defs):
            self.refuse("", "it refers to itself without an end")
        return {**found, "$defs": self.defs} if self.defs else found

    def node(self, schema: Any, path: str, depth: int) -> Schema:
        self.count += 1
        if self.count > MOST or depth > DEEPEST:
            what = f"nested deeper than {DEEPEST}" if depth > DEEPEST else f"larger than {MOST:,} subschemas"
            msg = f"the schema of {self.where} is {what}"
            raise LimitError(
                msg, limit="depth" if depth > DEEPEST else "schema", most=DEEPEST if depth > DEEPEST else MOST
            )
        if isinstance(schema, bool):
            if not schema:
                self.refuse(path, "nothing fits `false`")
            return {}
        schema = self.plain(schema, path)
        if schema.keys() == {"$ref"}:
            return {"$ref": f"#/$defs/{self.named(schema['$ref'], path, depth)}"}
        schema = self.merged(schema, path)
        for word in ("anyOf", "oneOf"):
            if word in schema:
                return self.union(schema, word, path, depth)
        if "dependentRequired" in schema and (branches := depending(schema)):
            return self.any_of(self.possible([(each, path) for each in branches], depth))
        return self.checked(self.inside(schema, path, depth), path)

    def plain(self, schema: Any, path: str) -> Schema:
        if not isinstance(schema, Mapping) or not all(isinstance(word, str) for word in schema):
            msg = f"the schema of {self.where} is wrong at {path or '/'}: {saferepr(schema)}; expected an object"
            raise MessageError(msg)
        kept = {word: value for word, value in schema.items() if word not in ANNOTATIONS}
        for exclusive, bound in EXCLUSIVE.items():
            if isinstance(kept.get(exclusive), bool) and kept.pop(exclusive) and bound in kept:
                kept[exclusive] = kept.pop(bound)
        for word, value in kept.items():
            if expected := misstated(word, value):
                msg = f"the schema of {self.where} is wrong at {path or '/'}: {word} is {saferepr(value)}"
                raise MessageError(f"{msg}; expected {expected}")
        if "type" in kept and schema.get("nullable") is True:
            kept["type"] = [*types_of(kept), "null"]
        return {word: value for word, value in kept.items() if word not in ("$defs", "definitions")}

    def target(self, ref: Any, path: str) -> Any:
        """Return what a reference points to."""
        found = json_schema.target(ref, self.root)
        if found is None:
            raise MessageError(f"the schema of {self.where} refers to nothing at {path or '/'}: {saferepr(ref)}")
        return found

    def named(self, ref: str, path: str, depth: int) -> str:
        """Return the name of the definition that a reference points to."""
        if ref not in self.names:
            name = self.names[ref] = f"{len(self.names)}-{ref.rsplit('/', 1)[-1].strip('#') or 'root'}"
            self.defs[name] = {}
            self.defs[name] |= self.node(self.target(ref, path), path, depth + 1)
        return self.names[ref]

    def merged(self, schema: Schema, path: str) -> Schema:
        """Return a schema with all that holds beside it, `allOf` and what it refers to, merged into it."""
        parts = [self.plain(part, path) for part in json_schema.beside([schema], self.root)]
        for part in parts[1:]:
            if UNEVALUATED in part and part.keys().isdisjoint(IN_PLACE):
                # It sees nothing of the other parts.
                rest = part.pop(UNEVALUATED)
                part.setdefault("additionalProperties", rest)
        for part in parts:
            named = [self.target(part.pop("$ref"), path)] if "$ref" in part else []
            for each in (*named, *part.pop("allOf", ())):
                if each is False:
                    self.refuse(path, "nothing fits `false`")
                self.plain({} if each is True else each, path)
        return reduce(lambda one, other: self.both(one, other, path), parts, {})

    def both(self, one: Schema, other: Schema, path: str) -> Schema:
        """Return the schema of what fits two schemas."""
        one, other = closing(one, other), closing(other, one)
        found = dict(one)
        for word, value in other.items():
            if word not in found or same(found[word], value):
                found[word] = value
            elif word in NAMED:
                shared = found[word].keys() & value.keys()
                found[word] = {**found[word], **value} | {
                    name: {"allOf": [found[word][name], value[name]]} for name in shared
                }
            elif word == "required":
                found[word] = [*dict.fromkeys([*found[word], *value])]
            elif word in HIGHEST or word in LOWEST:
                found[word] = max(found[word], value) if word in HIGHEST else min(found[word], value)
            elif word == "type":
                shared_types = json_schema.both(frozenset(types_of(found)), frozenset(types_of(other)))
                listed = [each for each in TYPES if each in shared_types]
                found[word] = listed or self.refuse(path, "its types exclude each other")
            elif word == "enum":
                found[word] = [each for each in found[word] if any(same(each, other) for other in value)]
            elif word in ("anyOf", "oneOf"):
                found[word] = [{"allOf": [mine, theirs]} for mine in found[word] for theirs in value]
            elif word in MERGED:
                found[word] = {"allOf": [found[word], value]} if False not in (found[word], value) else False
            elif word == "const":
                self.refuse(path, "two constants")
            else:
                # Nobody reads it, and so it is told.
                found[f"allOf/{word}"] = value
        return found

    def union(self, schema: Schema, word: str, path: str, depth: int) -> Schema:
        base = {each: value for each, value in schema.items() if each not in (word, UNEVALUATED)}
        given = schema[word] if isinstance(schema[word], list) else ()
        if not given:
            self.refuse(path, f"an empty {word}")
        rest = {UNEVALUATED: schema[UNEVALUATED]} if UNEVALUATED in schema else {}
        parts = [
            ({**rest, "allOf": [base, each]} if base or rest else each, f"{path}/{word}/{at}")
            for at, each in enumerate(given)
        ]
        found = self.possible(parts, depth)
        pairs = [(one, other) for index, one in enumerate(found) for other in found[:index]]
        is_sure = word == "anyOf" or all(exclude_each_other(one, other, self.defs) for one, other in pairs)
        return self.any_of(found) | ({} if is_sure else {word: True})

    def possible(self, parts: list[tuple[Any, str]], depth: int) -> list[Schema]:
        """Return those of some schemas, with their paths, that a value fits."""
        found, why = [], None
        for part, path in parts:
            try:
                found.append(self.node(part, path, depth + 1))
            except ContradictionError as error:
                why = error
        if why and not found:
            raise why
        return found

    @staticmethod
    def any_of(branches: list[Schema]) -> Schema:
        return branches[0] if len(branches) == 1 else {"anyOf": branches}

    def inside(self, schema: Schema, path: str, depth: int) -> Schema:
        """Return a schema with its subschemas in their normal form."""
        found = self.named_members(schema, path, depth)
        for word in [each for each in found if each in ONE or each == "prefixItems"]:
            here, value = f"{path}/{word}", found[word]
            if word == "prefixItems":
                found[word] = [self.node(each, f"{here}/{index}", depth + 1) for index, each in enumerate(value)]
            elif not (isinstance(value, bool) and word in ("additionalProperties", "items")):
                try:
                    found[word] = self.node(value, here, depth + 1)
                except ContradictionError:
                    if word not in ("additionalProperties", "items") or not is_merged(value):
                        raise
                    found[word] = False
        for word in [each for each in found if each in NAMED]:
            members: Schema = {}
            for name, each in found[word].items():
                try:
                    members[name] = self.node(each, f"{path}/{word}/{name}", depth + 1)
                except ContradictionError:
                    if word != "properties" or name in schema.get("required", ()) or not is_merged(each):
                        raise
                    # Each says what it may be, and so it is never there.
                    is_closed = found.get("additionalProperties") is False and "patternProperties" not in found
                    found |= {} if is_closed else {f"properties/{name}": False}
            found[word] = members
        if "type" not in found:
            implied = [name for word, name in (("properties", "object"), ("items", "array")) if word in found]
            found |= {"type": implied[0]} if implied else {}
        converted = format_schema(found.get("format"))
        if converted and "pattern" not in found:
            del found["format"]
            found = self.both(found, converted, path)
        return found

    def named_members(self, schema: Schema, path: str, depth: int) -> Schema:
        """Return a schema in which what is said of members by their names is said of those that have one."""
        for word in NAMED:
            if word in schema and not isinstance(schema[word], Mapping):
                self.plain(schema[word], f"{path}/{word}")
        found, required = dict(schema), [each for each in schema.get("required", ()) if isinstance(each, str)]
        properties, patterns = dict(schema.get("properties", {})), dict(schema.get("patternProperties", {}))
        extra = schema.get("additionalProperties", "properties" not in schema or bool(patterns))
        if "additionalProperties" not in schema:
            # What is beside it has been merged: it says the same.
            extra = schema.get(UNEVALUATED, extra)
        found.pop(UNEVALUATED, None)
        only = (
            self.node(schema["propertyNames"], f"{path}/propertyNames", depth + 1) if "propertyNames" in schema else {}
        )
        if only.keys() - {"type"} == {"pattern"} and not patterns:
            del found["propertyNames"]
            patterns, extra = {only["pattern"]: extra} if extra is not False else {}, False
            properties = {name: each for name, each in properties.items() if matches(only["pattern"], name)}
        elif only.keys() == {"enum"}:
            del found["propertyNames"]
            required = [name for name in only["enum"] if isinstance(name, str)]  # Those that may be there.
            properties = {name: each for name, each in properties.items() if name in required}
        for name in dict.fromkeys([*properties, *required]):
            said = [each for pattern, each in patterns.items() if matches(pattern, name)]
            if name in properties and said:
                properties[name] = {"allOf": [properties[name], *said]}
            elif name not in properties and (said or extra is not False):
                properties[name] = {"allOf": said} if said else extra
        if only.keys() == {"enum"}:
            patterns, extra = {}, False
        never = [name for name, each in properties.items() if each is False and name not in schema.get("required", ())]
        if extra is not False or patterns:
            found |= {f"properties/{name}": False for name in never}
        properties = {name: each for name, each in properties.items() if name not in never}
        if properties or "properties" in schema:
            found["properties"] = properties
        found.pop("patternProperties", None)
        found |= {"patternProperties": patterns} if patterns else {}
        is_object = extra is not True or any(OF_TYPES.get(word) == frozenset({"object"}) for word in found)
        return found | ({"additionalProperties": extra} if is_object else {})

    def checked(self, schema: Schema, path: str) -> Schema:
        """Return a schema if something fits it."""
        types = types_of(schema)
        odd = [each for each in types if each not in TYPES]
        if odd:
            known = ", ".join(TYPES)
            msg = f"the schema of {self.where} is wrong at {path or '/'}: type {odd[0]!r}\n  try: one of {known}"
            raise MessageError(msg)
        schema = {
            word: value for word, value in schema.items() if not OF_TYPES.get(word, frozenset(types)).isdisjoint(types)
        }
        for low, high in BOUNDS:
            if {low, high} <= schema.keys():
                least, most = schema[low], schema[high]
                if least > most or (least == most and "exclusive" in low + high):
                    self.refuse(path, f"{low} is above {high}")
        if types == ("integer",) and not has_integer(schema):
            self.refuse(path, "no integer is between its bounds")
        if "const" in schema:
            schema = {
                **schema,
                "enum": [each for each in schema.get("enum", [schema["const"]]) if same(each, schema["const"])],
            }
            del schema["const"]
        if "enum" in schema:
            values = [each for each in schema["enum"] if {json_schema.kind_of(each), wider(each)} & {*types}]
            values = values or self.refuse(path, "no value of its enum has its type")
            values = [each for each in values if fits_beside(each, schema)]
            rest = {word: value for word, value in schema.items() if word not in ("enum", "type", *FITS)}
            return self.plain_enum(values or self.refuse(path, "no value of its enum fits its other keywords")) | rest
        known = schema.get("properties", {})
        missing = [name for name in schema.get("required", ()) if name not in known]
        if missing:
            self.refuse(path, f"{missing[0]!r} is required, and is none of its properties")
        if schema.get("additionalProperties") is False and "patternProperties" not in schema:
            most = min(len(known), schema.get("maxProperties", len(known)))
            if schema.get("minProperties", 0) > most or most < len({*schema.get("required", ())}):
                self.refuse(path, "no number of its properties fits")
        if schema.get("items") is False and schema.get("minItems", 0) > len(schema.get("prefixItems", ())):
            self.refuse(path, "it has fewer items than minItems")
        is_free = self.any_order and len({*known, *schema.get("required", ())}) > 1
        return {**schema, ANY_ORDER: True} if is_free else schema

    def plain_enum(self, values: list[Any]) -> Schema:
        """Return the schema of given values, in which lists and objects are written out: engines print them tightly."""
        found: list[Schema] = [self.constant(each) for each in values if isinstance(each, list | dict)]
        scalars = [each for each in values if not isinstance(each, list | dict)]
        found += [{"enum": scalars}] if scalars else []
        return found[0] if len(found) == 1 else {"anyOf": found}

    def constant(self, value: Any) -> Schema:
        if isinstance(value, dict):
            properties = {name: self.constant(each) for name, each in value.items()}
            fixed = {"type": "object", "properties": properties, "required": [*value], "additionalProperties": False}
            return self.checked(fixed, "")
        if isinstance(value, list):
            count = len(value)
            fixed = {"type": "array", "items": False, "minItems": count, "maxItems": count}
            return {**fixed, "prefixItems": [self.constant(each) for each in value]} if value else fixed
        return {"enum": [value]}

    def refuse(self, path: str, why: str) -> Any:
        raise ContradictionError(f"the schema of {self.where} fits no value at {path or '/'}: {why}")
