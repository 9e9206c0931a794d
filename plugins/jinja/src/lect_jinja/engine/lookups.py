"""Which names a template reads from outside: on some way through it, before it has set them itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jinja2 import nodes

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    Names = frozenset[str]

IN_LOOPS = frozenset({"loop"})
IN_MACROS = frozenset({"caller", "varargs", "kwargs"})


def names_from_outside(tree: nodes.Template) -> Names:
    """Return the names that a template may read before it has set them.

    `jinja2.meta` also lists names that are set in one branch and read nowhere else.
    """
    reader = _Reader()
    reader.block(tree.body, frozenset())
    return frozenset(reader.found)


class _Reader:
    """Goes through statements as they run, with the names that are certainly set by then."""

    def __init__(self) -> None:
        self.found: set[str] = set()

    def block(self, body: Iterable[nodes.Node], known: Names) -> Names | None:
        """Read statements; return the names that are set after them, None if nothing after them is run."""
        for statement in body:
            visit = getattr(self, f"_{type(statement).__name__}", self._others)
            after: Names | None = visit(statement, known)
            if after is None:
                return None
            known = after
        return known

    def _read(self, known: Names, *expressions: nodes.Node | None) -> None:
        for expression in expressions:
            if isinstance(expression, nodes.Name):
                self.found |= {expression.name} - known
            elif expression is not None:
                self._read(known, *expression.iter_child_nodes())

    def _others(self, node: nodes.Node, known: Names) -> Names:
        self._read(known, node)
        return known

    def _Output(self, node: nodes.Output, known: Names) -> Names | None:  # noqa: N802 - as Jinja2 names it
        self._read(known, node)
        return None if any(map(_raises, node.nodes)) else known

    def _Break(self, node: nodes.Node, known: Names) -> None:  # noqa: N802
        pass

    _Continue = _Break

    def _If(self, node: nodes.If, known: Names) -> Names | None:  # noqa: N802
        ends = []
        for branch in (node, *node.elif_):
            self._read(known, branch.test)
            ends.append(self.block(branch.body, known))
        ends.append(self.block(node.else_, known))
        reached = [end for end in ends if end is not None]
        return frozenset.intersection(*reached) if reached else None

    # What is set in the body of any other statement is not seen after it.

    def _For(self, node: nodes.For, known: Names) -> Names:  # noqa: N802
        self._read(known, node.iter)
        inside = known | IN_LOOPS | frozenset(_set_by(node.target))
        self._read(inside, node.test)
        self.block(node.body, inside)
        self.block(node.else_, known)
        return known

    def _Macro(self, node: nodes.Macro, known: Names) -> Names:  # noqa: N802
        self._called(node, known)
        return known | {node.name}

    def _CallBlock(self, node: nodes.CallBlock, known: Names) -> Names:  # noqa: N802
        self._read(known, node.call)
        self._called(node, known)
        return known

    def _called(self, node: nodes.Macro | nodes.CallBlock, known: Names) -> None:
        inside = known | IN_MACROS | {argument.name for argument in node.args}
        self._read(inside, *node.defaults)
        self.block(node.body, inside)

    def _With(self, node: nodes.With, known: Names) -> Names:  # noqa: N802
        self._read(known, *node.values)
        self.block(node.body, known.union(*map(_set_by, node.targets)))
        return known

    def _Scope(self, node: nodes.Scope, known: Names) -> Names:  # noqa: N802
        self.block(node.body, known)
        return known

    def _FilterBlock(self, node: nodes.FilterBlock, known: Names) -> Names:  # noqa: N802
        self._read(known, node.filter)
        self.block(node.body, known)
        return known

    def _AssignBlock(self, node: nodes.AssignBlock, known: Names) -> Names:  # noqa: N802
        self._read(known, node.filter)
        self.block(node.body, known)
        return self._assigned(node.target, known)

    def _Assign(self, node: nodes.Assign, known: Names) -> Names:  # noqa: N802
        self._read(known, node.node)
        return self._assigned(node.target, known)

    def _assigned(self, target: nodes.Node, known: Names) -> Names:
        if isinstance(target, nodes.NSRef):
            self.found |= {target.name} - known
        return known.union(_set_by(target))


def _set_by(target: nodes.Node) -> Iterator[str]:
    if isinstance(target, nodes.Name):
        yield target.name
    elif isinstance(target, nodes.Tuple):
        for item in target.items:
            yield from _set_by(item)


def _raises(expression: Any) -> bool:
    callee = expression.node if isinstance(expression, nodes.Call) else None
    return isinstance(callee, nodes.Name) and callee.name == "raise_exception"
