"""The packages of this repository, and the folders that they are in."""

from pathlib import Path

REPOSITORY = Path(__file__).parents[2]
STREETS = ("plugins", "addons")
"""The folders of packages: those that answer for models, and those that are no adapters."""
FOLDERS = {
    path.parent.name: path.parent
    for street in STREETS
    for path in sorted(REPOSITORY.glob(f"{street}/*/pyproject.toml"))
}
"""The folder of every package but core, by its name."""
PACKAGES = sorted(FOLDERS)
ADDONS = [name for name in PACKAGES if FOLDERS[name].parent.name == "addons"]


def folder(name):
    """Return the folder of a package."""
    return FOLDERS.get(name) or REPOSITORY / name
