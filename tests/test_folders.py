"""Every path of a package that a page, an error or a source names leads to a folder of this repository."""

import re
import shlex

import pytest
from repository import FOLDERS, PACKAGES, REPOSITORY, STREETS

from lect import installing
from lect.plugin import install_command

PATH = re.compile(rf"(?<![\w/.-])(?:\./)?({'|'.join(STREETS)})/([a-z]\w*)")
PLACES = (".ci", ".github", "bench", "conformance", "core", "docs", "examples", "tests", *STREETS)
WRITTEN = {".json", ".md", ".py", ".toml", ".txt", ".yml", ""}
# The packages that a reader writes, or a test.
READERS = {"acme", "tool", "zorblax"}
# What the sessions of nox write, and other people's text.
OTHERS = {"_build", "__pycache__", "golden", "node_modules"}


def sources():
    """Return the files that people wrote for this repository, and those that are generated from them."""
    nested = [path for place in PLACES for path in sorted((REPOSITORY / place).rglob("*"))]
    return [
        path
        for path in (*sorted(REPOSITORY.iterdir()), *nested)
        if path.is_file() and path.suffix in WRITTEN and not OTHERS & set(path.relative_to(REPOSITORY).parts)
    ]


def test_every_folder_of_a_package_that_is_named_exists():
    texts = {path: path.read_text("utf-8", errors="replace") for path in sources()}
    named = [(path, street, name) for path, text in texts.items() for street, name in PATH.findall(text)]
    assert len(named) > 100
    assert [
        f"{path.relative_to(REPOSITORY)}: {street}/{name}"
        for path, street, name in named
        if name not in READERS and not (REPOSITORY / street / name / "pyproject.toml").is_file()
    ] == []


@pytest.mark.parametrize("name", PACKAGES)
def test_the_command_that_installs_a_package_names_its_folder(name, monkeypatch):
    monkeypatch.setattr(installing, "_checkout", lambda: str(REPOSITORY))
    monkeypatch.chdir(REPOSITORY / "docs")
    assert shlex.split(install_command(f"lect-{name}"))[-1] == str(FOLDERS[name])


def test_no_two_packages_have_the_same_name():
    assert len(FOLDERS) == sum(len(list(REPOSITORY.glob(f"{street}/*/pyproject.toml"))) for street in STREETS)
