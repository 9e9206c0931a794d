"""Values that themselves consist of parameters: objects, and lists of items."""

from __future__ import annotations

import re
from collections.abc import Generator
from typing import NamedTuple

from lect.json_schema import SchemaView
from lect.reply.calls.coerce import as_argument
from lect.reply.calls.texts import quoted, read_until
from lect.reply.grammar import Params
from lect.reply.reader.lookahead import literal, scanner_of, space
from lect.reply.reader.near import NO, TooLittleTextError
from lect.reply.reader.reader import CUT, DONE, Reader
from lect.reply.reader.syntax import CompiledCall

DEEPEST = 64
ITEM = "item"


class _Node(NamedTuple):
    key: str
    text: list[str]
    children: list[_Node]


def read_tags(
    reader: Reader, call: CompiledCall, spec: Params, key: str, schema: SchemaView
) -> Generator[None, None, tuple[str, str] | None]:
    """Read a value that consists of parameters; return how that ended and its JSON, or None if it is plain text."""
    look = call.params.look
    begins, _ = yield from reader.sure(lambda buffer, at, ended: look(buffer, space(buffer, at), ended))
    if begins == NO:
        return None
    top = _Node(key, [], [])
    stack, problem = [top], ""
    live = scanner_of(spec.open[0])
    opens_tag = re.compile(re.escape(spec.open) + r"\w").match

    def mark_ends(mark: str) -> int:
        """Return where the tag that begins here ends, after noting what it does; NO if it is text."""
        nonlocal problem
        buffer, at = reader.buffer, reader.at
        if not reader.ended and len(buffer) - at <= len(spec.open) and spec.open.startswith(buffer[at:]):
            raise TooLittleTextError
        close = NO if opens_tag(buffer, at) else literal(buffer, at, spec.close.replace("{key}", stack[-1].key), False)
        opens, fields = look(buffer, at, ended=False) if close == NO else (NO, {})
        if close >= 0:
            node = stack.pop()
            # A value consists of parameters or of text.
            problem = "stray_text" if node.children and "".join(node.text).strip() else ""
            return close
        if opens >= 0:
            node = _Node(fields.get("key", ""), [], [])
            stack[-1].children.append(node)
            stack.append(node)
            problem = "too_deep" if len(stack) > DEEPEST + 1 else ""
            return opens
        if literal(buffer, at, spec.open, ended=False) != NO:
            problem = "stray_text"
            return at
        return NO

    while stack:
        outcome = yield from read_until(reader, live, mark_ends, stack[-1].text.append)
        if outcome == CUT or problem:
            return (reader.broken(problem) if problem else CUT), ""
    return DONE, _as_json(reader, top, schema)


def _as_json(reader: Reader, node: _Node, schema: SchemaView) -> str:
    branches = schema.types()
    if not node.children:
        text, wrong = as_argument("".join(node.text), branches, schema.types)
        if wrong:
            reader.report("bad_value", reader.origin, f"the parameter {node.key!r} is {wrong}")
        return text
    names = {inner.key for inner in node.children}
    if names == {ITEM} and (not branches or any("array" in types for types in branches)):
        items = [_as_json(reader, inner, schema.child(index)) for index, inner in enumerate(node.children)]
        return f"[{', '.join(items)}]"
    pairs = {inner.key: _as_json(reader, inner, schema.child(inner.key)) for inner in node.children}
    return f"{{{', '.join(f'{quoted(key)}: {value}' for key, value in pairs.items())}}}"
