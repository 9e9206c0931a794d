"""Suggestions for messages; they never decide anything.

What core knows of models and their makers is in `packages.py`, which is generated from what the plugins declare.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lect.errors import near_names
from lect.registry.packages import OWNERS, PACKAGES, RESERVED

if TYPE_CHECKING:
    from collections.abc import Container

    from lect.registry.discover import Record

MOST_COMPARED = 6
LONGEST_COMPARED = 20
"""Limits on the words of a name that are compared with known ones: that is slow, and a name may have thousands."""

_LOOK_ALIKES = str.maketrans({
    "I": "l", "1": "l", "|": "l", "0": "o", "İ": "i", "ı": "i",
    "а": "a", "с": "c", "е": "e", "і": "i", "о": "o", "р": "p", "х": "x", "у": "y", "ѕ": "s", "ԁ": "d", "ո": "n",
    "α": "a", "ο": "o", "‐": "-", "‑": "-", "–": "-", "−": "-",
})  # fmt: skip


def look_alike(text: str) -> str:
    """Return what `text` looks like: look-alike characters become the ones that they resemble."""
    return text.translate(_LOOK_ALIKES).lower()


def imitated_owner(owner: str) -> str | None:
    """Return the well-known owner whose name `owner` resembles but does not equal."""
    if owner.lower() in OWNERS:
        return None
    seen = look_alike(owner)
    return next((known for known in OWNERS if look_alike(known) == seen), None)


def package_for(words: tuple[str, ...], installed: Container[str] = ()) -> str | None:
    """Return the package for a name made of `words`: the one with the first word that any package has.

    A family and a fallback may share a word; then it is the first that is not installed.
    """
    known = set().union(*PACKAGES.values())
    first = next((word for word in words if word in known), None)
    packages = [package for package, theirs in PACKAGES.items() if first in theirs]
    return next((package for package in packages if package not in installed), packages[0] if packages else None)


def near_word(words: tuple[str, ...]) -> str | None:
    """Return the word of a package that one of the first `words` nearly equals."""
    known = [word for words in PACKAGES.values() for word in words]
    compared = (word for word in words[:MOST_COMPARED] if 3 < len(word) <= LONGEST_COMPARED and word != "chat")
    return next((near[0] for word in compared if (near := near_names(word, known, likeness=0.75))), None)


def reserved_names(record: Record) -> str:
    """Say which names of a plugin belong to another package; empty if none does."""
    if record.package in RESERVED:
        return ""
    used = dict.fromkeys((record.name, *record.hints, *record.templates))
    taken = [f"{name!r} ({package})" for name in used for package, reserved in RESERVED.items() if name in reserved]
    if not taken:
        return ""
    names = f"the {'name' if len(taken) == 1 else 'names'} {', '.join(taken)}"
    return f"{record.id} uses {names} of another package; LECT_DISABLE_PLUGINS={record.id} blocks it"


def install_command(package: str) -> str:
    """Return the command that installs a package; also from a checkout, where nothing is published."""
    return f"pip install {package}  (from a checkout: pip install ./plugins/{package.removeprefix('lect-')})"
