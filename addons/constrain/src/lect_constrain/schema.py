"""JSON Schemas in a normal form that all writers share, or an error before any engine sees them.

In it every reference is `#/$defs/...`, `allOf` and what stands beside `anyOf` or `$ref` are merged, annotations are
gone, and objects with properties take no others unless the schema says so, as servers read tools.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from lect import LimitError, MessageError
from lect.errors import saferepr
from lect.json_schema import kind_of, target

Schema = dict[str, Any]

MOST, DEEPEST = 20_000, 64
"""How many subschemas a schema may have, and how deep they may be nested."""
TYPES = ("string", "integer", "number", "boolean", "null", "array", "object")
ANNOTATIONS = {
    "title", "description", "default", "examples", "$comment", "deprecated", "readOnly", "writeOnly", "$schema", "$id",
    "$anchor", "nullable", "strict",
}  # fmt: skip
ONE = {
    "items", "additionalProperties", "not", "contains", "propertyNames", "if", "then", "else", "unevaluatedProperties",
    "unevaluatedItems",
}  # fmt: skip
"""The keywords whose value is a schema."""
KNOWN = frozenset([
    "type", "enum", "properties", "required", "additionalProperties", "items", "prefixItems", "minItems", "maxItems",
    "anyOf", "$ref", "$defs", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "pattern", "format",
    "minLength", "maxLength",
])  # fmt: skip
"""The keywords that every writer honours."""
ANY_ORDER = "any_order"
"""The keyword that objects of several keys have in the normal form if their keys may come in any order."""
NAMED = ("properties", "patternProperties", "dependentSchemas")
HIGHEST = ("minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties")
LOWEST = ("maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties")
BOUNDS = (
    ("minimum", "maximum"),
    ("minLength", "maxLength"),
    ("minItems", "maxItems"),
    ("minProperties", "maxProperties"),
)


class ContradictionError(MessageError):
    """A schema that no value fits."""


def normal(schema: Any, where: str, *, any_order: bool = False) -> Schema:
    """Return a schema in its normal form; `where` names it in errors.

    Raises:
        MessageError: If it is not a schema, refers to nothing, or no value fits it.
        LimitError: If it is too large or too deep.
    """
    return _Normal(schema, where, any_order).result()


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

    if not isinstance(schema, dict):
        return schema
    found: Schema = {}
    for word, value in schema.items():
        # Definitions are those of the whole schema, wherever a part of it is written.
        here = "/$defs" if word == "$defs" else f"{path}/{word}"
        if word not in known or (unless and unless(word, schema)):
            dropped.append(here)
        elif word in (*NAMED, "$defs"):
            found[word] = {name: inner(each, f"{here}/{name}") for name, each in value.items()}
        elif word in ("anyOf", "prefixItems"):
            found[word] = [inner(each, f"{here}/{index}") for index, each in enumerate(value)]
        else:
            found[word] = inner(value, here) if word in ONE else value
    return found


def is_free(schema: Mapping[str, Any]) -> bool:
    """Return whether the keys of an object in a normal schema may come in any order."""
    found: list[str] = []
    kept(schema, frozenset([*KNOWN, *NAMED, *ONE]), found)
    return any(path.endswith(f"/{ANY_ORDER}") for path in found)


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


def types_of(schema: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the types that a normal schema without `anyOf` and `$ref` allows; all of them if it says nothing."""
    stated = schema.get("type", TYPES)
    return (stated,) if isinstance(stated, str) else tuple(stated)


