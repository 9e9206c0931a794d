"""Naming a field of what was given, and refusing what is wrong with it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NoReturn

from lect.errors import MessageError, shown
from lect.values import Path

DEEPEST = 64
"""How deep tools and arguments may be nested: more is no schema, and would exhaust the stack."""
LARGEST_INTEGER = 14_000
"""Bits: Python prints no integer of more than 4,300 digits."""


def spell(path: Path) -> str:
    """Write a path as Python would reach the field: `messages[0].content`."""
    first, *rest = path
    return str(first) + "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in rest)


def wrong(where: str, value: object, wanted: str) -> NoReturn:
    """Refuse a value.

    Raises:
        MessageError: Always.
    """
    msg = f"{where} is {shown(value)} ({type(value).__name__}); expected {wanted}"
    raise MessageError(msg)


def check_json(value: Any, path: Path, depth: int = 0) -> None:
    """Check that a value can be written: not nested too deeply, which one that holds itself is, and no huge integer.

    Raises:
        MessageError: If it cannot.
    """
    if depth > DEEPEST:
        msg = f"{spell(path[:-depth])} is nested more than {DEEPEST} deep\n  try: a flatter value"
        raise MessageError(msg)
    if isinstance(value, Mapping):
        for key, item in value.items():
            check_json(item, (*path, key if isinstance(key, str | int) else str(key)), depth + 1)
    elif isinstance(value, list | tuple):
        for index, item in enumerate(value):
            check_json(item, (*path, index), depth + 1)
    elif isinstance(value, int) and value.bit_length() > LARGEST_INTEGER:
        msg = f"{spell(path)} is an integer of {value.bit_length():,} bits; expected at most {LARGEST_INTEGER:,}"
        raise MessageError(msg)
