"""What a JSON schema says about a value: the types that it may have, and what is said of its members and items.

A `SchemaView` tells it for a value and its members. `kind_of` is the type of a value, `both` the types that two schemas
allow, `beside` the schemas that hold beside one, by `allOf` and references, and `target` what a reference points to.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import reduce
from typing import Any, NamedTuple

__all__ = ["SchemaView", "beside", "both", "kind_of", "target"]

Types = frozenset[str]
Known = dict[int, frozenset[Types]]  # By the id of a schema.

KINDS: dict[type, str] = {str: "string", bool: "boolean", int: "integer", float: "number", dict: "object"}
KINDS |= {list: "array", type(None): "null"}
NONE: Types = frozenset()
ALL = frozenset(KINDS.values())
NEVER = frozenset({"never"})
"""The types of a value that no type fits."""
DEEPEST = 64
"""How deep unions may be nested."""
UNIONS = ("anyOf", "oneOf")
IMPLIED = {"object": ("properties", "patternProperties", "additionalProperties"), "array": ("items", "prefixItems")}
SPELT = frozenset({"enum", "const"})
IN_PLACE = frozenset({"$ref", "allOf", *UNIONS, "then", "else", "dependentSchemas"})
JOINING = IN_PLACE | {"patternProperties", "unevaluatedProperties", *SPELT}
"""The words that bring in other schemas, and those that may bring in schemas of members; few schemas have any."""
MAPPING = (dict, Mapping)  # Most are, and telling this of a `dict` is fast.
# A pattern with few repetitions, none of them of a group, takes no long time on a short key, whatever they are.
LONGEST_KEY, LONGEST_PATTERN, MOST_REPEATED = 64, 256, 4
NOT_SIMPLE = re.compile(r"\)[*+?{]|\[\[|--|&&|~~|\|\|").search


class SchemaView(NamedTuple):
    """What schemas say about one value, in the branch of each `anyOf`, `oneOf` and `if` around it."""

    root: Any
    """The schema that references begin at."""
    certain: Sequence[Any]
    """The schemas that the value has to fit."""
    branches: Sequence[Any] = ()
    """The schemas that it has to fit if the branch that they are in applies."""

    @property
    def is_known(self) -> bool:
        """Whether anything is said about the value."""
        return bool(self.certain or self.branches)

    def types(self, readings: Sequence[Any] = ()) -> frozenset[Types]:
        """Return the types that the value may have: one set, or one for each way in which branches differ.

        There is none if nothing is said. It is one of the readings, if there are any.
        """
        return self._types(readings, {}, 0) if self.is_known else frozenset()

    def child(self, key: str | int) -> "SchemaView":
        """Return what is said of a member of an object, or of an item of a list."""
        if self._is_alone(JOINING) and isinstance(key, str):
            stated = _mapping(self.certain[0], "properties").get(key, self.certain[0].get("additionalProperties"))
            return SchemaView(self.root, [stated] if _is_schema(stated) else [])
        certain, branches = self._parts()
        inside = [_inside(schema, key) for schema in certain]
        found = [each for sure, _ in inside for each in sure]
        perhaps = [each for _, unsure in inside for each in unsure]
        perhaps += [each for schema in branches for part in _inside(schema, key) for each in part]
        if not any(map(_is_schema, found)):
            word = "unevaluatedItems" if isinstance(key, int) else "unevaluatedProperties"
            found, unsure = ([schema.get(word) for schema in part] for part in (certain, branches))
            # Where a branch that says something does not apply, this does.
            found, perhaps = ([], [*perhaps, *found, *unsure]) if any(map(_is_schema, perhaps)) else (found, unsure)
        return SchemaView(self.root, [*filter(_is_schema, found)], [*filter(_is_schema, perhaps)])

    def names(self) -> dict[str, None]:
        """Return the members that have a name, in order."""
        found = (_mapping(schema, "properties") for part in self._parts() for schema in part)
        return {name: None for properties in found for name in properties if isinstance(name, str)}

    def required(self) -> set[str]:
        """Return the members without which no value fits."""
        return {name for schema in self._parts()[0] for name in _listed(schema, "required") if isinstance(name, str)}

    def _is_alone(self, joining: frozenset[str] = IN_PLACE) -> bool:
        """Return whether one schema says all: it has no words that bring in others."""
        return len(self.certain) == 1 and not self.branches and joining.isdisjoint(self.certain[0])

    def _parts(self) -> tuple[Sequence[Mapping[str, Any]], Sequence[Mapping[str, Any]]]:
        """Return all the schemas of the value: those that it has to fit, and those that depend on a branch."""
        if self._is_alone():
            return self.certain, ()
        certain = beside(self.certain, self.root)
        branches = [*self.branches, *(each for schema in certain for each in _branches(schema, UNIONS))]
        return certain, beside(branches, self.root, UNIONS)

    def _types(self, readings: Sequence[Any], known: Known, depth: int) -> frozenset[Types]:
        if depth > DEEPEST:
            return frozenset({NEVER})
        if self._is_alone() and (told := _stated(self.certain[0], readings)):
            return frozenset({told})
        certain = beside(self.certain, self.root)
        said = [_stated(schema, readings) for schema in certain]
        for union in (schema[word] for schema in certain for word in UNIONS if _listed(schema, word)):
            members = [self._types_in(each, readings, known, depth) for each in union]
            # A member that says nothing allows everything.
            joined = NONE.union(*(types for member in members for types in member)) if all(members) else NONE
            said.append(joined - NEVER or joined)
        must = reduce(both, said, NONE)
        branches = [*self.branches, *(each for schema in certain for each in _branches(schema))]
        inner = {types for each in branches for types in self._types_in(each, readings, known, depth) if types}
        if not must and not inner:
            must = frozenset(kind for kind, words in IMPLIED.items() for schema in certain if schema.keys() & {*words})
        found = frozenset(both(must, each) for each in (*inner, must)) - {NONE}
        return found - {NEVER} or found

    def _types_in(self, schema: Any, readings: Sequence[Any], known: Known, depth: int) -> frozenset[Types]:
        """Return the types in a branch; those of one that contains itself are those of its other parts."""
        if id(schema) not in known:
            known[id(schema)] = frozenset({NONE})
            view = SchemaView(self.root, [schema] if _is_schema(schema) else [])
            known[id(schema)] = view._types(readings, known, depth + 1)
        return known[id(schema)]


def beside(schemas: Iterable[Any], root: Any, unions: Sequence[str] | None = None) -> list[Mapping[str, Any]]:
    """Return schemas with those that hold beside them: what they refer to, and `allOf`; or all their branches."""
    found: dict[int, Mapping[str, Any]] = {}
    left = [*schemas]
    for schema in left:  # It grows.
        if _is_schema(schema) and id(schema) not in found:
            found[id(schema)] = schema
            left += [target(schema.get("$ref"), root), *_listed(schema, "allOf")]
            left += _branches(schema, unions) if unions else ()
    return [*found.values()]


def target(ref: Any, root: Any) -> Any:
    """Return what a reference points to, or None."""
    steps = ref.split("/") if isinstance(ref, str) else ["?"]
    found = root if steps[0] == "#" else None
    for step in steps[1:]:
        name = step.replace("~1", "/").replace("~0", "~")
        if isinstance(found, list):
            found = found[int(name)] if name.isdecimal() and int(name) < len(found) else None
        else:
            found = found.get(name) if isinstance(found, MAPPING) else None
    return found


def kind_of(value: Any) -> str:
    """Return the JSON type of a value."""
    return next((name for kind, name in KINDS.items() if isinstance(value, kind)), "string")


def both(one: Types, other: Types) -> Types:
    """Return the types that two schemas allow; each may say nothing."""
    if not one or not other:
        return one or other
    # An integer is a number too.
    is_integer = "integer" in one | other and all(each & {"integer", "number"} for each in (one, other))
    return (one & other).union({"integer"} if is_integer else ()) or NEVER


def _stated(schema: Mapping[str, Any], readings: Sequence[Any]) -> Types:
    """Return the types that a schema itself names; those of the readings that it allows, if there are any."""
    named = schema.get("type")
    names = (named,) if isinstance(named, str) else [name for name in _listed(schema, "type") if isinstance(name, str)]
    types = ALL.intersection(names)
    if types and schema.get("nullable") is True:  # As OpenAPI 3.0 has it.
        types |= {"null"}
    if SPELT.isdisjoint(schema) and not (types and readings):
        return types
    if readings:
        return both(types, frozenset(kind_of(each) for each in readings if _may_fit(schema, each)) or NEVER)
    spelt = both(types, frozenset(map(kind_of, _values(schema))))
    return types if spelt == NEVER else spelt


def _values(schema: Mapping[str, Any]) -> Sequence[Any]:
    """Return the values that a schema spells out."""
    return [schema["const"]] if "const" in schema else _listed(schema, "enum")


def _may_fit(schema: Mapping[str, Any], value: Any) -> bool:
    """Return whether a schema does not say by the values that it spells out, or by `required`, that one is wrong."""
    spelt = any(each == value and isinstance(each, bool) == isinstance(value, bool) for each in _values(schema))
    needed = [name for name in _listed(schema, "required") if isinstance(name, str)]
    return (spelt or SPELT.isdisjoint(schema)) and not (isinstance(value, dict) and {*needed} - value.keys())


def _branches(schema: Mapping[str, Any], unions: Sequence[str] = ()) -> list[Any]:
    """Return the schemas that apply beside a schema if something else does."""
    found = [each for word in unions for each in _listed(schema, word)]
    return [*found, schema.get("then"), schema.get("else"), *_mapping(schema, "dependentSchemas").values()]


def _inside(schema: Mapping[str, Any], key: str | int) -> tuple[list[Any], list[Any]]:
    """Return what one schema says of a member or of an item, and what it may say of it."""
    if isinstance(key, int):
        spelt = [item for value in _values(schema) if isinstance(value, list) for item in value[key : key + 1]]
        first = _listed(schema, "prefixItems") or _listed(schema, "items")
        rest = schema.get("additionalItems" if _listed(schema, "items") else "items")
        return [first[key] if key < len(first) else rest, {"enum": spelt} if spelt else None], []
    spelt = [value[key] for value in _values(schema) if isinstance(value, dict) and key in value]
    found = [{"enum": spelt}] if spelt else []
    properties = _mapping(schema, "properties")
    found += [properties[key]] if key in properties else []
    matching = [(_matches(pattern, key), each) for pattern, each in _mapping(schema, "patternProperties").items()]
    found += [each for matches, each in matching if matches]
    unsure = [each for matches, each in matching if matches is None]
    unevaluated = schema.get("unevaluatedProperties") if IN_PLACE.isdisjoint(schema) else None
    rest = schema.get("additionalProperties", unevaluated)
    return (found, unsure) if found else ([], [*unsure, rest]) if unsure else ([rest], [])


def _matches(pattern: Any, key: str) -> bool | None:
    """Return whether a key matches a pattern; None if that may take long, or nobody can tell."""
    if not isinstance(pattern, str) or len(key) > LONGEST_KEY or len(pattern) > LONGEST_PATTERN:
        return None
    if NOT_SIMPLE(pattern) or sum(map(pattern.count, "*+?{|")) > MOST_REPEATED:
        return None
    try:
        return re.search(pattern, key) is not None
    except (re.error, OverflowError):
        return None


def _is_schema(value: Any) -> bool:
    """Return whether a value is a schema that says something."""
    return isinstance(value, MAPPING) and bool(value)


def _listed(schema: Mapping[str, Any], word: str) -> Sequence[Any]:
    return value if isinstance(value := schema.get(word), list | tuple) else ()


def _mapping(schema: Mapping[str, Any], word: str) -> Mapping[Any, Any]:
    return value if isinstance(value := schema.get(word), MAPPING) else {}
