"""The keys of an object, or the arguments of a call, in a row: in the order of the schema, or in any."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lect_constrain.nodes import EMPTY, Lit, Node, Ref, alt, seq
from lect_constrain.schema import ANY_ORDER

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    Pair = tuple[Node, bool]
    """What is written for a key, and whether it is required."""

MOST = 4
"""How many keys may come in any order: it takes a rule for each set of them."""


def keys(
    schema: Mapping[str, Any], pairs: Sequence[Pair], separator: Node, dropped: list[str], path: str, none: str = ""
) -> Node:
    """Return the keys of an object, with a separator between those that are there; `none` is for none of them.

    If the schema asks for any order, and there are too many keys, that goes to `dropped`.
    """
    if ANY_ORDER not in schema:
        return in_order(pairs, separator, none)
    if len(pairs) <= MOST:
        return in_any_order(pairs, separator, none)
    dropped.append(f"{path}/{ANY_ORDER}")
    return in_order(pairs, separator, none)


def in_order(pairs: Sequence[Pair], separator: Node, none: str) -> Node:
    """Return keys in their order.

    It is as long as the list: what may follow a key is the same whatever came before it.
    """
    following: Node | None = None
    """What may come after a key that is there."""
    beginning: Node = Lit(none) if none else EMPTY
    """What may come if nothing is there yet."""
    for pair, required in reversed(pairs):
        whole = pair if following is None else seq(pair, following)
        further = seq(separator, whole)
        if required:
            beginning, following = whole, further
        else:
            beginning = alt([whole, beginning])
            following = alt([further, EMPTY if following is None else following])
    return beginning


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
