"""The folders of this package are its jobs: each says which others it imports, and imports those alone."""

import ast
import re
from importlib import import_module
from pathlib import Path

import pytest

import lect_jinja

HOME = Path(lect_jinja.__file__).parent
FOLDERS = sorted(path.parent.name for path in HOME.glob("*/__init__.py"))


def imported(path):
    """Return what a module imports of this package, inside functions and for types too."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "write imports in full"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def arrows(folder):
    """Return the other folders that the modules of a folder import."""
    names = {
        name.split(".")[1] for path in (HOME / folder).rglob("*.py") for name in imported(path) if "lect_jinja." in name
    }
    return (names - {folder}) & {*FOLDERS}


def stated(folder):
    """Return the folders that the docstring of a folder says it imports."""
    (said,) = re.findall(
        r"imports? (no other folder|`[^.]*`)\.", " ".join(import_module(f"lect_jinja.{folder}").__doc__.split())
    )
    return {*re.findall(r"`(\w+)`", said)}


def test_every_module_is_in_a_folder():
    assert [path.name for path in HOME.glob("*.py")] == ["__init__.py"]


@pytest.mark.parametrize("folder", FOLDERS)
def test_a_folder_imports_what_it_says(folder):
    assert arrows(folder) == stated(folder)


def test_the_arrows_go_one_way():
    left = {folder: arrows(folder) for folder in FOLDERS}
    while lowest := {folder for folder in left if not left[folder] & left.keys()}:
        left = {folder: others for folder, others in left.items() if folder not in lowest}
    assert not left
