"""Find the installed adapters without importing any of them.

Reading `entry_points.txt` in the directories of `sys.path` takes a tenth of the time that importlib.metadata needs,
import included. Archives and custom finders are left to importlib.metadata.
"""

import os
import sys
from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any, NamedTuple

from lect.contain import Contained, StageError, returned
from lect.registry.groups import FALLBACK, GROUP, HINTS, TEMPLATES
from lect.registry.metafiles import Distribution, MetaFiles, read_distribution


class Record(NamedTuple):
    """An installed adapter, reply format, notation, ..., as its metadata describe it; nothing is imported."""

    package: str
    """The distribution, in its normal form: `lect-acme`."""
    version: str
    name: str
    """The name of the adapter, the format, ..."""
    value: str
    """Where the object is: `module` or `module:attribute`."""
    hints: tuple[str, ...] = ()
    """Lower-case words, one of which must occur in a path; empty if the adapter is asked about every path."""
    templates: tuple[str, ...] = ()
    """The names of templates that it declares."""
    group: str = GROUP
    """The group of entry points that it is in."""
    problem: str = ""
    """Why it cannot be used, as far as its metadata show; otherwise empty."""

    @property
    def id(self) -> str:
        """The unique name: `lect-acme:acme`."""
        return f"{self.package}:{self.name}"

    @property
    def fallback(self) -> bool:
        """Whether it is asked only when no other adapter has matched."""
        return self.group == FALLBACK


def records(found: Iterable[Distribution]) -> tuple[Record, ...]:
    """Return what is installed in an order that does not depend on how it was installed."""
    made: list[Record] = []
    for dist in found:
        if not dist.entry_points:
            # What it contains is unknown, but it must not go unnoticed.
            made.append(Record(dist.name, dist.version, dist.name, "", problem=dist.problem))
        hints, templates = _names_by_value(dist, HINTS), _names_by_value(dist, TEMPLATES)
        for group, name, value in dist.entry_points:
            if group not in (HINTS, TEMPLATES):
                named = (hints.get(value, ()), templates.get(value, ()))
                made.append(Record(dist.name, dist.version, name, value, *named, group, dist.problem))
    return tuple(sorted(made))


def _names_by_value(dist: Distribution, group: str) -> dict[str, tuple[str, ...]]:
    """Return the sorted names of a group by the object that they are for."""
    names: dict[str, list[str]] = {}
    for point in dist.entry_points:
        if point.group == group:
            names.setdefault(point.value, []).append(point.name.lower() if group == HINTS else point.name)
    return {value: tuple(sorted(each)) for value, each in names.items()}


def distributions() -> list[Distribution]:
    """Return the distributions with our entry points, the first of each name on `sys.path`."""
    seen: dict[str, Distribution] = {}
    for place in places():
        for name, found in _by_name(map(read_distribution, place)).items():
            seen.setdefault(name, found)
    return [dist for dist in seen.values() if dist.entry_points or dist.problem]


def _by_name(found: Iterable[Distribution]) -> dict[str, Distribution]:
    """Return the distributions of one place by name. Two of the same name are a problem: either may be outdated."""
    by_name: dict[str, Distribution] = {}
    for dist in found:
        first = by_name.setdefault(dist.name, dist)
        if first.place != dist.place and (first.entry_points or dist.entry_points):
            problem = (
                f"it is installed twice in one place: {first.place} and {dist.place}\n"
                f"  try: delete the one that is out of date, and pip install --force-reinstall {dist.name}"
            )
            by_name[dist.name] = (first if first.entry_points else dist)._replace(problem=problem)
    return by_name


def places() -> Iterator[Iterable[MetaFiles]]:
    """Yield the distributions in each entry of `sys.path`, and then those of custom finders."""
    for entry in sys.path:
        if isinstance(entry, str):
            # Zip files and eggs keep their metadata differently.
            is_archive = os.path.isfile(entry) or entry.lower().endswith(".egg")
            yield _by_importlib(path=[entry]) if is_archive else _in_directory(entry)
    for finder in sys.meta_path:
        module = (getattr(finder, "__module__", "") or "").split(".")[0]
        if hasattr(finder, "find_distributions") and module not in ("_frozen_importlib_external", "importlib_metadata"):
            yield _by_importlib(finder)


def _in_directory(entry: str) -> Iterator[MetaFiles]:
    try:
        names = os.listdir(entry or ".")
    except (OSError, ValueError):  # sys.path may contain anything, even a NUL
        return
    for name in sorted(names):
        # An interrupted pip leaves behind directories that begin with ~.
        if name.lower().endswith((".dist-info", ".egg-info")) and name[0] != "~":
            directory = os.path.join(entry, name)
            yield MetaFiles(directory, partial(_read, directory))


def _read(directory: str, name: str) -> bytes | None:
    try:
        with open(os.path.join(directory, name), "rb") as file:
            return file.read()
    except OSError:
        return None


def _by_importlib(finder: Any = None, **context: Any) -> Iterator[MetaFiles]:
    """Yield what a finder finds, by default that of importlib_metadata."""
    import importlib_metadata as metadata

    finder = metadata.MetadataPathFinder if finder is None else finder
    within = metadata.DistributionFinder.Context(**context)  # type: ignore[no-untyped-call]
    # A finder that fails must not hide what others find.
    for dist in returned(lambda: list(finder.find_distributions(within)), otherwise=()):
        yield MetaFiles(str(getattr(dist, "_path", "")), partial(_read_text, dist))


def _read_text(dist: Any, name: str) -> bytes | None:
    try:
        with Contained("discover"):
            text = dist.read_text(name)
    except StageError as failed:
        return failed.error.object if isinstance(failed.error, UnicodeDecodeError) else None
    return None if text is None else str(text).encode("utf-8", "replace")
