"""Texts of a template that its maker's does not have, wherever they stand: no request may ever get there."""

from __future__ import annotations

import re
from functools import cache
from hashlib import sha256
from typing import TYPE_CHECKING, NamedTuple

from lect_jinja.engine.environment import ENVIRONMENT

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_KEY = re.compile(r"\w*")
"""A word alone is the name of a role or a field, with which templates compare."""
_IGNORED = frozenset({"whitespace", "comment", "comment_begin", "comment_end"})


class Literal(NamedTuple):
    """A text that stands in a template."""

    line: int
    text: str

    @property
    def digest(self) -> str:
        """A short digest: enough to tell the texts of one template apart."""
        return sha256(self.text.encode("utf-8", "surrogatepass")).hexdigest()[:8]


def taken_apart(source: str) -> tuple[str, list[Literal]]:
    """Return the fingerprint of a template without its texts, and these, in order."""
    shape = sha256()
    found = []
    for line, kind, value in ENVIRONMENT.lex(source):
        if kind in ("data", "string"):
            found.append(Literal(line, _read(value) if kind == "string" else value))
            value = ""
        if kind not in _IGNORED:
            shape.update(f"{kind} {value}\n".encode("utf-8", "surrogatepass"))
    return shape.hexdigest()[:16], found


def _read(spelled: str) -> str:
    """Return the value of a string as Jinja reads it: line ends and any character may stand in it."""
    return spelled[1:-1].encode("ascii", "backslashreplace").decode("unicode-escape")


def foreign(source: str, template: str, reached: Iterable[str]) -> Iterator[str]:
    """Yield, for people, the texts of a template that its maker's does not have.

    In a copy of a maker's text, that is every text that was changed. In a text of another shape, it is each that was
    not reached: what was, has been compared.

    Args:
        source: The template.
        template: The maker's, as `plugin:name`.
        reached: The prompts that it wrote.
    """
    shape, found = taken_apart(source)
    makers = _makers().get(template, {})
    if shape in makers:
        copies = (
            [each for each, digest in zip(found, digests, strict=True) if each.digest != digest]
            for digests in makers[shape]
        )
        changed = min(copies, key=len)
    else:
        known = {digest for texts in makers.values() for digests in texts for digest in digests}
        prompts = "\0".join(reached)
        changed = [each for each in found if each.digest not in known and each.text not in prompts] if known else []
    for line, text in changed:
        if shape in makers or not _KEY.fullmatch(text):
            yield f"line {line}: {text!r}, which the maker's template does not have there"


@cache
def _makers() -> dict[str, dict[str, list[list[str]]]]:
    """Return the digests of the texts of makers' templates, by the name of our equivalent and by shape."""
    import json
    from pkgutil import get_data

    rows = json.loads(get_data(__package__, "literals.json") or b"{}")
    return {name: {shape: [*map(str.split, texts)] for shape, texts in shapes.items()} for name, shapes in rows.items()}
