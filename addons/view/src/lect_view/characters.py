"""Text as HTML: nothing in it can leave its place, and every character of it can be seen."""

import re
from collections.abc import Callable
from html import escape
from unicodedata import category

JOINERS = "\u200c\u200d"
"""Invisible, but part of how words and emoji are written."""
_UNUSUAL = re.compile(r"[^\x20-\x7e\n\t]+")
_UNUSUAL_IN_A_LINE = re.compile(r"[^\x20-\x7e]+")


def text(given: str, *, spaces: bool = True) -> str:
    """Return a text as HTML for a `pre`; white space gets elements of its own if it is to be made visible."""
    written = _UNUSUAL.sub(lambda found: _seen(found[0], _boxed), escape(given))
    if not spaces:
        return written
    # Spaces first, because the other elements contain some; those in a row share an element.
    written = written.replace(" ", "<i> </i>").replace("</i><i>", "")
    return written.replace("\n", '<i class="n"></i>\n').replace("\t", '<i class="t">\t</i>')


def attribute(given: str) -> str:
    """Return a text as HTML for one line, or for a quoted attribute."""
    return _UNUSUAL_IN_A_LINE.sub(lambda found: _seen(found[0], lambda code: code), escape(given))


def _boxed(code: str) -> str:
    return f"<b>{code}</b>"  # without a space, which would become visible


def _seen(characters: str, coded: Callable[[str], str]) -> str:
    r"""Return characters: as they are, or as codes such as `\u202e` where they would not be seen.

    That also keeps out what HTML cannot contain (NUL), what parsers change (carriage returns), and what changes the
    direction of the text around it.
    """
    if characters.isprintable():
        return characters
    return "".join(each if _is_seen(each) else coded(ascii(each)[1:-1]) for each in characters)


def _is_seen(character: str) -> bool:
    return character.isprintable() or character in JOINERS or category(character) == "Zs"
