"""Environments with only some of the packages that are installed here: folders of links, laid over one interpreter."""

import importlib.metadata
import importlib.util
import sys
from functools import cache
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

SCRIPT = """#!/bin/sh
export PYTHONPATH="{site}"
exec "{python}" -S {words} "$@"
"""


def overlay(directory, wanted):
    """Make an environment with core, what is wanted and all that these need; return the folder of its programs.

    Raises:
        importlib.metadata.PackageNotFoundError: One of them is not installed here.
    """
    found = {path.name: path for name in with_needs(("lect", *wanted)) for path in parts(name)}
    # By this name dill recognises what it need not send to other processes.
    site, programs = directory / "site-packages", directory / "bin"
    site.mkdir(parents=True)
    programs.mkdir()
    for name, path in found.items():
        (site / name).symlink_to(path)
    for program, words in (("python", ""), ("lect", "-m lect")):
        script = programs / program
        script.write_text(SCRIPT.format(site=site, python=sys.executable, words=words), "utf-8")
        script.chmod(0o755)
    return programs


@cache
def parts(name):
    """Return the files and folders of a distribution that are beside its metadata, and those."""
    found = importlib.metadata.distribution(name)
    if name.startswith("lect"):  # It may be installed as a link to its source.
        module = importlib.util.find_spec(name.replace("-", "_"))
        return [Path(module.submodule_search_locations[0]), Path(found._path)]
    folder = Path(found._path).parent
    names = {file.parts[0] for file in found.files if file.suffix != ".pth"} - {"..", "__pycache__"}
    return [folder / each for each in sorted(names)]


def with_needs(wanted):
    """Return the names of distributions and of all that they need, as an installer chooses them."""
    chosen, waiting = set(), list(map(Requirement, wanted))
    while waiting:
        needed = waiting.pop()
        choice = canonicalize_name(needed.name), frozenset(needed.extras)
        if choice not in chosen:
            chosen.add(choice)
            waiting += requirements(*choice)
    return sorted({name for name, _ in chosen})


@cache
def requirements(name, extras):
    """Return what a distribution needs here with some of its extras."""
    listed = list(map(Requirement, importlib.metadata.requires(name) or ()))
    return [
        each
        for each in listed
        if each.marker is None or any(each.marker.evaluate({"extra": extra}) for extra in ("", *extras))
    ]
