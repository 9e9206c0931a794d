"""What two templates can tell apart: the material of the requests with which they are compared.

It is read off the tree of the template under test, where there is one, and off what the maker's format states.
"""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple

from jinja2 import nodes

from lect.plugin import SPELLINGS
from lect_jinja.engine.environment import ENVIRONMENT
from lect_jinja.engine.reading import constants_in, key_of, literals_in
from lect_jinja.identity.cases import REFUSED, Case, answer, says
from lect_jinja.identity.family import given_options

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lect.plugin import Template
    from lect_jinja.identity.template import JinjaTemplate

LONGEST = 60
"""Characters of a text of the template that is put into what people say."""
LOOKING = frozenset({
    "split", "rsplit", "partition", "rpartition", "startswith", "endswith", "find", "replace", "strip", "lstrip",
    "rstrip",
})  # fmt: skip
STANDARD_FIELDS = frozenset({
    "role", "content", "tool_calls", "tool_call_id", "reasoning_content", "reasoning", "thinking", "function",
    "arguments", "type", "text", "parameters", "description", "properties", "required", "id",
})  # fmt: skip
"""Fields that requests have anyway, and those of tools and calls."""
MORE_FIELDS = ("name", "prefix", "tool_plan", "metadata", "tools", "documents")
"""Fields of messages that some maker's template reads: one that was edited may no longer say so."""
TEXTS = ("other ü", "low", "high", "")
FUNCTIONS = ("find_ferries", "naïve", "f", "brave_search", "code_interpreter", "python")
"""The names of tools: with some, makers' own tools are called."""
TOOLS = [
    {
        "type": "function",
        "function": {"name": "f", "description": "d", "parameters": {"type": "object", "properties": {}}},
    }
]
DOCUMENTS = [{"title": "t", "text": "x"}]
COMPOSED: dict[str, Any] = {"tools": TOOLS, "documents": DOCUMENTS}
"""What an option may take that is composed anew each time, with an example."""
NO_SWITCHES = frozenset({"date", "continue_final_message"}).union(
    f"{name}_token" for name in ("bos", "eos", "unk", "sep", "pad", "cls", "mask")
)
"""Variables of templates that nobody chooses: what transformers gives of itself."""
NO_PROMPT = (None, REFUSED)
PLAIN_VALUES: tuple[Any, ...] = (
    True,
    False,
    *TEXTS,
    0,
    512,
    [*FUNCTIONS],
    ["a"],
    [],
    {"length": "short", "citations": True},
    {},
)


class Option(NamedTuple):
    """What is given as an option: one of the values, or something that is composed; with null, odd requests too."""

    values: list[Any]
    composed: list[str] = []  # noqa: RUF012  # never changed
    takes_null: bool = False


class Telling(NamedTuple):
    """What requests are composed of.

    Attributes:
        words: Short texts that stand in the template, and the markers of the maker's format.
        sought: Texts that the template looks for in others.
        enclosing: Pairs of them: a text may begin with the one and end with the other.
        roles: The roles that one of the two knows.
        shared_roles: The roles that both know.
        options: What is given as the options that one of the two reads.
        fields: Fields of messages, with values.
        parts: The types of parts that the template names.
    """

    words: list[str]
    sought: list[str]
    enclosing: list[list[str]]
    roles: list[str]
    shared_roles: list[str]
    options: dict[str, Option]
    fields: dict[str, list[Any]]
    parts: list[str]


def telling(maker: Template, own: JinjaTemplate | None = None, without: frozenset[str] = frozenset()) -> Telling:
    """Return what requests are to be composed of.

    Args:
        maker: The maker's format.
        own: The template under test, if it is at hand.
        without: Options that are not given.
    """
    options = (switches(maker) | (switches(own) if own else frozenset())) - without
    tree = ENVIRONMENT.parse(own.jinja) if own else nodes.Template([])
    found = list(tree.find_all(nodes.Node))
    words = {text.strip() if isinstance(node, nodes.TemplateData) else text for text, node in literals_in(tree)}
    fields = {*MORE_FIELDS, *(own.own_fields - STANDARD_FIELDS - LOOKING if own else ())}
    roles = [*maker.roles, *(own.roles if own else ()), "tool", "developer"]
    return Telling(
        words=sorted({text for text in (*words, *maker.markers) if 0 < len(text.strip()) <= LONGEST}),
        sought=sorted({text for node in found for text in _sought(node) if 0 < len(text) <= LONGEST}),
        enclosing=[list(each) for each in product(*(_arguments(found, name) for name in ("startswith", "endswith")))],
        roles=list(dict.fromkeys(roles)),
        shared_roles=[
            role for role in dict.fromkeys(roles) if own is None or (role in own.roles and role in maker.roles)
        ],
        options={name: _option(name, maker, found) for name in sorted(options)},
        fields={name: [True, "x ü", *_compared_with(found, name)] for name in sorted(fields)},
        parts=sorted(words & SPELLINGS.keys()),
    )


