"""How to install a package of this project, in a form that works here."""

from __future__ import annotations

import os
from functools import cache


def install_command(package: str) -> str:
    """Return the command that installs a package: from the checkout that core came from, or else by its name."""
    import shlex

    folder = os.path.join("plugins", package.removeprefix("lect-"))
    checkout = _checkout()
    if checkout is None or not os.path.isdir(os.path.join(checkout, folder)):
        return f"pip install {package}"
    is_here = os.path.isdir(folder) and os.path.samefile(os.curdir, checkout)
    return f"pip install {shlex.quote(os.path.join(os.curdir if is_here else checkout, folder))}"


@cache
def _checkout() -> str | None:
    """Return the checkout that core was installed from; None if it came as a wheel."""
    import json
    from urllib.parse import urlsplit
    from urllib.request import url2pathname

    import importlib_metadata as metadata

    try:
        found = json.loads(metadata.distribution("lect").read_text("direct_url.json") or "{}")
        url = urlsplit(found["url"])
    except (metadata.PackageNotFoundError, OSError, ValueError, LookupError, TypeError):
        return None
    return os.path.dirname(url2pathname(url.path)) if url.scheme == "file" and "dir_info" in found else None
