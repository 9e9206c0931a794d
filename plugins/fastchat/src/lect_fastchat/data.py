"""Read the data files of this package."""

from __future__ import annotations

from os.path import dirname, join
from typing import Any


def data_path(name: str) -> str:
    """Return the path of a data file."""
    return join(dirname(__file__), name)


def read_data(name: str) -> bytes:
    """Return the contents of a data file, even if the package is in a zip file."""
    contents: bytes = __loader__.get_data(data_path(name))  # type: ignore[name-defined]
    return contents


def read_json(name: str) -> Any:
    """Return the parsed contents of a data file."""
    import json

    return json.loads(read_data(name))
