"""How to install a package of this project, in a form that works here."""

import os
from functools import cache

from lect.boundaries import boundary

STREETS = ("plugins", "addons")
"""The folders of a checkout that have packages."""


@boundary
def install_command(package: str) -> str:
    """Return the command that installs a package: with what it needs, from core's checkout, or else by its name."""
    import shlex
    import tomllib

    from packaging.requirements import Requirement

    checkout = _checkout()
    folder = _folder(checkout, package)
    if checkout is None or folder is None:
        return f"pip install {package}"
    with open(os.path.join(checkout, folder, "pyproject.toml"), "rb") as file:
        needed = map(Requirement, tomllib.load(file)["project"]["dependencies"])
    folders = [*(_folder(checkout, each.name) for each in needed), folder]
    start = os.curdir if os.path.isdir(STREETS[0]) and os.path.samefile(os.curdir, checkout) else checkout
    return shlex.join(["pip", "install", *(os.path.join(start, each) for each in folders if each)])


def _folder(checkout: str | None, package: str) -> str | None:
    """Return the folder that a package has in a checkout; None if it has none."""
    if checkout is None or not package.startswith("lect-"):
        return None
    folders = (os.path.join(street, package.removeprefix("lect-")) for street in STREETS)
    return next((each for each in folders if os.path.isfile(os.path.join(checkout, each, "pyproject.toml"))), None)


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
