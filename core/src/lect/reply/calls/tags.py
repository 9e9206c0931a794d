"""Values that are made of parameters themselves: objects, and lists of items."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lect.reply.calls.coerce import as_json
from lect.reply.calls.plaintext import quoted
from lect.reply.calls.schema import child, types_of
from lect.reply.engine import lookahead
from lect.reply.engine.lookahead import MORE, NO
from lect.reply.engine.reader import CUT, DONE

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping

    from lect.reply.engine.compiled import CompiledCall
    from lect.reply.engine.reader import Reader
    from lect.reply.grammar import Params

DEEPEST = 64
ITEM = "item"


class _Node:
    __slots__ = ("children", "key", "text")

    def __init__(self, key: str):
        self.key = key
        self.text: list[str] = []
        self.children: list[_Node] = []


def read_tags(
    reader: Reader, call: CompiledCall, spec: Params, key: str, schema: Any, root: Mapping[str, Any]
) -> Generator[None, None, tuple[str, str] | None]:
    """Read a value that is made of parameters, and return how that ended and its JSON.

    None where the value is plain text.
    """
    while (begins := _begins(reader, call, spec)) == MORE:
        yield
    if begins == NO:
        return None
    top = _Node(key)
    stack = [top]
    while stack:
        buffer, at = reader.buffer, reader.at
        mark = buffer.find(spec.open[0], at)
        end = mark if mark >= 0 else len(buffer)
        if end > at:
            stack[-1].text.append(buffer[at:end])
            reader.at = at = end
        if mark < 0:
            if reader.ended:
                return CUT, ""
            yield
            continue
        close = lookahead.literal(buffer, at, spec.close.replace("{key}", stack[-1].key), ended=False)
        opens = lookahead.literal(buffer, at, spec.open, ended=False)
        if close >= 0:
            reader.at = close
            stack.pop()
            continue
        fields: dict[str, str] = {}
        if opens >= 0 and close == NO:
            opens, fields = call.param.look(buffer, opens, ended=False)
        if MORE in (close, opens):
            if reader.ended:
                return CUT, ""
            yield
        elif opens == NO:
            if lookahead.literal(buffer, at, spec.open, ended=False) != NO:
                return reader.broken("stray_text"), ""
            stack[-1].text.append(buffer[at])
            reader.at = at + 1
        elif len(stack) > DEEPEST:
            return reader.broken("too_deep"), ""
        else:
            node = _Node(fields.get("key", ""))
            stack[-1].children.append(node)
            stack.append(node)
            reader.at = opens
    return DONE, _as_json(top, schema, root)


def _begins(reader: Reader, call: CompiledCall, spec: Params) -> int:
    at = lookahead.space(reader.buffer, reader.at)
    end = lookahead.literal(reader.buffer, at, spec.open, reader.ended)
    return call.param.look(reader.buffer, end, reader.ended)[0] if end >= 0 else end


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