def switches(template: Template) -> frozenset[str]:
    """Return the options that a template reads, without those that it sets itself in some branch."""
    return frozenset(given_options(template)) - NO_SWITCHES - getattr(template, "tokens", {}).keys()


def _sought(node: nodes.Node) -> Iterator[str]:
    """Yield the texts with which others are compared, or for which they are searched."""
    if isinstance(node, nodes.Compare):
        for side in _sides(node):
            yield from constants_in(side)
    elif isinstance(node, nodes.Call) and isinstance(node.node, nodes.Getattr) and node.node.attr in LOOKING:
        for argument in node.args:
            yield from constants_in(argument)


def _arguments(found: list[nodes.Node], method: str) -> list[str]:
    """Return the texts with which a method of texts is called."""
    calls = (node for node in found if isinstance(node, nodes.Call) and key_of(node.node) == method)
    return sorted({text for call in calls for argument in call.args for text in constants_in(argument)})


def _sides(compare: nodes.Compare) -> list[nodes.Expr]:
    return [compare.expr, *(operand.expr for operand in compare.ops)]


def _compared_with(found: list[nodes.Node], field: str) -> Iterator[str]:
    for node in found:
        if isinstance(node, nodes.Compare) and any(key_of(side) == field for side in _sides(node)):
            yield from (text for side in _sides(node) for text in constants_in(side))


# Options


def _option(name: str, maker: Template, found: list[nodes.Node]) -> Option:
    """Return what is given as an option: what the template compares it with, and what the maker's format takes."""
    read, kind = _values(found, name), maker.options.get(name)
    if name not in maker.options:
        return Option(_unique([*read, True, False, *TEXTS]))
    if name == "documents":
        return Option([], ["documents"])
    texts = [each for each in read if isinstance(each, str)]
    asked = [True, False] if kind is bool else [*texts, *TEXTS] if kind is str else [*read, *PLAIN_VALUES]
    taken = [value for value in _unique(asked) if _prompt(maker, {name: value}) not in NO_PROMPT]
    if kind is not None:
        return Option(taken, takes_null=kind is bool)
    # What changes the prompt is what the option is for; others swallow it.
    without = _prompt(maker, {})
    telling_apart = (
        each for each, example in COMPOSED.items() if _prompt(maker, {name: example}) not in (*NO_PROMPT, without)
    )
    return Option(taken, list(telling_apart)[:1])


def _prompt(maker: Template, options: dict[str, Any]) -> str | None:
    return answer(maker, Case("", [says("system", "s"), says("user", "x")], options=options))


def _values(found: list[nodes.Node], name: str) -> list[Any]:
    """Return the values of an option that a template tells apart."""
    values: list[Any] = []
    items: list[str] = []
    fields: dict[str, list[Any]] = {}
    loops = (node for node in found if isinstance(node, nodes.For) and _is_option(node.iter, name))
    looped = [loop.target.name for loop in loops if isinstance(loop.target, nodes.Name)]
    for node in found:
        if isinstance(node, nodes.Compare):
            sides = _sides(node)
            constants = [text for side in sides for text in constants_in(side)]
            is_searched = node.ops[0].op in ("in", "notin") and _is_option(node.ops[0].expr, name)
            if is_searched or any(isinstance(side, nodes.Name) and side.name in looped for side in sides):
                items += constants
            elif any(_is_option(side, name) for side in sides):
                values += constants
            for side in sides:
                if (field := _field_of(side, name)) is not None:
                    fields.setdefault(field, []).extend(constants)
        elif (field := _field_of(node, name)) is not None:
            fields.setdefault(field, [])
    if items:
        values += [items, *([each] for each in items), [*items, "other"], dict.fromkeys(items, True)]
    for field, compared in fields.items():
        values += [{field: value} for value in (*compared, True, False, "other")]
    if fields:
        values.append({field: (compared or [True])[0] for field, compared in fields.items()})
    return _unique(values)


def _is_option(node: nodes.Node | None, name: str) -> bool:
    while isinstance(node, nodes.Filter):
        node = node.node
    return isinstance(node, nodes.Name) and node.name == name


def _field_of(node: nodes.Node, name: str) -> str | None:
    """Return the field of an option that an expression reads, if it does that."""
    field = key_of(node)
    if field is None or field in ("get", "items", "append"):
        return None
    holder = node.node.node if isinstance(node, nodes.Call) else node.node  # type: ignore[attr-defined]
    return field if _is_option(holder, name) else None


def _unique(values: list[Any]) -> list[Any]:
    """Return values once each; 1 and True are two."""
    return list({repr(value): value for value in values}.values())
