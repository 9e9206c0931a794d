"""Tools as a format can write them: definitions that a schema refers to, put where they are meant."""

from __future__ import annotations

from collections.abc import Mapping
from marshal import dumps
from typing import Any

ANYTHING = {"type": "object"}
"""What stands for a definition that contains itself, where it does so."""
DEFINITIONS = ("$defs", "definitions")
MARSHAL = 2
"""The version of the format; later ones look for values that occur twice, which takes longer."""


def refers(schema: Any) -> bool:
    """Return whether a schema may refer to a definition; in a hundredth of the time that walking it takes."""
    try:
        return b"$ref" in dumps(schema, MARSHAL)
    except ValueError:
        return True


def inlined(schema: Mapping[str, Any]) -> tuple[Any, str]:
    """Return a schema without references to its definitions, and what could not be said so; empty if all could."""
    known = {name: each for field in DEFINITIONS for name, each in (schema.get(field) or {}).items()}
    cut: list[str] = []

    def walk(value: Any, inside: tuple[str, ...]) -> Any:
        if isinstance(value, list | tuple):
            return [walk(each, inside) for each in value]
        if not isinstance(value, Mapping):
            return value
        rest = {name: walk(each, inside) for name, each in value.items() if name not in (*DEFINITIONS, "$ref")}
        meant = value.get("$ref")
        if not isinstance(meant, str):
            return rest if meant is None else {**rest, "$ref": walk(meant, inside)}  # a property of that name
        name = meant.rpartition("/")[2]
        if name not in known:
            return {**rest, "$ref": meant}
        if name in inside:
            cut.append(name)
            return {**ANYTHING, **rest}
        # What stands beside a reference says more of this place.
        return {**walk(known[name], (*inside, name)), **rest}

    whole = walk(schema, ())
    return whole, f"; {cut[0]} contains itself, and is cut there to an object" if cut else ""
