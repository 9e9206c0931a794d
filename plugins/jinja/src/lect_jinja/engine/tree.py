"""The syntax tree of a template in a form in which equal trees write equal prompts, and its fingerprint.

Parsing leaves out comments and white space that is trimmed. Beyond that, adjacent literals are one, `m.x` is `m['x']`
where no value has an attribute `x`, and generation marks are left out where the scope that they open has no effect.
Nothing else is equal: `{{ 'a' + x }}` fails where `a{{ x }}` writes a number.
"""

from __future__ import annotations

import json
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from jinja2 import nodes

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

FIELDS: dict[type[nodes.Node], tuple[str, ...]] = {
    nodes.For: ("target", "iter", "body", "else_", "test", "recursive"),
    nodes.If: ("test", "body", "elif_", "else_"),
    nodes.Macro: ("name", "args", "defaults", "body"),
    nodes.CallBlock: ("call", "args", "defaults", "body"),
    nodes.FilterBlock: ("body", "filter"),
    nodes.With: ("targets", "values", "body"),
    nodes.Scope: ("body",),
    nodes.ExprStmt: ("node",),
    nodes.Assign: ("target", "node"),
    nodes.AssignBlock: ("target", "filter", "body"),
    nodes.Continue: (),
    nodes.Break: (),
    nodes.Name: ("name",),
    nodes.NSRef: ("name", "attr"),
    nodes.Tuple: ("items",),
    nodes.List: ("items",),
    nodes.Dict: ("items",),
    nodes.Pair: ("key", "value"),
    nodes.Keyword: ("key", "value"),
    nodes.CondExpr: ("test", "expr1", "expr2"),
    nodes.Filter: ("node", "name", "args", "kwargs", "dyn_args", "dyn_kwargs"),
    nodes.Test: ("node", "name", "args", "kwargs", "dyn_args", "dyn_kwargs"),
    nodes.Call: ("node", "args", "kwargs", "dyn_args", "dyn_kwargs"),
    nodes.Getitem: ("node", "arg"),
    nodes.Getattr: ("node", "attr"),
    nodes.Slice: ("start", "stop", "step"),
    nodes.Concat: ("nodes",),
    nodes.Compare: ("expr", "ops"),
    nodes.Operand: ("op", "expr"),
    **dict.fromkeys(
        (nodes.Mul, nodes.Div, nodes.FloorDiv, nodes.Add, nodes.Sub, nodes.Mod, nodes.Pow, nodes.And, nodes.Or),
        ("left", "right"),
    ),
    **dict.fromkeys((nodes.Not, nodes.Neg, nodes.Pos), ("node",)),
}
"""What a node says. A node with other fields, of another version of Jinja2, has no fingerprint."""
ATTRIBUTES = frozenset({
    "add", "append", "as_integer_ratio", "bit_count", "bit_length", "capitalize", "casefold", "center", "clear",
    "close", "conjugate", "copy", "count", "decode", "denominator", "difference", "difference_update", "discard",
    "encode", "endswith", "expandtabs", "extend", "find", "format", "format_map", "from_bytes", "from_number",
    "fromhex", "fromkeys", "get", "gi_code", "gi_frame", "gi_running", "gi_suspended", "gi_yieldfrom", "hex",
    "imag", "index", "indices", "insert", "intersection", "intersection_update", "is_integer", "isalnum", "isalpha",
    "isascii", "isdecimal", "isdigit", "isdisjoint", "isidentifier", "islower", "isnumeric", "isprintable",
    "isspace", "issubset", "issuperset", "istitle", "isupper", "items", "join", "keys", "ljust", "lower", "lstrip",
    "maketrans", "mapping", "numerator", "partition", "pop", "popitem", "real", "remove", "removeprefix",
    "removesuffix", "replace", "reverse", "rfind", "rindex", "rjust", "rpartition", "rsplit", "rstrip", "send",
    "setdefault", "sort", "split", "splitlines", "start", "startswith", "step", "stop", "strip", "swapcase",
    "symmetric_difference", "symmetric_difference_update", "throw", "title", "to_bytes", "translate", "union",
    "update", "upper", "values", "zfill",
})  # fmt: skip
"""The attributes of built-in types in any version of Python: `m.items` is a method, `m['items']` is a key."""
OF_A_CALL = frozenset({"caller", "kwargs", "varargs"})
"""Names that mean something else inside the call that transformers makes of a generation block."""
NOTHING: frozenset[str] = frozenset()

Form = list[Any]
"""A node as a list for JSON: the name of its kind, then its fields."""


class _UnknownNodeError(Exception):
    """A node that another version of Jinja2 has, or that no chat template may use."""


