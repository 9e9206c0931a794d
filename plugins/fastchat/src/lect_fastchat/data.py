"""Read the data files of this package."""

from __future__ import annotations

from os.path import dirname, join
from typing import Any


def data_path(name: str) -> str:
    """Return where a data file is."""
    return join(dirname(__file__), name)


def read_data(name: str) -> bytes:
    """Return the contents of a data file, also where the package is in a zip file."""
    contents: bytes = __loader__.get_data(data_path(name))  # type: ignore[name-defined]
    return contents


def read_json(name: str) -> Any:
    """Return what a data file says."""
    import json

    return json.loads(read_data(name))
