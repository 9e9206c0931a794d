"""Environments with only some of the packages that are installed here: folders of links, laid over one interpreter."""

import importlib.metadata
import importlib.util
import re
import sys
import sysconfig
from functools import cache
from pathlib import Path

SCRIPT = """#!/bin/sh
export PYTHONPATH="{site}"
exec "{python}" -S {words} "$@"
"""


def overlay(directory, names):
    """Make an environment with core and some plugins, and all that is not ours; return the folder of its programs."""
    site, programs = directory / "site", directory / "bin"
    site.mkdir(parents=True)
    programs.mkdir()
    for path in others():
        (site / path.name).symlink_to(path)
    for name in ("lect", *sorted(with_needs(names))):
        for path in parts(name):
            (site / path.name).symlink_to(path)
    for program, words in (("python", ""), ("lect", "-m lect")):
        script = programs / program
        script.write_text(SCRIPT.format(site=site, python=sys.executable, words=words), "utf-8")
        script.chmod(0o755)
    return programs


@cache
def others():
    """Return everything in the folders of packages that is not ours."""
    folders = dict.fromkeys(map(Path, (sysconfig.get_path("purelib"), sysconfig.get_path("platlib"))))
    found = {path.name: path for folder in folders for path in folder.iterdir()}
    return [path for name, path in found.items() if not re.match(r"lect[_.-]|lect$|__editable__|.*\.pth$", name)]


@cache
def parts(name):
    """Return the package and the metadata of a distribution of ours."""
    module = importlib.util.find_spec(name.replace("-", "_"))
    return Path(module.submodule_search_locations[0]), Path(importlib.metadata.distribution(name)._path)


def with_needs(names):
    """Return some distributions of ours, and those that they need."""
    needed = set(names)
    for name in names:
        required = importlib.metadata.requires(name) or ()
        needed |= with_needs(set(re.findall(r"(?m)^(lect-\w+)(?!.*extra ==)", "\n".join(required))))
    return needed
