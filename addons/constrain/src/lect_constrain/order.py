"""The keys of an object, or the arguments of a call, in a row: in the order of the schema, or in any."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from lect_constrain.nodes import EMPTY, Lit, Node, Ref, Rep, alt, seq
from lect_constrain.schema import ANY_ORDER

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lect_constrain.lost import Keywords, Lost

    Pair = tuple[Node, bool]
    """What is written for a key, and whether it is required."""
    Count = tuple[int, int | None]
    """How many keys there are at least, and at most."""

MOST = 4
"""How many keys may come in any order: it takes a rule for each set of them."""


def keys(
    words: Keywords,
    pairs: Sequence[Pair],
    separator: Node,
    lost: Lost,
    free: Node | None = None,
    count: Count = (0, None),
    none: str = "",
) -> Node | None:
    """Return the keys of an object, with a separator between those that are there; None if there cannot be enough.

    If the schema asks for any order, and there are too many keys, or some that have no names, that is lost.

    Args:
        words: The schema.
        pairs: The keys that have names.
        separator: What is between two.
        lost: What is not honoured.
        free: A key without a name, of which there may be several, after the others.
        count: How many there may be.
        none: What is written for none of them.
    """
    low, high = count
    is_counted = low > sum(required for _, required in pairs) or (high is not None and (free or high < len(pairs)))
    if words.get(ANY_ORDER):
        if len(pairs) <= MOST and free is None and not is_counted:
            return in_any_order(pairs, separator, none)
        lost.loose.append(f"{words.path}/{ANY_ORDER}")
    return counted(pairs, separator, none, free, count) if is_counted else in_order(pairs, separator, none, free)


def in_order(pairs: Sequence[Pair], separator: Node, none: str, free: Node | None = None) -> Node:
    """Return keys in their order, those without names at the end.

    It is as long as the list: what may follow a key is the same whatever came before it.
    """
    following: Node | None = None if free is None else Rep(seq(separator, free), 0, None)
    """What may come after a key that is there."""
    beginning: Node = Lit(none) if none else EMPTY
    """What may come if nothing is there yet."""
    if free is not None and following is not None:
        beginning = alt([seq(free, following), beginning])
    for pair, required in reversed(pairs):
        whole = pair if following is None else seq(pair, following)
        further = seq(separator, whole)
        if required:
            beginning, following = whole, further
        else:
            beginning = alt([whole, beginning])
            following = alt([further, EMPTY if following is None else following])
    return beginning


def counted(pairs: Sequence[Pair], separator: Node, none: str, free: Node | None, count: Count) -> Node | None:
    """Return keys in their order, so many of them; None if there cannot be so many."""
    low, high = count

    @cache
    def rest(at: int, there: int) -> Node | None:
        """Return what may come from a key on, after so many that are there."""
        if at == len(pairs):
            return end(there)
        pair, required = pairs[at]
        found = [] if required else [rest(at + 1, there)]
        if high is None or there < high:
            further = rest(at + 1, there + 1)
            found.append(None if further is None else seq(separator if there else EMPTY, pair, further))
        left = [each for each in found if each is not None]
        return alt(left) if left else None

    def end(there: int) -> Node | None:
        if free is None or there == high:
            return (Lit(none) if not there and none else EMPTY) if there >= low else None
        least, most = max(low - there, 0), None if high is None else high - there
        if there:
            return Rep(seq(separator, free), least, most)
        some = seq(free, Rep(seq(separator, free), max(least - 1, 0), None if most is None else most - 1))
        return some if least else alt([some, Lit(none)])

    return rest(0, 0)


def in_any_order(pairs: Sequence[Pair], separator: Node, none: str) -> Node:
    """Return keys in any order, each at most once: a rule for each set of keys that may still come."""
    rules: dict[str, Node] = {f"key {at}": pair for at, (pair, _) in enumerate(pairs)}

    def rest(left: tuple[int, ...]) -> Node:
        """Return what may come while these keys have not."""
        begun, name = len(left) < len(pairs), f"rest {left}"
        if left and name not in rules:
            before, end = (separator, EMPTY) if begun else (EMPTY, Lit(none))
            rows = [
                seq(before, Ref(f"key {at}", rules), rest(tuple(each for each in left if each != at))) for at in left
            ]
            rules[name] = alt(rows if any(pairs[at][1] for at in left) else [*rows, end])
        return Ref(name, rules) if left else EMPTY

    return rest(tuple(range(len(pairs))))
