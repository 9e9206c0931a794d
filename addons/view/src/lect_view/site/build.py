"""Write the page, with everything that it needs, into a folder."""

from __future__ import annotations

import json
import os
import re
import shutil
from html import escape

from lect.errors import LectError, saferepr
from lect.plugin import owned
from lect_view.page import file_text
from lect_view.site.live import EXAMPLE, first
from lect_view.site.packed import Seen, distributions, packed, unseen

INDEX = "site/index.html"
PAGES = ("view.css", "step.js", *(f"site/{name}" for name in ("site.css", "page.js", "worker.js")))
NEEDED = ("pyodide.mjs", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json")
FETCHED = NEEDED[1:]
"""What the page fetches as data, so that it can say how much of it has come; a module comes otherwise."""
MODULE = ("pyodide.asm.mjs", "pyodide.asm.js")
"""One of these is there, depending on the version."""
_PART = re.compile(r"\{\{(\w+)\}\}")
PACKAGE = os.path.join("node_modules", "pyodide")
ADVICE = "npm install pyodide, here or in a folder above; or --pyodide DIR with a folder that has it"


class PyodideError(LectError):
    """Python for browsers is missing, or incomplete."""


def write_site(folder: str, pyodide: str | None = None, seen: Seen = unseen) -> None:
    """Write the page into a folder, which is made if it is missing.

    Args:
        folder: Where to write. Other files in it stay.
        pyodide: The folder of Pyodide; by default `node_modules/pyodide` here or in a folder above.
        seen: Is called with what is being done, how many steps are done, and of how many.

    Raises:
        PyodideError: If there is no Pyodide.
        LectError: If something cannot be written.
    """
    source = find_pyodide(pyodide)
    try:
        os.makedirs(os.path.join(folder, "pyodide"), exist_ok=True)
        # Whoever writes the first page writes them all.
        with owned(os.path.join(folder, "index.html")):
            parts, every = _parts(source), distributions()
            steps = len(parts) + len(every)
            for step, name in enumerate(parts):
                seen(f"Python: {name}", step, steps)
                shutil.copyfile(os.path.join(source, name), os.path.join(folder, "pyodide", name))
            packages = packed(every, lambda name, step, _: seen(name, len(parts) + step, steps))
            _write(os.path.join(folder, "packages.zip"), packages)
            for name in PAGES:
                _write(os.path.join(folder, os.path.basename(name)), f"{file_text(name)}\n".encode())
            size = len(packages) + sum(os.path.getsize(os.path.join(source, name)) for name in FETCHED)
            _write(os.path.join(folder, "index.html"), index(size).encode())
    except OSError as error:
        raise LectError(f"cannot write the page into {saferepr(folder)}: {error.strerror or error}") from error


def index(size: int) -> str:
    """Return the page as it is before Python is there, with the picture of its example.

    Args:
        size: How many bytes the page has to fetch until then.
    """
    model, shown = first()
    parts = {
        "model": escape(model),
        "chat": escape(json.dumps(EXAMPLE, ensure_ascii=False, indent=2)),
        "python": escape(shown.python),
        "size": str(size),
        "shown": shown.html,
    }
    return _PART.sub(lambda found: parts[found[1]], f"{file_text(INDEX)}\n")


def find_pyodide(given: str | None = None) -> str:
    """Return the folder of Pyodide.

    Raises:
        PyodideError: If there is none, or a part of it is missing.
    """
    folder = given or _installed()
    if folder is None:
        raise PyodideError(f"the page needs Pyodide, Python for browsers, and there is no {PACKAGE}\n  try: {ADVICE}")
    missing = sorted({*NEEDED} - {*_parts(folder)})
    if missing:
        raise PyodideError(f"{saferepr(folder)} does not hold Pyodide: it has no {missing[0]}\n  try: {ADVICE}")
    return folder


def _installed() -> str | None:
    here = os.getcwd()
    while True:
        found = os.path.join(here, PACKAGE)
        if os.path.isdir(found):
            return found
        above = os.path.dirname(here)
        if above == here:
            return None
        here = above


def _parts(folder: str) -> list[str]:
    return [name for name in (*NEEDED, *MODULE) if os.path.isfile(os.path.join(folder, name))]


def _write(path: str, content: bytes) -> None:
    with open(path, "wb") as file:
        file.write(content)
