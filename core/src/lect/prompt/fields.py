"""Naming the fields of the input, and refusing wrong values."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, NoReturn, TypeGuard

from lect.errors import MessageError, saferepr
from lect.prompt.inputs import plain_str
from lect.values import Path

Kind = Literal["text", "mapping", "names", "mappings"]


def spell(path: Path) -> str:
    """Write a path as Python would reach the field: `messages[0].content`."""
    first, *rest = path
    return str(first) + "".join(map(_step, rest))


def _step(step: object) -> str:
    if isinstance(step, int):
        return f"[{step}]"
    return "." + (plain_str(step) if isinstance(step, str) else saferepr(step))


def wrong(where: str, value: object, wanted: str) -> NoReturn:
    """Refuse a value."""
    raise MessageError(f"{where} is {saferepr(value)} ({type(value).__name__}); expected {wanted}")


def is_list(value: object) -> TypeGuard[Sequence[Any]]:
    """Return whether `value` is a list of some kind, and not text or bytes; one without a length is none."""
    if not isinstance(value, Sequence) or isinstance(value, str | bytes | bytearray):
        return False
    try:
        return len(value) >= 0
    except Exception:  # a caller's class may raise anything, and a range may be too long for `len`
        return False


def is_list_of(kind: type, value: object) -> bool:
    """Return whether `value` is a list whose values are all of one type."""
    return is_list(value) and all(isinstance(each, kind) for each in value)


KINDS: dict[Kind, tuple[str, Callable[[object], bool]]] = {
    "text": ("text", lambda value: isinstance(value, str)),
    "mapping": ("a mapping", lambda value: isinstance(value, Mapping)),
    "names": ("a list of names", lambda value: is_list_of(str, value)),
    "mappings": ("a list of mappings", lambda value: is_list_of(Mapping, value)),
}
"""What a program may expect of a field, and what errors call it."""


def expect(kind: Kind, where: str, value: object) -> None:
    """Refuse a value that is not of a kind."""
    wanted, is_right = KINDS[kind]
    if not is_right(value):
        wrong(where, value, wanted)
