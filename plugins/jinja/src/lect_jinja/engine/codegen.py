"""Turn a template into code that asks its context before it does anything that could take long."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jinja2 import nodes
from jinja2.compiler import CodeGenerator, Frame, MacroRef, operators
from jinja2.ext import Extension
from jinja2.visitor import NodeTransformer

from lect_jinja.engine.guard import CHARACTERS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from jinja2 import Environment
    from jinja2.parser import Parser

REFUSED = (nodes.Include, nodes.Import, nodes.FromImport, nodes.Extends, nodes.Block, nodes.ScopedEvalContextModifier)
"""Statements that no chat template needs: they load other files, or change the rules."""
STEP = 4
"""The work of an iteration or a call, besides that of its nodes."""
MOST_ADDED = 8
"""Operands of one addition: more are added in several steps, each of them checked."""
PARAMETER = 4
"""The work of a parameter of a macro, besides that of its nodes: it may be undefined, which is a value of its own."""


class Generation(Extension):
    """The tag `generation`, which tells a trainer what the model wrote; it does not change the prompt.

    Its block is the only scope that a template can have.
    """

    tags = {"generation"}  # noqa: RUF012 - as Jinja2 declares it

    def parse(self, parser: Parser) -> nodes.Node:
        """Parse the block as a scope of its own."""
        line = next(parser.stream).lineno
        body = parser.parse_statements(("name:endgeneration",), drop_needle=True)
        return nodes.Scope(body, lineno=line)


def cost_of(*trees: nodes.Node) -> int:
    """Return the work of running all nodes of some trees once. A constant may have a million characters."""
    found = (node for tree in trees for level in levels(tree) for node in level)
    return sum(1 + (sum(map(_length, node.iter_fields())) >> CHARACTERS) for node in found)


def _length(field: tuple[str, Any]) -> int:
    """Return how many characters of a field are compared or hashed when the node is run; what is written is not."""
    name, value = field
    return len(value) if isinstance(value, str) and name != "data" else 0


def levels(tree: nodes.Node) -> Iterator[list[nodes.Node]]:
    """Yield the nodes of a tree level by level, without recursion."""
    level = [tree]
    while level:
        yield level
        level = [child for node in level for child in node.iter_child_nodes()]


def context_call(name: str, *args: Any) -> nodes.Call:
    """Return a call to a method of the context."""
    return nodes.Call(nodes.EnvironmentAttribute(name), list(args), [], None, None)


class Guarding(NodeTransformer):
    """Adds calls to a tree that count the work and note whose turn it is."""

    def __init__(self) -> None:
        self._item: str | None = None
        self._in_macro = False

    def visit_For(self, node: nodes.For) -> Any:  # noqa: N802 - as Jinja2 names it
        """Count each iteration, and note the turn where the loop goes through messages."""
        cost = STEP + cost_of(node.target, *node.body)
        outer, self._item = self._item, node.target.name if isinstance(node.target, nodes.Name) else self._item
        self.generic_visit(node)
        item, self._item = self._item, outer
        node.body.insert(0, self._begin(item, cost))
        if node.test is not None:
            node.iter = context_call("chosen", node.iter, nodes.Const(STEP + cost_of(node.test)))
        # What a macro writes belongs to the turn of its caller.
        return (
            node
            if self._in_macro
            else [node, nodes.ExprStmt(context_call("turn_after", self._named(outer)), lineno=node.lineno)]
        )

    def visit_Macro(self, node: nodes.Macro) -> Any:  # noqa: N802
        """Count each call."""
        return self._body_of_macro(node)

    def visit_CallBlock(self, node: nodes.CallBlock) -> Any:  # noqa: N802
        """Count each call."""
        return self._body_of_macro(node)

    def _body_of_macro(self, node: nodes.Macro | nodes.CallBlock) -> nodes.Node:
        cost = STEP + PARAMETER * len(node.args) + cost_of(*node.args, *node.defaults, *node.body)
        outer, self._item, self._in_macro = (self._item, self._in_macro), None, True
        self.generic_visit(node)
        self._item, self._in_macro = outer
        node.body.insert(0, self._begin(None, cost))
        return node

    def visit_Pair(self, node: nodes.Pair) -> nodes.Node:  # noqa: N802
        """Check keys before they are hashed. A constant is paid for by its node."""
        self.generic_visit(node)
        if not isinstance(node.key, nodes.Const):
            node.key = context_call("hashed", node.key)
        return node

    def visit_Call(self, node: nodes.Call) -> nodes.Node:  # noqa: N802
        """Count the values of `f(*values, **named)`."""
        self.generic_visit(node)
        for name in ("dyn_args", "dyn_kwargs"):
            if getattr(node, name) is not None:
                setattr(node, name, context_call("unpacked", getattr(node, name)))
        return node

    visit_Filter = visit_Test = visit_Call  # noqa: N815

    def _begin(self, item: str | None, cost: int) -> nodes.Stmt:
        if self._in_macro or item is None:
            return nodes.ExprStmt(context_call("body", nodes.Const(cost)))
        return nodes.ExprStmt(context_call("iteration", nodes.Const(cost), self._named(item)))

    def _named(self, item: str | None) -> nodes.Expr:
        return nodes.Const(None) if item is None else nodes.Name(item, "load")


def _calculated(method: str) -> Callable[[Any, nodes.BinExpr, Frame], None]:
    """Return a visitor that writes a calculation as a call to the context."""

    def visit(self: GuardedCode, node: nodes.BinExpr, frame: Frame) -> None:
        self.write_call(f"context.{method}(", node.left, node.right, frame=frame)

    return visit


class GuardedCode(CodeGenerator):
    """Generates code that asks the context to do what Jinja2 would do by itself.

    Attributes:
        looked_up: The variables that the code looks up in the context, known once it is generated.
        notes_marks: For each generation block, whether the code notes where its text is in the prompt.
    """

    def __init__(self, environment: Environment, filename: str):
        super().__init__(environment, None, filename, optimized=environment.optimized)
        self.looked_up: set[str] = set()
        self.notes_marks: list[bool] = []

    def enter_frame(self, frame: Frame) -> None:
        """Note which variables are looked up."""
        super().enter_frame(frame)
        self.looked_up.update(name for action, name in frame.symbols.loads.values() if action == "resolve" and name)

    def write_commons(self) -> None:
        """Let the context join what is captured."""
        super().write_commons()
        self.writeline("concat = context.captured")

    def visit_Scope(self, node: nodes.Scope, frame: Frame) -> None:  # noqa: N802
        """Write a generation block, and notes of where the prompt is before and after it.

        What a macro or a block captures is written later, perhaps changed: nobody knows where it will be.
        """
        is_written = frame.buffer is None
        self.notes_marks.append(is_written)
        before = self.temporary_identifier() if is_written else ""
        if is_written:
            self.writeline(f"{before} = context.reached()")
        super().visit_Scope(node, frame)
        if is_written:
            self.writeline(f"context.mark({before})")

    def macro_def(self, macro_ref: MacroRef, frame: Frame) -> None:
        """Write a macro."""
        self.write("context.defined(")
        super().macro_def(macro_ref, frame)
        self.write(")")

    def _output_child_to_const(self, node: nodes.Expr, frame: Frame, finalize: Any) -> str:
        # Nothing is calculated before it is counted.
        if not isinstance(node, nodes.TemplateData | nodes.Const):
            raise nodes.Impossible
        return super()._output_child_to_const(node, frame, finalize)

    def _output_child_pre(self, node: nodes.Expr, frame: Frame, finalize: Any) -> None:
        self.write("(written if type(written := ")

    def _output_child_post(self, node: nodes.Expr, frame: Frame, finalize: Any) -> None:
        self.write(") is str else context.written(written))")

    def visit_Getattr(self, node: nodes.Getattr, frame: Frame) -> None:  # noqa: N802
        """Write an access by name."""
        self.write_call("context.attribute(", node.node, nodes.Const(node.attr), frame=frame)

    def visit_Getitem(self, node: nodes.Getitem, frame: Frame) -> None:  # noqa: N802
        """Write an access by key, or a slice."""
        if isinstance(node.arg, nodes.Slice):
            self.write("context.sliced(")
            self.visit(node.node, frame)
            self.write(", slice(")
            for index, part in enumerate((node.arg.start, node.arg.stop, node.arg.step)):
                self.write(", " if index else "")
                self.visit(part or nodes.Const(None), frame)
            self.write("))")
        else:
            name = "at_key" if isinstance(node.arg, nodes.Const) else "item"
            self.write_call(f"context.{name}(", node.node, node.arg, frame=frame)

    def visit_Call(self, node: nodes.Call, frame: Frame, forward_caller: bool = False) -> None:  # noqa: N802
        """Write a call."""
        callee = node.node
        if isinstance(callee, nodes.EnvironmentAttribute):
            self.write_call(f"context.{callee.name}(", *node.args, frame=frame)
            return
        if isinstance(callee, nodes.Getattr):
            self.write("context.method(")
            self.visit(callee.node, frame)
            self.write(f", {callee.attr!r}")
        else:
            self.write("context.invoke(")
            self.visit(callee, frame)
        self.signature(node, frame, {"caller": "caller"} if forward_caller else None)
        self.write(")")

    def visit_Add(self, node: nodes.BinExpr, frame: Frame) -> None:  # noqa: N802
        """Write a sum, of several operands in one step."""
        operands = [node.right]
        left = node.left
        while isinstance(left, nodes.Add) and len(operands) < MOST_ADDED - 1:
            operands.append(left.right)
            left = left.left
        operands.append(left)
        if len(operands) == 2 and any(map(_is_number, operands)):
            self._plain(node, "+", frame)
        else:
            self.write_call("context.add(", *reversed(operands), frame=frame)

    def visit_Sub(self, node: nodes.BinExpr, frame: Frame) -> None:  # noqa: N802
        """Write a difference."""
        if _is_number(node.left):
            self._plain(node, "-", frame)
        else:
            self.write_call("context.subtract(", node.left, node.right, frame=frame)

    visit_Mul = _calculated("multiply")  # noqa: N815
    visit_Div = _calculated("divide")  # noqa: N815
    visit_FloorDiv = _calculated("floor_divide")  # noqa: N815
    visit_Mod = _calculated("remainder")  # noqa: N815
    visit_Pow = _calculated("power")  # noqa: N815

    def visit_Concat(self, node: nodes.Concat, frame: Frame) -> None:  # noqa: N802
        """Write texts that are joined by `~`."""
        self.write("context.concatenated((")
        for each in node.nodes:
            self.visit(each, frame)
            self.write(", ")
        self.write("))")

    def visit_Compare(self, node: nodes.Compare, frame: Frame) -> None:  # noqa: N802
        """Write a comparison. `a < b in c` is `a < b and b in c`, with b evaluated once."""
        self.write("(")
        left: nodes.Expr | str = node.expr
        for index, operand in enumerate(node.ops):
            self.write(" and " if index else "")
            right = operand.expr
            name = self.temporary_identifier() if operand is not node.ops[-1] else None
            self._compare(left, operand.op, right, name, frame)
            left = name or ""
        self.write(")")

    def _compare(self, left: nodes.Expr | str, sign: str, right: nodes.Expr, name: str | None, frame: Frame) -> None:
        """Write the comparison of two values, the second of which gets a name if it is needed again."""
        if sign in ("in", "notin") and not _is_constants(right):
            self.write("not " if sign == "notin" else "")
            self.write("context.contains(")
            self._operand(left, None, frame)
            self.write(", ")
            self._operand(right, name, frame)
            self.write(")")
            return
        # A comparison with a constant ends where the constant does, which its node pays for.
        is_cheap = sign in ("in", "notin") or isinstance(left, CHEAP) or isinstance(right, CHEAP)
        self.write("(" if is_cheap else f"context.{sign}(")
        self._operand(left, None, frame)
        self.write(f" {operators[sign]} " if is_cheap else ", ")
        self._operand(right, name, frame)
        self.write(")")

    def _operand(self, operand: nodes.Expr | str, name: str | None, frame: Frame) -> None:
        if isinstance(operand, str):
            self.write(operand)
            return
        self.write(f"({name} := " if name else "")
        self.visit(operand, frame)
        self.write(")" if name else "")

    def visit_Name(self, node: nodes.Name, frame: Frame) -> None:  # noqa: N802
        """Write a name. What a macro is given besides its parameters is a value that is made by the call."""
        is_made = node.ctx == "load" and node.name in ("varargs", "kwargs")
        self.write("context.made(" if is_made else "")
        super().visit_Name(node, frame)
        self.write(")" if is_made else "")

    def visit_List(self, node: nodes.List, frame: Frame) -> None:  # noqa: N802
        """Write a list."""
        self._display(super().visit_List, node, frame)

    def visit_Tuple(self, node: nodes.Tuple, frame: Frame) -> None:  # noqa: N802
        """Write a tuple, which may also be what is assigned to."""
        if node.ctx == "load":
            self._display(super().visit_Tuple, node, frame)
        else:
            super().visit_Tuple(node, frame)

    def visit_Dict(self, node: nodes.Dict, frame: Frame) -> None:  # noqa: N802
        """Write a mapping."""
        self._display(super().visit_Dict, node, frame)

    def _display(self, visit: Callable[[Any, Frame], None], node: nodes.Expr, frame: Frame) -> None:
        """Write a value that is weighed when it is made. The constants of a template are no heavier than its text."""
        self.write("(" if _is_constants(node) else "context.made(")
        visit(node, frame)
        self.write(")")

    def write_call(self, call: str, *args: nodes.Expr, frame: Frame) -> None:
        """Write a function call with arguments."""
        self.write(call)
        for index, arg in enumerate(args):
            self.write(", " if index else "")
            self.visit(arg, frame)
        self.write(")")

    def _plain(self, node: nodes.BinExpr, sign: str, frame: Frame) -> None:
        self.write("(")
        self.visit(node.left, frame)
        self.write(f" {sign} ")
        self.visit(node.right, frame)
        self.write(")")


CHEAP = (nodes.Const, nodes.Compare, nodes.Not, nodes.Test)
"""Expressions whose value is a constant, true or false."""


def _is_number(node: nodes.Expr) -> bool:
    return isinstance(node, nodes.Const) and type(node.value) is int


def _is_constants(node: nodes.Expr) -> bool:
    return isinstance(node, nodes.List | nodes.Tuple) and all(isinstance(item, nodes.Const) for item in node.items)
