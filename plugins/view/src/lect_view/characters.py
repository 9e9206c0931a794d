"""Text as HTML: nothing in it can leave its place, and every character of it can be seen."""

import re
from collections.abc import Callable
from unicodedata import category

PLAIN = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;"}
JOINERS = "\u200c\u200d"
"""Invisible, but part of how words and emoji are written."""
_SPECIAL = re.compile(r"[&<>\"']|\n| +|\t|[^\x20-\x7e\n\t]")
_ESCAPED = re.compile(r"[&<>\"']|[^\x20-\x7e]")


def text(given: str, *, spaces: bool = True) -> str:
    """Return a text as HTML for a `pre`; white space gets elements of its own if it is to be made visible."""
    return _SPECIAL.sub(_with_spaces if spaces else _without_spaces, given)


def attribute(given: str) -> str:
    """Return a text as HTML for one line, or for a quoted attribute."""
    return _ESCAPED.sub(lambda found: _written(found[0], lambda code: code), given)


def _with_spaces(found: re.Match[str]) -> str:
    character = found[0]
    if character[0] == " ":
        return f"<i>{character}</i>"
    if character == "\n":
        return '<i class="n"></i>\n'
    if character == "\t":
        return '<i class="t">\t</i>'
    return _written(character, _boxed)


def _without_spaces(found: re.Match[str]) -> str:
    return found[0] if found[0][0] in " \n\t" else _written(found[0], _boxed)


def _boxed(code: str) -> str:
    return f'<b class="code">{code}</b>'


def _written(character: str, coded: Callable[[str], str]) -> str:
    r"""Return one character: as it is, as an entity, or as a code such as `\u202e` where it would not be seen.

    That also keeps out what HTML cannot contain (NUL), what parsers change (carriage returns), and what changes the
    direction of the text around it.
    """
    if character in PLAIN:
        return PLAIN[character]
    if character.isprintable() or character in JOINERS or category(character) == "Zs":
        return character
    return coded(ascii(character)[1:-1])
