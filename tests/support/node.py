"""Packages of npm for tests in a browser: `nox -s site` installs them, and says where."""

import json
import os
from pathlib import Path

VARIABLE = "LECT_NODE_MODULES"


def find(name):
    """Return the folder of a package; None if there is none."""
    place = os.environ.get(VARIABLE)
    folder = Path(place or "node_modules") / name
    return folder if folder.is_dir() else None


def inaccessible(tab):
    """Return what axe-core finds wrong with the page in a tab."""
    if not tab.evaluate("Boolean(window.axe)"):
        tab.evaluate(f"{(find('axe-core') / 'axe.min.js').read_text('utf-8')}; 0")
    found = json.loads(tab.evaluate("axe.run().then((found) => JSON.stringify(found.violations))"))
    return [(each["impact"], each["id"], each["nodes"][0]["html"]) for each in found]
