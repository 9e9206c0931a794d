"""Values that themselves consist of parameters: objects, and lists of items."""

from __future__ import annotations

import re
from collections.abc import Generator, Mapping
from typing import Any, NamedTuple

from lect.reply.calls.coerce import as_json
from lect.reply.calls.texts import quoted, read_until
from lect.reply.grammar import Params
from lect.reply.reader.lookahead import literal, scanner_of, space
from lect.reply.reader.near import NO, TooLittleTextError
from lect.reply.reader.reader import CUT, DONE, Reader
from lect.reply.reader.schema import child, types_of
from lect.reply.reader.syntax import CompiledCall

DEEPEST = 64
ITEM = "item"


class _Node(NamedTuple):
    key: str
    text: list[str]
    children: list[_Node]


def read_tags(
    reader: Reader, call: CompiledCall, spec: Params, key: str, schema: Any, root: Mapping[str, Any]
) -> Generator[None, None, tuple[str, str] | None]:
    """Read a value that consists of parameters; return how that ended and its JSON, or None if it is plain text."""
    look = call.params.look
    begins, _ = yield from reader.sure(lambda buffer, at, ended: look(buffer, space(buffer, at), ended))
    if begins == NO:
        return None
    top = _Node(key, [], [])
    stack = [top]
    problem = ""
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
    return DONE, _as_json(top, schema, root)


def _as_json(node: _Node, schema: Any, root: Mapping[str, Any]) -> str:
    types = types_of(schema, root)
    if not node.children:
        text, _ = as_json("".join(node.text), types)
        return text
    names = {inner.key for inner in node.children}
    if names == {ITEM} and (not types or "array" in types):
        items = child(schema, root, None)
        return f"[{', '.join(_as_json(inner, items, root) for inner in node.children)}]"
    pairs = {inner.key: _as_json(inner, child(schema, root, inner.key), root) for inner in node.children}
    return f"{{{', '.join(f'{quoted(key)}: {value}' for key, value in pairs.items())}}}"
