"""What is left of a constraint after a text that the prompt has already said on the model's behalf."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from lect_constrain.nodes import EMPTY, Alt, Chars, Lit, Node, Quoted, Ref, Rep, Seq, Text, Word, alt, seq
from lect_constrain.notations import Begun, Value
from lect_constrain.values import Values

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

Step = tuple[Node, str]
"""What may remain of a node and of the text: a node that has used up the text, or nothing and the rest of the text."""
ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{0,3}))?$")
"""An escape that is not complete."""


def after(node: Node, text: str) -> Node | None:
    """Return what may follow a text with which the node begins; None if it cannot begin with it."""
    found = [rest for rest, left in _steps(node, text) if not left]
    return alt(found) if found else None


def after_any(node: Node, texts: Iterable[str]) -> Node | None:
    """Return what may follow the first of some texts with which the node begins."""
    return next((found for text in texts if (found := after(node, text)) is not None), None)


def _steps(node: Node, text: str) -> Iterator[Step]:
    if not text:
        yield node, ""
        return
    match node:
        case Lit(literal):
            if literal.startswith(text):
                yield seq(literal[len(text) :]), ""
            elif text.startswith(literal):
                yield EMPTY, text[len(literal) :]
        case Text():
            yield from _text(node, text)
        case Quoted():
            yield from _quoted(node, text)
        case Chars(allowed, low, high):
            most = len(text) if high is None else min(high, len(text))
            found = re.match(f"[{allowed}]{{0,{most}}}", text)
            count = found.end() if found else 0
            yield from ((EMPTY, text[each:]) for each in range(low, min(count + 1, len(text))))
            if count == len(text):
                yield Chars(allowed, max(low - count, 0), None if high is None else high - count), ""
        case Seq(items):
            for rest, left in _steps(items[0], text):
                if left:
                    yield from _steps(seq(*items[1:]), left)
                else:
                    yield seq(rest, *items[1:]), ""
        case Alt(items):
            for item in items:
                yield from _steps(item, text)
        case Rep(item, low, high):
            if low == 0:
                yield EMPTY, text
            if high != 0:
                again = Rep(item, max(low - 1, 0), None if high is None else high - 1)
                yield from _steps(seq(item, again) if high != 1 else item, text)
        case Word(item):
            yield from ((rest if rest is EMPTY else Word(rest), left) for rest, left in _steps(item, text))
        case Begun(item, lost):
            yield from ((rest if rest is EMPTY else Begun(rest, lost), left) for rest, left in _steps(item, text))
        case Ref(name, rules):
            yield from _steps(rules[name], text)
        case Value():
            values = Values(node)
            yield from (
                (rest if rest is EMPTY else Begun(rest, values.lost), left) for rest, left in _steps(values.root, text)
            )


def _text(node: Text, text: str) -> Iterator[Step]:
    end = node.end
    at = text.find(end) if end else -1
    said = text if at < 0 else text[:at]
    if any(mark in said for mark in node.without) or (node.first and said and re.match(f"[{node.first}]", said)):
        return
    if at >= 0:
        yield EMPTY, text[at + len(end) :]
        return
    yield Text(node.without, end), ""
    if not end:
        yield EMPTY, text


def _quoted(node: Quoted, text: str) -> Iterator[Step]:
    quote = node.quote
    start = 0 if node.is_open else 1
    if not node.is_open and not text.startswith(quote):
        return
    chars = re.compile(rf"([^\\{quote}\x00-\x1f\x7f]|\\(?:[^u]|u[0-9a-fA-F]{{4}}))*").match(text, start)
    assert chars is not None
    said, rest = text[start : chars.end()], text[chars.end() :]
    count = len(re.findall(r"\\u....|\\.|.", said))
    if any(mark in said for mark in node.without) or count > (count if node.high is None else node.high):
        return
    if rest.startswith(quote):
        if count >= node.low:
            # The text may end with the quote.
            yield (EMPTY, rest[1:])
        return
    escape = ESCAPE.match(rest)
    if rest and not escape:
        return
    count += bool(rest)
    high = None if node.high is None else node.high - count
    further = Quoted(quote, node.without, max(node.low - count, 0), high, is_open=True)
    if not escape:
        yield further, ""
    elif escape[1] is not None:
        digits = 4 - len(escape[1])
        yield seq(Chars("0-9a-fA-F", digits, digits), further), ""
    else:
        hexes = seq("u", Chars("0-9a-fA-F", 4, 4))
        yield seq(alt([Chars(rf"{quote}\\\\/bfnrt", 1, 1), hexes]), further), ""
