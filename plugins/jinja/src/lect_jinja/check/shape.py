"""The shape that a lock file must have: what is in it, and of which type."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from lect.errors import saferepr
from lect_jinja.check import MOST
from lect_jinja.check.telling import COMPOSED

if TYPE_CHECKING:
    from collections.abc import Callable

DIGITS = 8
"""Of the digest of one prompt: what a person compares is whether any has changed."""
FAILS = "fails"
"""In place of a digest: there is no prompt."""
_DIGEST = re.compile(rf"[0-9a-f]{{{DIGITS}}}|{FAILS}")


class Leaf(NamedTuple):
    """A value that has no more values in it, or any."""

    what: str
    fits: Callable[[Any], bool]


class Each(NamedTuple):
    """An object with names that the file chooses, or a list of any length, and what each value in it must be."""

    of: Any
    least: int = 0
    is_list: bool = False
    named: Leaf | None = None


LONGEST_NAME = 4096
"""In characters: a model path has no more, and no other name is as long."""


def _is_name(value: Any) -> bool:
    return isinstance(value, str) and value.isprintable() and 0 < len(value) <= LONGEST_NAME


def _is_count(value: Any) -> bool:
    return type(value) is int and value >= 0


TEXT = Leaf("a text", lambda value: isinstance(value, str))
NAME = Leaf(f"a name of at most {LONGEST_NAME} characters, without control characters", _is_name)
NAME_OR_NOTHING = Leaf(f"{NAME.what}, or nothing", lambda value: value == "" or _is_name(value))
HEX = Leaf("a digest", lambda value: isinstance(value, str) and re.fullmatch("[0-9a-f]+", value) is not None)
HEX_OR_NOTHING = Leaf("a digest, or nothing", lambda value: value == "" or HEX.fits(value))
COUNT = Leaf("a number", _is_count)
ID_OR_NULL = Leaf("the id of a token, or null", lambda value: value is None or _is_count(value))
MARKER = Leaf(
    "the id of a token, several, or null",
    lambda value: (
        ID_OR_NULL.fits(value)
        or (isinstance(value, list) and all(map(_is_count, value)))
        or (isinstance(value, str) and re.fullmatch(r"\d+ to \d+", value) is not None)
    ),
)
ANYTHING = Leaf("a value", lambda _: True)
PAIR = Leaf(
    "two texts",
    lambda value: isinstance(value, list) and len(value) == 2 and all(isinstance(each, str) for each in value),
)
OPTION = Leaf(
    "the values of an option",
    lambda value: (
        isinstance(value, list)
        and [*map(type, value)] == [list, list, bool]
        and all(isinstance(each, str) and each in COMPOSED for each in value[1])
    ),
)
PROMPTS = Leaf(
    f"the digests of {MOST} prompts, one for each request",
    lambda value: (
        isinstance(value, str) and len(value.split(" ")) == MOST and all(map(_DIGEST.fullmatch, value.split(" ")))
    ),
)
ASKED = {
    "words": Each(TEXT, is_list=True),
    "sought": Each(TEXT, is_list=True),
    "enclosing": Each(PAIR, is_list=True),
    "roles": Each(NAME, 1, is_list=True),
    "shared_roles": Each(NAME, is_list=True),
    "options": Each(OPTION, named=NAME),
    "fields": Each(Each(ANYTHING, 1, is_list=True), 1, named=NAME),
    "parts": Each(NAME, is_list=True),
}
ROW = {
    "template": NAME,
    "package": NAME_OR_NOTHING,
    "digest": HEX,
    "tree": HEX_OR_NOTHING,
    "text": TEXT,
    "stop": Each(ID_OR_NULL),
    "stop_ids": Each(COUNT, is_list=True),
    "markers": Each(MARKER),
    "composer": COUNT,
    "asked": ASKED,
    "prompts": PROMPTS,
}
"""What is written down of a model."""
LOCK = {
    "kind": NAME,
    "version": COUNT,
    "packages": Each(NAME_OR_NOTHING, 1, named=NAME),
    "models": Each(ROW, 1, named=NAME),
}


def fault(value: Any, shape: Any = LOCK, place: str = "it") -> str:
    """Return what is wrong with a value, and where; nothing if nothing is."""
    if isinstance(shape, Leaf):
        return "" if shape.fits(value) else f"{place} is {saferepr(value)}; expected {shape.what}"
    wanted = list if isinstance(shape, Each) and shape.is_list else dict
    if not isinstance(value, wanted):
        return f"{place} is {saferepr(value)}; expected {'a list' if wanted is list else 'an object'}"
    parts = dict(enumerate(value)) if isinstance(value, list) else value
    if isinstance(shape, Each):
        if len(parts) < shape.least:
            return f"{place} is empty"
        shapes = dict.fromkeys(parts, shape.of)
        names = [fault(name, shape.named, f"a name in {place}") for name in parts if shape.named]
    else:
        shapes = shape
        names = [f"{place} has no {name!r}" for name in shape if name not in parts]
        names += [f"{place} has {saferepr(name)}, which is in no lock file" for name in parts if name not in shape]
    inside = (fault(each, shapes[name], f"{place}[{saferepr(name)}]") for name, each in parts.items() if name in shapes)
    return next(filter(None, (*names, *inside)), "")
