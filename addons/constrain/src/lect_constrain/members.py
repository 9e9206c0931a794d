"""The members of an object, or the arguments of a call: which there are, and how many."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from lect import MessageError
from lect_constrain.characters import Ranges, outside, shared, written
from lect_constrain.nodes import EMPTY, Node, Rep, alt, seq
from lect_constrain.order import keys
from lect_constrain.patterns import beginning

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from typing import Any

    from lect_constrain.lost import Keywords, Lost

LONGEST = 48
"""How many further characters a key without quotes has."""


class UnwritableError(MessageError):
    """A value that must be there, and that its format cannot write."""


class MemberWriter(Protocol):
    """How a notation writes one member."""

    lost: Lost
    separator: Node
    none: str
    is_sorted: bool

    def can_write(self, name: str) -> bool:
        """Return whether a member may have this name."""

    def member(self, name: str, schema: Any, path: str) -> Node:
        """Return a member with its name."""

    def further(self, pattern: str | None, names: Collection[str], schema: Any, path: str) -> Node | None:
        """Return a member with any name that fits a pattern, and is none of the names; None if it cannot be written."""


def members(words: Keywords, writer: MemberWriter) -> Node:
    """Return the members of an object.

    Raises:
        UnwritableError: If one that is required cannot be written.
    """
    properties: Mapping[str, Any] = words.get("properties", {})
    required, path, lost = {*words.get("required", ())}, words.path, writer.lost
    names = sorted(properties, key=str.lower) if writer.is_sorted else [*properties]
    pairs = []
    for name in names:
        here = f"{path}/properties/{name}"
        try:
            if not writer.can_write(name):
                raise UnwritableError(f"the key {name!r} at {path or '/'} would not be read\n  try: another name")
            pairs.append((writer.member(name, properties[name], here), name in required))
        except UnwritableError:
            if name in required:
                raise
            lost.tight.append(here)
    free = _further(words, writer, names)
    low, high = words.get("minProperties", 0), words.get("maxProperties")
    if free is not None and low > 1:
        # A name may come twice.
        lost.loose.append(f"{path}/minProperties")
    row = keys(words, pairs, writer.separator, lost, free, (low, high), writer.none)
    if row is None:
        raise UnwritableError(f"too few members at {path or '/'} can be written\n  try: properties with names")
    return row


def _further(words: Keywords, writer: MemberWriter, names: Collection[str]) -> Node | None:
    """Return a member whose name is free; None if there is none."""
    patterns: Mapping[str, Any] = words.get("patternProperties", {})
    extra, path = words.get("additionalProperties", True), words.path
    found = []
    for pattern, schema in patterns.items():
        here = f"{path}/patternProperties/{pattern}"
        node = writer.further(pattern, names, schema, here)
        found += [] if node is None else [node]
        writer.lost.tight += [here] * (node is None)
    if not are_apart(patterns, names):
        writer.lost.loose.append(f"{path}/patternProperties")
    if extra is not False:
        # What fits none of the patterns cannot be said.
        node = (
            None
            if patterns
            else writer.further(None, names, {} if extra is True else extra, f"{path}/additionalProperties")
        )
        found += [] if node is None else [node]
        writer.lost.tight += [f"{path}/additionalProperties"] * (node is None)
    return alt(found) if found else None


def are_apart(patterns: Collection[str], names: Collection[str] = ()) -> bool:
    """Return whether no key fits two patterns, or is one of the names and fits one: all begin differently."""
    starts = [*map(beginning, patterns), *names]
    alone = len(starts) < 2 or not patterns
    return alone or not any(
        one.startswith(other) for index, one in enumerate(starts) for at, other in enumerate(starts) if at != index
    )


def other_than(names: Collection[str], chars: Ranges, quote: str, first: Ranges | None = None) -> Node:
    """Return the texts of some characters that are none of the names.

    `first` is what they begin with, if they must not be empty; then they are not long either, as readers know words.
    """
    anything = Rep(written(chars, quote), 0, None if first is None else LONGEST)

    def rest(left: tuple[str, ...], allowed: Ranges, *, is_begun: bool) -> Node:
        if is_begun and not left:
            return anything
        heads = sorted({name[0] for name in left if name})
        others = shared(allowed, outside(tuple((ord(head), ord(head)) for head in heads)))
        found = [seq(written(others, quote), anything)] if others else []
        for head in heads:
            code = shared(allowed, ((ord(head), ord(head)),))
            if code:
                further = rest(tuple(name[1:] for name in left if name[:1] == head), chars, is_begun=True)
                found.append(seq(written(code, quote), further))
        return alt([*found, EMPTY] if is_begun and "" not in left else found)

    return rest(tuple(names), chars if first is None else first, is_begun=first is None)
