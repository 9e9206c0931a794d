"""Which ways a template has taken: both outcomes of each of its conditions, or not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from jinja2 import nodes
from jinja2.visitor import NodeTransformer

from lect.plugin import SPELLINGS
from lect_jinja.engine.access import Function
from lect_jinja.engine.environment import ENVIRONMENT
from lect_jinja.engine.reading import constants_in, key_of
from lect_jinja.engine.run import generated
from lect_jinja.identity.template import JinjaTemplate

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lect_jinja.engine.context import GuardedContext

NOTED = "lect_noted"
"""The name of our function in the template."""
OF_SHAPE = frozenset({
    "defined", "undefined", "none", "string", "mapping", "iterable", "sequence", "number", "integer", "float",
    "boolean",
})  # fmt: skip
"""Tests of the shape of a value. Messages and tools are put right before a template gets them: they have one shape."""
KEYS = frozenset({"function", "type", *SPELLINGS})
"""Keys that every call, tool and part has or lacks, for the same reason."""
OPERATORS = {"eq": "==", "ne": "!=", "gt": ">", "gteq": ">=", "lt": "<", "lteq": "<=", "in": "in", "notin": "not in"}


class Branch(NamedTuple):
    """A condition, and the outcome that it never had."""

    line: int
    condition: str
    outcome: bool

    def __str__(self) -> str:
        return f"line {self.line}: `{self.condition}` was never {'true' if self.outcome else 'false'}"


class WatchedTemplate(JinjaTemplate):
    """A template that notes which outcomes its conditions have, and writes the same."""

    __slots__ = ("_conditions", "_seen")

    _conditions: list[nodes.Expr]
    _seen: set[tuple[int, bool]]

    def __init__(self, name: str, jinja: Any, **stated: Any):
        super().__init__(name, jinja, **stated)
        watching = _Watching()
        root, lines, _ = generated(watching.visit(ENVIRONMENT.parse(jinja)))
        self._code = self._code._replace(root=root, lines=lines)
        self._conditions, self._seen = watching.conditions, set()

    def _variables(self, chat: Any) -> dict[str, Any]:
        return {**super()._variables(chat), NOTED: Function(self._note)}

    def _note(self, _: GuardedContext, value: Any, number: int) -> Any:
        self._seen.add((number, bool(value)))
        return value

    def taken(self) -> tuple[int, int]:
        """Return how many outcomes of conditions there were, and how many there could have been."""
        never = len(list(self.never()))
        return len(self._seen), len(self._seen) + never

    def never(self) -> Iterator[Branch]:
        """Yield the outcomes that there never were, except those of the shape of what is put right before."""
        for number, condition in enumerate(self._conditions):
            if not _is_of_shape(condition):
                for outcome in (True, False):
                    if (number, outcome) not in self._seen:
                        yield Branch(condition.lineno, spelled(condition), outcome)


class _Watching(NodeTransformer):
    """Wraps the conditions of a tree, down to what `and`, `or` and `not` connect."""

    def __init__(self) -> None:
        self.conditions: list[nodes.Expr] = []

    def visit_If(self, node: nodes.If | nodes.CondExpr) -> nodes.Node:  # noqa: N802
        """Watch the condition of a statement or an expression."""
        self.generic_visit(node)
        node.test = self._watched(node.test)
        return node

    visit_CondExpr = visit_If  # noqa: N815

    def visit_For(self, node: nodes.For) -> nodes.Node:  # noqa: N802
        """Watch the condition of a loop."""
        self.generic_visit(node)
        node.test = node.test and self._watched(node.test)
        return node

    def visit_And(self, node: nodes.And | nodes.Or) -> nodes.Node:  # noqa: N802
        """Watch what decides whether the other side is asked; the last one gives the value."""
        self.generic_visit(node)
        node.left = self._watched(node.left)
        return node

    visit_Or = visit_And  # noqa: N815

    def _watched(self, condition: Any) -> Any:
        if isinstance(condition, nodes.And | nodes.Or):
            # Its left side is watched already.
            condition.right = self._watched(condition.right)
            return condition
        if isinstance(condition, nodes.Not):
            condition.node = self._watched(condition.node)
            return condition
        if isinstance(condition, nodes.Const) or _is_watched(condition):
            return condition
        number = nodes.Const(len(self.conditions))
        self.conditions.append(condition)
        return nodes.Call(nodes.Name(NOTED, "load"), [condition, number], [], None, None, lineno=condition.lineno)


def _is_watched(node: nodes.Expr) -> bool:
    return isinstance(node, nodes.Call) and isinstance(node.node, nodes.Name) and node.node.name == NOTED


def _is_of_shape(condition: nodes.Expr) -> bool:
    """Return whether a condition asks only for the shape of a value, or for a key that is always there or never."""
    if isinstance(condition, nodes.Compare):
        return condition.ops[0].op in ("in", "notin") and not KEYS.isdisjoint(constants_in(condition.expr))
    return (isinstance(condition, nodes.Test) and condition.name in OF_SHAPE) or key_of(condition) in KEYS


def spelled(node: nodes.Node | None) -> str:
    """Return an expression as a template spells it, shortened."""
    if isinstance(node, nodes.Name):
        return node.name
    if isinstance(node, nodes.Const):
        return repr(node.value)
    if isinstance(node, nodes.Getattr):
        return f"{spelled(node.node)}.{node.attr}"
    if isinstance(node, nodes.Getitem):
        return f"{spelled(node.node)}[{spelled(node.arg)}]"
    if isinstance(node, nodes.Test):
        return f"{spelled(node.node)} is {node.name}"
    if isinstance(node, nodes.Filter):
        return f"{spelled(node.node)} | {node.name}"
    if isinstance(node, nodes.Compare):
        return spelled(node.expr) + "".join(f" {OPERATORS[each.op]} {spelled(each.expr)}" for each in node.ops)
    if _is_watched(node):  # type: ignore[arg-type]
        return spelled(node.args[0])  # type: ignore[union-attr]
    if isinstance(node, nodes.Call):
        return f"{spelled(node.node)}({', '.join(map(spelled, node.args))})"
    if isinstance(node, nodes.List | nodes.Tuple):
        return f"[{', '.join(map(spelled, node.items))}]"
    return "..."
