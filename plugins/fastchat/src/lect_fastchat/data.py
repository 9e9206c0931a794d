"""Read the data files of this package."""

from __future__ import annotations

from os.path import dirname, join
from typing import Any


def read_json(name: str) -> Any:
    """Return the contents of a data file."""
    import json

    with open(join(dirname(__file__), name), encoding="utf-8") as file:
        return json.load(file)
