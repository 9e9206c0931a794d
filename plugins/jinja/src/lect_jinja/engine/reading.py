"""Read off a template's syntax tree the facts of its format that were not stated."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from jinja2 import nodes

from lect.plugin import SPELLINGS
from lect_jinja.engine.option_types import types_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

REASONING = ("reasoning_content", "thinking", "reasoning")
"""The names under which reasoning is given; the first one present counts."""
USUAL_ROLES = ("system", "user", "assistant")
MEDIA = {"image": "images", "video": "video", "audio": "audio"}
MOST_MARKERS = 500
LONGEST_WORD = 3
"""Characters."""
MARKER = re.compile(
    r"<[|｜][^<>\s|｜]{1,60}[|｜]?>|<[^<>\s|｜]{1,60}[|｜]>|</?[a-zA-Z][a-zA-Z0-9_]{1,40}>|\[/?[A-Z][A-Z_]{1,40}\]|<<?/?[A-Z]{1,20}>?>"
)
"""What the control tokens of models look like in the literals of templates."""


class Reading(NamedTuple):
    """What a syntax tree tells about a template.

    Attributes:
        fields: The names of all fields that it reads.
        message_fields: Those that may be fields of a message, and not only of a part, a tool or its own variables.
        accepts: `parts` if it takes content in parts, `null` if it tells empty content from none.
        tells_texts: Whether it asks which content is text.
        parts: The types of pictures, sounds and films that it names.
        roles: The usual roles, and those that it compares a role with.
        capabilities: What it supports, as far as its text shows.
        markers: The literals that look like control tokens.
        words: The shortest literals in expressions: it may look for them in texts.
        reads_clock: Whether it asks for the date.
        types: The types of variables, by what they are compared with.
    """

    fields: frozenset[str]
    message_fields: frozenset[str]
    accepts: tuple[str, ...]
    tells_texts: bool
    parts: frozenset[str]
    roles: tuple[str, ...]
    capabilities: tuple[str, ...]
    markers: tuple[str, ...]
    words: tuple[str, ...]
    reads_clock: bool
    types: dict[str, type]


def read(found: Sequence[nodes.Node]) -> Reading:
    """Read all nodes of a syntax tree."""
    fields = frozenset(name for name in map(key_of, found) if name is not None)
    names = {node.name for node in found if isinstance(node, nodes.Name)}
    literals = {text for node in found for text in _literals(node)}
    return Reading(
        fields=fields,
        message_fields=frozenset(_message_fields(found)),
        accepts=tuple(_takes(found)),
        tells_texts=any(isinstance(node, nodes.Test) and node.name == "string" for node in found),
        parts=frozenset(SPELLINGS.keys() & literals),
        roles=tuple(_roles(found)),
        capabilities=tuple(_capabilities(fields, names, literals)),
        markers=tuple(sorted({marker[0] for text in literals for marker in MARKER.finditer(text)})[:MOST_MARKERS]),
        words=tuple(sorted({text for text in literals if 0 < len(text) <= LONGEST_WORD})[:MOST_MARKERS]),
        reads_clock="strftime_now" in names,
        types=types_of(found),
    )


def key_of(node: nodes.Node) -> str | None:
    """Return the name of the field that an expression reads."""
    if isinstance(node, nodes.Getattr):
        return node.attr
    if isinstance(node, nodes.Getitem):
        return node.arg.value if isinstance(node.arg, nodes.Const) and isinstance(node.arg.value, str) else None
    if isinstance(node, nodes.Call) and isinstance(node.node, nodes.Getattr) and node.node.attr == "get" and node.args:
        key = node.args[0]
        return key.value if isinstance(key, nodes.Const) and isinstance(key.value, str) else None
    return None


def _message_fields(found: Sequence[nodes.Node]) -> Iterator[str]:
    is_content = _contents(found)
    others = {
        node.target.name
        for node in found
        if isinstance(node, nodes.For | nodes.Assign)
        and isinstance(node.target, nodes.Name)
        and _is_other(node, is_content)
    }
    for node in found:
        key = key_of(node)
        if key is None:
            continue
        holder = node.node.node if isinstance(node, nodes.Call) else node.node  # type: ignore[attr-defined]
        item = holder.node if isinstance(holder, nodes.Getitem) else None
        if not (is_content(holder) or is_content(item) or (isinstance(holder, nodes.Name) and holder.name in others)):
            yield key


def _is_other(node: nodes.For | nodes.Assign, is_content: Callable[[nodes.Node | None], bool]) -> bool:
    """Return whether a loop or an assignment gives its variable something that is not a message."""
    if isinstance(node, nodes.For):
        return is_content(node.iter) or (isinstance(node.iter, nodes.Name) and node.iter.name in ("tools", "documents"))
    return (
        isinstance(node.node, nodes.Call)
        and isinstance(node.node.node, nodes.Name)
        and node.node.node.name == "namespace"
    )


def _takes(found: Sequence[nodes.Node]) -> Iterator[str]:
    """Yield `parts` for a loop over content, and `null` for a test whether content is none."""
    is_content = _contents(found)
    if any(isinstance(node, nodes.For) and is_content(node.iter) for node in found):
        yield "parts"
    if any(isinstance(node, nodes.Test) and node.name == "none" and is_content(node.node) for node in found):
        yield "null"


def _contents(found: Sequence[nodes.Node]) -> Callable[[nodes.Node | None], bool]:
    """Return a predicate for expressions that are the content of a message, or a variable that was set to one."""
    names = {"content"}

    def is_content(node: nodes.Node | None) -> bool:
        if isinstance(node, nodes.Name):
            return node.name in names
        if isinstance(node, nodes.Or | nodes.And):
            return is_content(node.left) or is_content(node.right)
        if isinstance(node, nodes.CondExpr):
            return is_content(node.expr1) or is_content(node.expr2)
        if isinstance(node, nodes.Filter):
            return is_content(node.node)
        return node is not None and key_of(node) == "content"

    for node in found:
        if isinstance(node, nodes.Assign) and isinstance(node.target, nodes.Name) and is_content(node.node):
            names.add(node.target.name)
    return is_content


def constants_in(node: nodes.Node) -> Iterator[str]:
    """Yield the texts of a constant, or of a list of constants."""
    if isinstance(node, nodes.Const) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, nodes.List | nodes.Tuple):
        for item in node.items:
            yield from constants_in(item)


def literals_in(tree: nodes.Node) -> Iterator[tuple[str, nodes.Node]]:
    """Yield the literal texts of a template with their nodes, except those of its own errors."""
    errors = {
        id(each)
        for call in tree.find_all(nodes.Call)
        if isinstance(call.node, nodes.Name) and call.node.name == "raise_exception"
        for each in call.find_all(nodes.Const)
    }
    for node in tree.find_all((nodes.TemplateData, nodes.Const)):
        if id(node) not in errors:
            yield from ((text, node) for text in _literals(node))


def _roles(found: Sequence[nodes.Node]) -> Iterable[str]:
    roles = dict.fromkeys(USUAL_ROLES)
    for node in found:
        if not isinstance(node, nodes.Compare):
            continue
        sides = [node.expr, *(operand.expr for operand in node.ops)]
        if any(key_of(side) == "role" or (isinstance(side, nodes.Name) and side.name == "role") for side in sides):
            roles.update(dict.fromkeys(text for side in sides for text in constants_in(side) if text.isidentifier()))
    return roles


def _capabilities(fields: frozenset[str], names: set[str], literals: set[str]) -> Iterator[str]:
    if "system" in literals:
        yield "system"
    if "tools" in names:
        yield "tools"
    if fields.intersection(REASONING):
        yield "reasoning"
    if "documents" in names:
        yield "documents"
    yield from (capability for kind, capability in MEDIA.items() if kind in literals)


def _literals(node: nodes.Node) -> Iterator[str]:
    if isinstance(node, nodes.TemplateData):
        yield node.data
    else:
        yield from constants_in(node)
