"""What is left of a constraint after a text that the prompt has already said on the model's behalf."""

from __future__ import annotations

import json

from lect import MessageError
from lect_constrain.nodes import Alt, Chars, Lit, Node, Rep, Seq, Text, Word, alt, seq
from lect_constrain.notations import Value


def after(node: Node, text: str) -> Node | None:
    """Return what may follow a text with which the node begins; None if it cannot begin with it.

    Raises:
        MessageError: If the text ends inside the arguments of a call.
    """
    found = [rest for rest, left in _steps(node, text) if not left]
    return alt(found) if found else None


def _steps(node: Node, text: str) -> list[tuple[Node, str]]:
    """Return what may remain of a node, and of the text, once one of them is used up."""
    if not text:
        return [(node, "")]
    match node:
        case Lit(literal):
            if literal.startswith(text):
                return [(Lit(literal[len(text) :]), "")]
            return [(Lit(""), text[len(literal) :])] if text.startswith(literal) else []
        case Text(without, end, _):
            at = text.find(end) if end else -1
            said = text if at < 0 else text[:at]
            if any(mark in said for mark in without):
                return []
            return [(node, "")] if at < 0 else [(Lit(""), text[at + len(end) :])]
        case Seq(items):
            found = []
            for rest, left in _steps(items[0], text):
                further = items[1:]
                if left:
                    found += _steps(seq(*further), left) if further else []
                else:
                    found.append((seq(rest, *further), ""))
            # A free text at the end of the first part may be over where the next one begins.
            if isinstance(items[0], Text | Rep | Chars) and not (isinstance(items[0], Text) and items[0].end):
                found += _steps(seq(*items[1:]), text) if len(items) > 1 else []
            return found
        case Alt(items):
            return [step for item in items for step in _steps(item, text)]
        case Rep(item, low, high):
            if high == 0:
                return []
            again = Rep(item, max(low - 1, 0), None if high is None else high - 1)
            return _steps(seq(item, again), text) if high != 1 else _steps(item, text)
        case Word(item):
            return _steps(item, text)
        case Value():
            try:
                _, used = json.JSONDecoder().raw_decode(text)
            except ValueError:
                msg = f"the prompt ends inside the arguments of a call: {text[-40:]!r}\n  try: end it before them"
                raise MessageError(msg) from None
            return [(Lit(""), text[used:])]
    return []