class _Normal:
    def __init__(self, schema: Any, where: str, any_order: bool):
        self.root, self.where, self.any_order = schema, where, any_order
        self.names: dict[str, str] = {}
        self.defs: Schema = {}
        self.count = 0

    def result(self) -> Schema:
        found = self.node(self.root, "", 0)
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
        schema = self.merged(schema, path, depth)
        for word in ("anyOf", "oneOf"):
            if word in schema:
                return self.union(schema, word, path, depth)
        return self.checked(self.inside(schema, path, depth), path)

    def plain(self, schema: Any, path: str) -> Schema:
        if not isinstance(schema, Mapping) or not all(isinstance(word, str) for word in schema):
            msg = f"the schema of {self.where} is wrong at {path or '/'}: {saferepr(schema)}; expected an object"
            raise MessageError(msg)
        kept = {word: value for word, value in schema.items() if word not in ANNOTATIONS}
        return {word: value for word, value in kept.items() if word not in ("$defs", "definitions")}

    def target(self, ref: Any, path: str) -> Any:
        """Return what a reference points to."""
        found = target(ref, self.root)
        if found is None:
            msg = f"the schema of {self.where} refers to nothing at {path or '/'}: {saferepr(ref)}"
            raise MessageError(msg)
        return found

    def named(self, ref: str, path: str, depth: int) -> str:
        """Return the name of the definition that a reference points to."""
        if ref not in self.names:
            name = self.names[ref] = f"{len(self.names)}-{ref.rsplit('/', 1)[-1].strip('#') or 'root'}"
            self.defs[name] = {}
            self.defs[name] |= self.node(self.target(ref, path), path, depth + 1)
        return self.names[ref]

    def merged(self, schema: Schema, path: str, depth: int) -> Schema:
        """Return a schema with its `allOf` and `$ref` merged into it."""
        for _ in range(DEEPEST):
            parts = [*schema.pop("allOf", ())]
            if "$ref" in schema:
                parts.append(self.target(schema.pop("$ref"), path))
            if not parts:
                return schema
            for part in parts:
                schema = self.both(schema, self.plain({} if part is True else part, path), path)
        msg = f"the schema of {self.where} refers to itself at {path or '/'}"
        raise ContradictionError(msg)

    def both(self, one: Schema, other: Schema, path: str) -> Schema:
        """Return the schema of what fits two schemas."""
        found = dict(one)
        for word, value in other.items():
            if word not in found or found[word] == value:
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
                mine, theirs = types_of(found), types_of(other)
                # An integer is a number too.
                shared_types = [each for each in TYPES if each in mine and each in theirs]
                if "integer" in (*mine, *theirs) and "number" in (*mine, *theirs) and not shared_types:
                    shared_types = ["integer"]
                found[word] = shared_types or self.refuse(path, "its types exclude each other")
            elif word == "enum":
                found[word] = [each for each in found[word] if each in value]
            elif word in ("anyOf", "oneOf"):
                found[word] = [{"allOf": [mine, theirs]} for mine in found[word] for theirs in value]
            elif word in ONE and word != "not":
                found[word] = {"allOf": [found[word], value]} if False not in (found[word], value) else False
            elif word == "const":
                self.refuse(path, "two constants")
            else:
                found.setdefault("$unmerged", []).append(word)
        return found

    def union(self, schema: Schema, word: str, path: str, depth: int) -> Schema:
        base = {each: value for each, value in schema.items() if each != word}
        found, why = [], None
        for index, branch in enumerate(schema[word] if isinstance(schema[word], list) else ()):
            try:
                part = {"allOf": [base, branch]} if base else branch
                found.append(self.node(part, f"{path}/{word}/{index}", depth + 1))
            except ContradictionError as error:
                why = error
        if not found:
            raise why or ContradictionError(
                f"the schema of {self.where} fits nothing at {path or '/'}: an empty {word}"
            )
        # That only one of `oneOf` fits is for the caller to see to.
        return found[0] if len(found) == 1 else {"anyOf": found}

    def inside(self, schema: Schema, path: str, depth: int) -> Schema:
        """Return a schema with its subschemas in their normal form."""
        found = dict(schema)
        for word in [each for each in found if each in ONE or each == "prefixItems"]:
            here, value = f"{path}/{word}", found[word]
            if word == "prefixItems":
                found[word] = [self.node(each, f"{here}/{index}", depth + 1) for index, each in enumerate(value)]
            elif not (isinstance(value, bool) and word in ("additionalProperties", "items")):
                found[word] = self.node(value, here, depth + 1)
        for word in [each for each in found if each in NAMED]:
            if not isinstance(found[word], Mapping):
                self.plain(found[word], f"{path}/{word}")
            found[word] = {
                name: self.node(each, f"{path}/{word}/{name}", depth + 1) for name, each in found[word].items()
            }
        if "type" not in found:
            implied = [name for word, name in (("properties", "object"), ("items", "array")) if word in found]
            found |= {"type": implied[0]} if implied else {}
        if "properties" in found and "patternProperties" not in found:
            found.setdefault("additionalProperties", False)
        return found

    def checked(self, schema: Schema, path: str) -> Schema:
        """Return a schema if something fits it."""
        types = types_of(schema)
        odd = [each for each in types if each not in TYPES]
        if odd:
            known = ", ".join(TYPES)
            msg = f"the schema of {self.where} is wrong at {path or '/'}: type {odd[0]!r}\n  try: one of {known}"
            raise MessageError(msg)
        for low, high in BOUNDS:
            if {low, high} <= schema.keys() and schema[low] > schema[high]:
                self.refuse(path, f"{low} is above {high}")
        if "const" in schema:
            schema = {
                **schema,
                "enum": [each for each in schema.get("enum", [schema["const"]]) if each == schema["const"]],
            }
            del schema["const"]
        if "enum" in schema:
            values = [each for each in schema["enum"] if {kind_of(each), _wider(each)} & {*types}]
            schema = self.plain_enum(values or self.refuse(path, "no value of its enum has its type"))
        known = schema.get("properties", {})
        if schema.get("additionalProperties") is False and "patternProperties" not in schema:
            missing = [name for name in schema.get("required", ()) if name not in known]
            if missing:
                self.refuse(path, f"{missing[0]!r} is required, and is none of its properties")
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
        msg = f"the schema of {self.where} fits no value at {path or '/'}: {why}"
        raise ContradictionError(msg)


def _wider(value: Any) -> str:
    """Return the other type that a number has."""
    kind = kind_of(value)
    return "number" if kind == "integer" else "integer" if kind == "number" and float(value).is_integer() else kind


def dumped(value: Any) -> str:
    """Return a value as JSON, as templates write it."""
    return json.dumps(value, ensure_ascii=False)