def tree_fingerprint(tree: nodes.Template) -> str:
    """Return the sha256 of a template's normalised tree; empty if it has none.

    It is the same in every version of Python and Jinja2.

    Args:
        tree: The syntax tree, of bounded size and depth, as the parser gives it.
    """
    try:
        form = _block(tree.body, NOTHING)
    except _UnknownNodeError:
        return ""
    return sha256(json.dumps(form).encode()).hexdigest()


def _block(body: Sequence[nodes.Node], later: frozenset[str]) -> list[Form]:
    """Return the forms of statements; `later` are the names that are set after them in the same scope."""
    forms: list[Form] = []
    for node in reversed(body):
        if isinstance(node, nodes.Scope) and _is_idle(node, later):
            added = _block(node.body, later)
        elif isinstance(node, nodes.Output):
            added = [["Output", *map(_form, node.nodes)]]
        else:
            added = [_form(node, later)]
        forms[:0] = added
        later |= _set_by([node])
    return _joined(forms)


def _joined(forms: Iterable[Form]) -> list[Form]:
    """Return statements in which adjacent outputs, and adjacent literals in them, are one."""
    statements: list[Form] = []
    for form in forms:
        if form[0] != "Output":
            statements.append(form)
            continue
        if not statements or statements[-1][0] != "Output":
            statements.append(["Output"])
        written = statements[-1]
        for piece in form[1:]:
            if piece[0] == written[-1][0] == "TemplateData":
                written[-1] = ["TemplateData", written[-1][1] + piece[1]]
            else:
                written.append(piece)
    return statements


def _form(node: nodes.Node, later: frozenset[str] = NOTHING) -> Form:
    kind = type(node)
    if kind is nodes.TemplateData:
        return ["TemplateData", node.data]  # type: ignore[attr-defined]
    if kind is nodes.Const:
        return _constant(node.value)  # type: ignore[attr-defined]
    if isinstance(node, nodes.Getattr) and node.attr not in ATTRIBUTES and node.attr[:1] != "_":
        return ["Getitem", _form(node.node), _constant(node.attr)]
    if kind not in FIELDS or {*kind.fields} - {"ctx"} != {*FIELDS[kind]}:
        raise _UnknownNodeError
    if isinstance(node, nodes.If):
        # A name that one branch sets is known in the whole scope.
        later |= _set_by([*node.elif_, *node.else_])
    elif kind in (nodes.For, nodes.Macro, nodes.CallBlock, nodes.FilterBlock, nodes.With, nodes.Scope):
        later = NOTHING
    return [kind.__name__, *(_field(name, getattr(node, name), later) for name in FIELDS[kind])]


def _field(name: str, value: Any, later: frozenset[str]) -> Any:
    if name in ("body", "else_"):
        return _block(value, later)
    if isinstance(value, list):
        return [_form(each, later) for each in value]
    return _form(value, later) if isinstance(value, nodes.Node) else value


def _constant(value: Any) -> Form:
    # JSON of a text is ASCII; decimal digits are limited, and 1 is not True or 1.0.
    number = value.hex() if isinstance(value, float) else hex(value) if isinstance(value, int) else value
    return ["Const", type(value).__name__, number]


def _is_idle(block: nodes.Scope, later: frozenset[str]) -> bool:
    """Return whether a generation block writes the same as its body alone.

    What is set inside does not leave it; and inside, a name that the scope around it sets later is undefined, even if
    the caller gives it.
    """
    read = {node.name for node in block.find_all(nodes.Name)}
    return not (_set_by(block.body) or _is_left(block.body) or read & (later | OF_A_CALL))


def _set_by(statements: Iterable[nodes.Node]) -> frozenset[str]:
    """Return the names that statements set in their own scope: not what loops and blocks set inside."""
    names: set[str] = set()
    for node in statements:
        if isinstance(node, nodes.If):
            names |= _set_by([*node.body, *node.elif_, *node.else_])
        elif isinstance(node, nodes.Macro):
            names.add(node.name)
        elif isinstance(node, nodes.Assign | nodes.AssignBlock):
            names |= {each.name for each in (node.target, *node.target.find_all(nodes.Name)) if hasattr(each, "name")}
    return frozenset(names)


def _is_left(statements: Iterable[nodes.Node]) -> bool:
    """Return whether `break` or `continue` leaves these statements for the loop around them."""
    return any(
        isinstance(node, nodes.Break | nodes.Continue)
        or (isinstance(node, nodes.If) and _is_left([*node.body, *node.elif_, *node.else_]))
        for node in statements
    )
