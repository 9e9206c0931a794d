"""The reply formats that are known, by name."""

from __future__ import annotations

from lect.errors import MessageError
from lect.reply.grammar import Grammar
from lect.reply.known import json_calls, messages, named_calls, parameters, pythonic, thinking

FORMATS: dict[str, Grammar] = {
    grammar.name: grammar
    for module in (thinking, json_calls, named_calls, parameters, pythonic, messages)
    for grammar in vars(module).values()
    if isinstance(grammar, Grammar)
}


def get_grammar(given: str | Grammar) -> Grammar:
    """Return the grammar of this name, or the one that was given.

    Raises:
        MessageError: If there is none of this name.
    """
    if isinstance(given, Grammar):
        return given
    found = FORMATS.get(given) if isinstance(given, str) else None
    if found is None:
        from difflib import get_close_matches

        near = get_close_matches(str(given), FORMATS, 3)
        hint = f"did you mean {' or '.join(map(repr, near))}?" if near else f"one of {', '.join(sorted(FORMATS))}"
        msg = f"there is no reply format {given!r:.80}\n  try: {hint}"
        raise MessageError(msg)
    return found
