"""Read the data files of this package."""

from __future__ import annotations

from os.path import dirname, join
from typing import Any


def data_path(name: str) -> str:
    """Return where a data file is."""
    return join(dirname(__file__), name)


def read_json(name: str) -> Any:
    """Return the contents of a data file."""
    import json

    with open(data_path(name), encoding="utf-8") as file:
        return json.load(file)
