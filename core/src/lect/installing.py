"""How to install a package of this project, in a form that works here."""

from __future__ import annotations

import os
from functools import cache


def install_command(package: str) -> str:
    """Return the command that installs a package: with what it needs, from core's checkout, or else by its name."""
    import shlex
    import tomllib

    from packaging.requirements import Requirement

    checkout, name = _checkout(), package.removeprefix("lect-")
    stated = os.path.join(checkout or "", "plugins", name, "pyproject.toml")
    if checkout is None or not os.path.isfile(stated):
        return f"pip install {package}"
    with open(stated, "rb") as file:
        needed = map(Requirement, tomllib.load(file)["project"]["dependencies"])
    names = [*(each.name.removeprefix("lect-") for each in needed if each.name.startswith("lect-")), name]
    is_here = os.path.isdir("plugins") and os.path.samefile(os.curdir, checkout)
    start = os.path.join(os.curdir if is_here else checkout, "plugins")
    return shlex.join(["pip", "install", *(os.path.join(start, each) for each in names)])


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
