"""Warnings about a path that was resolved; they decide nothing.

They are kept apart from the suggestions in errors, which need much more and are seldom needed.
"""

import os

from lect.errors import saferepr
from lect.registry.adapters import Adapters
from lect.registry.discover import Record
from lect.registry.groups import PATHS
from lect.registry.packages import OWNERS, RESERVED
from lect.registry.refs import LONGEST_SHOWN, ModelRef

READER = "lect-jinja"
"""The package that reads a model's own template."""
_FILES = ("chat_template.jinja", "chat_template.json", "tokenizer_config.json")
_LOOK_ALIKES = str.maketrans({
    "I": "l", "1": "l", "|": "l", "0": "o", "İ": "i", "ı": "i",
    "а": "a", "с": "c", "е": "e", "і": "i", "о": "o", "р": "p", "х": "x", "у": "y", "ѕ": "s", "ԁ": "d", "ո": "n",
    "α": "a", "ο": "o", "‐": "-", "‑": "-", "–": "-", "−": "-",
})  # fmt: skip


def look_alike(text: str) -> str:
    """Return what `text` looks like: look-alike characters become the ones that they resemble."""
    return text.translate(_LOOK_ALIKES).lower()


def imitation_warnings(ref: ModelRef) -> tuple[str, ...]:
    """Return a warning if the owner's name resembles that of a well-known owner, but does not equal it."""
    owner = ref.owner
    if owner is None or owner.lower() in OWNERS:
        return ()
    imitated = next((known for known in OWNERS if look_alike(known) == look_alike(owner)), None)
    if imitated is None:
        return ()
    path = ref.original[:LONGEST_SHOWN] + "..." * (len(ref.original) > LONGEST_SHOWN)
    return (f"the owner {owner!a} looks like {imitated!r} but differs: is {path!a} the model that you mean?",)


def reserved_names(record: Record) -> str:
    """Say which names of a plugin belong to another package; empty if none does."""
    if record.package in RESERVED:
        return ""
    used = dict.fromkeys((record.name, *record.hints, *record.templates))
    taken = [f"{name!r} ({package})" for name in used for package, reserved in RESERVED.items() if name in reserved]
    names = f"the {'name' if len(taken) == 1 else 'names'} {', '.join(taken)}"
    return f"{record.id} uses {names} of another package; LECT_DISABLE_PLUGINS={record.id} blocks it" if taken else ""


def unread_warnings(adapters: Adapters, ref: ModelRef) -> tuple[str, ...]:
    """Return a warning if a file or directory may hold a template that nothing installed reads. Nothing is opened."""
    if ref.place is None or any(record.group == PATHS for record in adapters.usable()):
        return ()
    place = without_template(ref.place)
    files = [place] if place.lower().endswith(".gguf") else [os.path.join(place, name) for name in _FILES]
    found = next((os.path.basename(file) for file in files if os.path.isfile(file)), None)
    what = f"its {saferepr(found)} may hold the model's own template"
    return () if found is None else (f"{what}, but nothing installed reads it ({READER} does)",)


def without_template(place: str) -> str:
    """Return a path without the name of one of its templates, which may follow it."""
    return place if os.path.lexists(place) else place.rpartition("#")[0] or place
