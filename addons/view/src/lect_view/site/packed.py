"""The installed packages as one archive, which the page unpacks for its own Python."""

from __future__ import annotations

import io
import os
import re
import zipfile
from collections.abc import Callable, Iterator
from importlib import metadata
from importlib.util import find_spec

from lect.errors import LectError

CORE = "lect"
BASE = (CORE, "jinja2")
"""What the packages of the page may need, with all that these need themselves: pure Python, or with a fallback that is.
A package that needs anything else is left out."""
METADATA = ("METADATA", "entry_points.txt")
NATIVE = (".so", ".pyd", ".dll", ".dylib", ".c", ".pyc")
WHEN = (1980, 1, 1, 0, 0, 0)
"""Of every file in the archive, so that the same packages give the same bytes."""
_REQUIRED = re.compile(r"[\w.-]+")
Seen = Callable[[str, int, int], object]
"""Is called with what is being done, how many steps are done, and of how many."""


def unseen(what: str, step: int, steps: int) -> None:
    """Say nothing of work that is being done."""


def packed(every: list[metadata.Distribution], seen: Seen = unseen) -> bytes:
    """Return distributions as a ZIP archive.

    Args:
        every: Which ones.
        seen: Is called with the name of each, how many come before it, and how many there are.
    """
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as file:
        for number, found in enumerate(every):
            seen(f"package: {found.metadata['Name']}", number, len(every))
            for name, content in sorted(_files(found)):
                file.writestr(zipfile.ZipInfo(name, WHEN), content, zipfile.ZIP_DEFLATED)
    return archive.getvalue()


def distributions() -> list[metadata.Distribution]:
    """Return core, the installed packages that extend it, and all that they need, by name."""
    installed: dict[str, metadata.Distribution] = {}
    for each in metadata.distributions():
        if each.metadata["Name"]:
            installed.setdefault(normal_name(each.metadata["Name"]), each)
    base, new = set[str](), {name for name in BASE if name in installed}
    while new:
        base |= new
        new = {name for each in new for name in needs(installed[each]) if name in installed} - base
    ours = {name for name, each in installed.items() if any(_is_group(point.group) for point in each.entry_points)}
    while beyond := {name for name in ours if not needs(installed[name]) <= base | ours}:
        ours -= beyond
    return [installed[name] for name in sorted(base | ours)]


def needs(found: metadata.Distribution) -> set[str]:
    """Return the names of the distributions that one needs, whatever the environment."""
    required = [each for each in found.requires or () if "extra ==" not in each]
    return {normal_name(match[0]) for each in required if (match := _REQUIRED.match(each))}


def normal_name(name: str) -> str:
    """Return the normalised name of a distribution."""
    return re.sub(r"[-_.]+", "-", name).lower()


def _is_group(group: str) -> bool:
    return group.partition(".")[0] == CORE


def _files(found: metadata.Distribution) -> Iterator[tuple[str, bytes]]:
    name = found.metadata["Name"]
    folder = f"{normal_name(name).replace('-', '_')}-{found.version}.dist-info"
    for each in METADATA:
        yield f"{folder}/{each}", (found.read_text(each) or "").encode()
    for module in sorted(_modules(found)):
        spec = find_spec(module)
        if spec is None or spec.origin is None:
            raise LectError(f"the files of {name} cannot be found: there is no module {module}")
        if not spec.submodule_search_locations:
            yield os.path.basename(spec.origin), _read(spec.origin)
        for place in spec.submodule_search_locations or ():
            yield from _tree(place, module)


def _modules(found: metadata.Distribution) -> set[str]:
    """Return the modules and packages of a distribution; an editable one lists none, but its entry points name them."""
    listed = {file.parts[0].removesuffix(".py") for file in found.files or () if file.suffix == ".py"}
    named = {point.value.partition(":")[0].partition(".")[0] for point in found.entry_points}
    return {name for name in listed or named if name.isidentifier()}


def _tree(place: str, package: str) -> Iterator[tuple[str, bytes]]:
    for folder, _, files in os.walk(place):
        inside = os.path.relpath(folder, place).replace(os.sep, "/")
        prefix = package if inside == "." else f"{package}/{inside}"
        for file in files:
            if not file.endswith(NATIVE):
                yield f"{prefix}/{file}", _read(os.path.join(folder, file))


def _read(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()
