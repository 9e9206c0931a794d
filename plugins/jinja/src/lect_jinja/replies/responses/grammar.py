"""Read a response template as a grammar.

Text outside its fields is content, and of a text that comes twice both are kept, where transformers drops the one and
keeps the last of the other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from lect.errors import saferepr
from lect.plugin.grammar import SPACE, CallSyntax, Channels, Grammar, Json, Reasoning, Wrapper
from lect_jinja.replies.responses.calls import json_keys, section
from lect_jinja.replies.responses.example import Said, example
from lect_jinja.replies.responses.fields import (
    CALL,
    CONTENT,
    REASONING,
    Field,
    are_tokens,
    expect,
    fields_of,
    paths_in,
    row,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

NAME = "response_template"


class Response(NamedTuple):
    """A response template as a grammar.

    Attributes:
        grammar: The grammar.
        closes: What closes its fields: a reply can go on after them.
        ends: What ends a reply.
        example: A reply that has every field once.
        said: What it says.
    """

    grammar: Grammar
    closes: frozenset[str]
    ends: tuple[str, ...]
    example: str
    said: Said


def read_response_template(spec: Any) -> Response:
    """Return a response template as a grammar.

    Raises:
        UnreadableError: If it says something that a grammar has no words for.
    """
    fields = fields_of(spec)
    if any(field.has_headers for field in fields.values()):
        grammar = Grammar(NAME, channels=_messages(fields.values(), spec))
    else:
        content, calls = fields.get(CONTENT), fields.get(CALL)
        # The white space that is taken from the ends of content may be in front of calls.
        before = ("\n\n", "\n") if content is None or content.strips else ()
        grammar = Grammar(
            NAME,
            reasoning=_reasoning(fields.get(REASONING)),
            wrappers=_wrappers(content),
            sections=(section(calls, before),) if calls else (),
            tokens=_ends(content),
        )
    closes = {text for field in fields.values() if field.opens for path in field.closes for text in row(path)}
    return Response(grammar, frozenset(closes), grammar.tokens, *example(fields))


def _reasoning(field: Field | None) -> Reasoning | None:
    if field is None:
        return None
    opens, space = field.texts(field.opens), SPACE if field.strips else ""
    return Reasoning(
        opens, field.texts(field.closes), field.until, space, space, space, are_tokens(opens), field.can_start
    )


def _wrappers(field: Field | None) -> tuple[Wrapper, ...]:
    if field is None or not field.opens:
        return ()
    expect(not field.joint, f"{field.name}.join {field.joint!r}")
    opens = field.texts(field.opens)
    return (Wrapper(opens, field.texts(field.closes), are_tokens(opens)),)


def _ends(field: Field | None) -> tuple[str, ...]:
    """Return what ends content that nothing opens: a reply ends there."""
    return () if field is None or field.opens or not field.closes else field.texts(field.closes)


def _messages(fields: Collection[Field], spec: Mapping[str, Any]) -> Channels:
    """Return messages whose headers hold something of any length, such as an author."""
    bodies: dict[str, str] = {}
    starts = {mark for path in paths_in(spec, "start_anchor") for mark in row(path) if are_tokens([mark])}
    headers, ends, joints = set(), set(), set()
    for field in fields:
        expect(field.opens, f"{field.name} without a mark that opens it")
        ends.add(field.texts(field.closes))
        for path in field.opens:
            shape = [piece.kind for piece in path]
            expect(shape in (["free", "text"], ["text", "free", "text"]), f"{field.name}.open_pattern")
            starts |= set(row(path[:-2]))
            headers.add(path[-2].text)
            bodies[path[-1].text] = field.kind
        if field.kind == CALL:
            is_object = json_keys(field) and not field.spec.get("transform_each")
            expect(is_object, f"{field.name}.transform {saferepr(field.spec.get('transform'))}")
        else:
            joints.add(field.joint)
    expect(len(headers) == len(ends) == len(joints) == 1, "messages that begin, end or are joined in several ways")
    (header,), (end,), (joint,) = headers, ends, joints
    expect(starts and header.startswith("[^") and header.endswith("]*"), f"the header {header!r}")
    return Channels(
        tuple(sorted(starts)),
        tuple(bodies.items()),
        end,
        shape=header,
        characters=header[:-1],
        opening=tuple(bodies),
        call=CallSyntax(Json()) if CALL in bodies.values() else None,
        joint="\n" if joint is None else joint,
    )
