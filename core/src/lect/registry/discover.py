"""Find the installed adapters without importing any of them.

Reading `entry_points.txt` in the directories of `sys.path` takes a tenth of the time that importlib.metadata needs,
import included. Whatever is not such a directory, or is found by a finder of somebody's own, is left to
importlib.metadata.
"""

import os
import re
import sys
from collections.abc import Iterable, Iterator
from typing import NamedTuple

GROUP = "lect"
HINTS = "lect.hints"
TEMPLATES = "lect.templates"
FALLBACK = "lect.fallback"
REPLIES = "lect.replies"
GROUPS = frozenset({GROUP, HINTS, TEMPLATES, FALLBACK, REPLIES})


class EntryPoint(NamedTuple):
    """A line of a distribution's `entry_points.txt`."""

    group: str
    name: str
    value: str


class Distribution(NamedTuple):
    """An installed distribution that has entry points of ours."""

    name: str
    version: str
    entry_points: tuple[EntryPoint, ...]


class Record(NamedTuple):
    """An installed adapter, or reply format, as its metadata tell it; nothing of it is imported.

    Attributes:
        package: The distribution, in its normal form: `lect-acme`.
        version: Its version.
        name: The name of the adapter or the format.
        value: Where the object is: `module` or `module:attribute`.
        hints: Lower-case words, one of which must occur in a path; empty where the adapter is to be asked about every
            path.
        templates: The names of templates that it declares.
        fallback: Whether it is asked only when no other adapter has matched.
    """

    package: str
    version: str
    name: str
    value: str
    hints: tuple[str, ...] = ()
    templates: tuple[str, ...] = ()
    fallback: bool = False

    @property
    def id(self) -> str:
        """The name that no other adapter has: `lect-acme:acme`."""
        return f"{self.package}:{self.name}"


def adapter_records(found: Iterable[Distribution]) -> tuple[Record, ...]:
    """Return the installed adapters in an order that does not depend on how they were installed."""
    return tuple(sorted(record for dist in found for record in _records(dist)))


def reply_records(found: Iterable[Distribution]) -> tuple[Record, ...]:
    """Return the installed reply formats in such an order too."""
    return tuple(
        sorted(
            Record(dist.name, dist.version, point.name, point.value)
            for dist in found
            for point in dist.entry_points
            if point.group == REPLIES
        )
    )


def _records(dist: Distribution) -> Iterator[Record]:
    def names(group: str, value: str) -> tuple[str, ...]:
        return tuple(sorted(point.name for point in dist.entry_points if point.group == group and point.value == value))

    for point in dist.entry_points:
        if point.group in (GROUP, FALLBACK):
            yield Record(
                dist.name,
                dist.version,
                point.name,
                point.value,
                tuple(hint.lower() for hint in names(HINTS, point.value)),
                names(TEMPLATES, point.value),
                point.group == FALLBACK,
            )


def distributions() -> list[Distribution]:
    """Return the distributions with entry points of ours, the first of each name on `sys.path`."""
    path = [entry for entry in sys.path if isinstance(entry, str)]
    if _foreign_finders() or any(map(_is_archive, path)):
        return list(_first_of_each_name(_by_importlib()))
    return list(_first_of_each_name(_by_scan(path)))


def normal_name(name: str) -> str:
    """Return a distribution's name as all tools compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def _first_of_each_name(found: Iterable[Distribution]) -> Iterator[Distribution]:
    seen = set()
    for dist in found:
        if dist.name not in seen:
            seen.add(dist.name)
            if dist.entry_points:
                yield dist


def _foreign_finders() -> bool:
    ours = ("_frozen_importlib_external", "importlib_metadata")
    return any(
        hasattr(finder, "find_distributions") and (getattr(finder, "__module__", "") or "").split(".")[0] not in ours
        for finder in sys.meta_path
    )


def _is_archive(entry: str) -> bool:
    """Return whether an entry of `sys.path` keeps metadata elsewhere than in directories of its own.

    A zip file, or an egg.
    """
    return os.path.isfile(entry) or entry.lower().endswith(".egg")


def _by_scan(path: Iterable[str]) -> Iterator[Distribution]:
    for entry in path:
        try:
            children = sorted(
                child.path
                for child in os.scandir(entry or ".")
                if child.name.lower().endswith((".dist-info", ".egg-info"))
            )
        except OSError:
            continue
        for child in children:
            text = _read(child, "entry_points.txt")
            if "[lect" in text:
                name, version = _identity(child)
                if name:
                    yield Distribution(normal_name(name), version, tuple(_parse(text)))
            else:
                name, _, version = os.path.basename(child).rpartition(".")[0].partition("-")
                yield Distribution(normal_name(name), version, ())


def _read(directory: str, name: str) -> str:
    try:
        with open(os.path.join(directory, name), encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return ""


def _identity(directory: str) -> tuple[str, str]:
    """Return the name and version that the metadata tell.

    The directory's own name may lack them, or be what an interrupted pip left behind.
    """
    headers: dict[str, str] = {}
    for line in (_read(directory, "METADATA") or _read(directory, "PKG-INFO")).splitlines():
        if not line:
            break
        key, _, value = line.partition(":")
        headers.setdefault(key.lower(), value.strip())
    return headers.get("name", ""), headers.get("version", "")


def _parse(text: str) -> Iterator[EntryPoint]:
    group = ""
    for line in map(str.strip, text.splitlines()):
        if line.startswith("[") and line.endswith("]"):
            group = line[1:-1].strip()
        elif group in GROUPS and line and line[0] not in "#;":
            name, _, value = line.partition("=")
            yield _entry_point(group, name, value)


def _entry_point(group: str, name: str, value: str) -> EntryPoint:
    # `module : attribute [extra]` is allowed; blanks and extras mean nothing to us.
    return EntryPoint(group, name.strip(), "".join(value.partition("[")[0].split()))


def _by_importlib() -> Iterator[Distribution]:
    from lect.registry.metadata import metadata

    for dist in metadata.distributions():
        try:
            points = tuple(
                _entry_point(point.group, point.name, point.value)
                for point in dist.entry_points
                if point.group in GROUPS
            )
            found = Distribution(normal_name(dist.metadata["Name"]), dist.version, points)
        # What an interrupted pip left behind, or somebody's broken metadata, must not hide the others.
        except Exception:  # noqa: S112
            continue
        yield found
