"""The types of a template's variables, by what its text does with them.

A variable that is only asked whether it is true, or compared with `true` and `false`, is a truth value; one that is
compared with texts is a text. What is printed, looped over or handed on may be anything.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from jinja2 import nodes

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

ABOUT_ANYTHING = frozenset({"defined", "undefined", "none"})
BY_TEST = {"true": bool, "false": bool, "boolean": bool, "string": str}
Use = type | None
"""The type that one use of a variable tells; None if it may be of any."""


def types_of(found: Sequence[nodes.Node]) -> dict[str, type]:
    """Return the type of each variable that shows one, by its name."""
    parents = {id(child): node for node in found for child in node.iter_child_nodes()}
    uses: dict[str, set[Use]] = {}
    given_on: dict[str, set[str]] = {}
    for node in found:
        if isinstance(node, nodes.Name) and node.ctx == "load":
            told, target = _told(node, parents)
            uses.setdefault(node.name, set()).update(told)
            if target:
                given_on.setdefault(node.name, set()).add(target)
    for name, targets in given_on.items():
        uses[name].update(*(uses.get(target, ()) for target in targets))
    # A text is often asked first whether it is there.
    found_types = {name: told - {bool} if str in told else told for name, told in uses.items()}
    return {name: kind for name, told in found_types.items() if len(told) == 1 and (kind := next(iter(told)))}


def _told(node: nodes.Node, parents: dict[int, nodes.Node]) -> tuple[set[Use], str]:
    """Return what the use of an expression tells about its type, and the variable that it is assigned to."""
    parent = parents.get(id(node))
    if isinstance(parent, nodes.Test):
        return (set() if parent.name in ABOUT_ANYTHING else {BY_TEST.get(parent.name)}), ""
    if isinstance(parent, nodes.Operand):
        node, parent = parent, parents.get(id(parent))
    if isinstance(parent, nodes.Compare):
        return {_compared(parent, node) if len(parent.ops) == 1 else None}, ""
    if isinstance(parent, nodes.Not) or getattr(parent, "test", None) is node:
        return {bool}, ""
    if isinstance(parent, nodes.And | nodes.Or | nodes.CondExpr):
        return _told(parent, parents)
    if isinstance(parent, nodes.Filter) and parent.name in ("default", "d") and parent.node is node:
        told, target = _told(parent, parents)
        return told | {type(arg.value) for arg in parent.args[:1] if isinstance(arg, nodes.Const) and arg.value}, target
    if isinstance(parent, nodes.Assign) and isinstance(parent.target, nodes.Name):
        return set(), parent.target.name
    return {None}, ""


def _compared(compare: nodes.Compare, side: nodes.Node) -> Use:
    """Return the type of the constants with which an expression is compared, if they have one."""
    other = compare.ops[0].expr if side is compare.expr else compare.expr
    kinds = {type(value) for value in _values(other) if value is not None}
    kinds.discard(type(None))
    return next(iter(kinds)) if len(kinds) == 1 and kinds <= {bool, str} else None


def _values(node: nodes.Node) -> Iterator[object]:
    items: Iterable[nodes.Node] = node.items if isinstance(node, nodes.List | nodes.Tuple) else [node]
    for item in items:
        yield item.value if isinstance(item, nodes.Const) else item
