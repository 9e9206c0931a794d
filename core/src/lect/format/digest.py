"""A short text that differs where templates do, and is the same in every process and on every Python."""

from collections.abc import Mapping
from functools import lru_cache, partial
from hashlib import blake2b
from typing import Any

from lect.format.template import Template
from lect.reply.grammar import GrammarPart


@lru_cache(maxsize=1024)
def digest(template: Template) -> str:
    """Return a digest of all that a template states: its facts, its table, its grammar, and the name of its program."""
    return blake2b(_spelled(template.stated()).encode(), digest_size=8).hexdigest()


def _spelled(value: Any) -> str:
    match value:
        case None | bool() | int() | float() | str() | bytes() | range():
            # What `repr` escapes depends on Python's Unicode version.
            return ascii(value)
        case list() | tuple():
            return f"({', '.join(map(_spelled, value))})"
        case set() | frozenset():
            return f"{{{', '.join(sorted(map(_spelled, value)))}}}"
        case Mapping():
            return f"{{{', '.join(f'{_spelled(key)}: {_spelled(item)}' for key, item in value.items())}}}"
        case GrammarPart():
            return type(value).__qualname__ + _spelled(value.facts())
        case partial():
            return "partial" + _spelled((value.func, value.args, value.keywords))
    # By name only: a memory address or bytecode would be different in the next process.
    named = value if hasattr(value, "__qualname__") else type(value)
    return f"{named.__module__}.{named.__qualname__}"
