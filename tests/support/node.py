"""Packages of npm for tests in a browser: `nox -s site` installs them, and says where."""

import os
from pathlib import Path

VARIABLE = "LECT_NODE_MODULES"


def find(name):
    """Return the folder of a package; None if there is none."""
    place = os.environ.get(VARIABLE)
    folder = Path(place or "node_modules") / name
    return folder if folder.is_dir() else None
