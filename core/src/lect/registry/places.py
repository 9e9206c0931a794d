"""What core knows about files on disk: only for messages, never to decide anything."""

from __future__ import annotations

import os

READER = "lect-jinja"
"""The package that reads a model's own template."""
_FILES = ("chat_template.jinja", "chat_template.json", "tokenizer_config.json")


def own_template(place: str) -> str | None:
    """Return the name of the file that may hold a model's template; None if there is none. Nothing is opened."""
    if place.lower().endswith(".gguf"):
        return os.path.basename(place) if os.path.isfile(place) else None
    return next((name for name in _FILES if os.path.isfile(os.path.join(place, name))), None)
