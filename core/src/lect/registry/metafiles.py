"""What the metadata files of an installed distribution say, and what is wrong with them."""

import os
from collections.abc import Callable, Iterator
from itertools import islice
from typing import NamedTuple

from lect.registry.groups import GROUPS
from lect.values import normal_name

ENTRY_POINTS = "entry_points.txt"
MOST_ENTRY_POINTS = 10_000
LONGEST_NAME = 1000
"""In characters: of a name or a value. Every path is compared with the names of all packages."""


class EntryPoint(NamedTuple):
    """A line of a distribution's `entry_points.txt`."""

    group: str
    name: str
    value: str


class Distribution(NamedTuple):
    """An installed distribution."""

    name: str
    """Its normalised name."""
    version: str
    entry_points: tuple[EntryPoint, ...]
    """Those in our groups."""
    place: str = ""
    """Where its metadata are."""
    problem: str = ""
    """Why its entry points cannot be used; empty if they can."""


class MetaFiles(NamedTuple):
    """The files of one distribution."""

    place: str
    """The directory that has them, or what a finder calls it; its last part often gives the name and version."""
    read: Callable[[str], bytes | None]
    """Returns a file's contents; None if it is missing."""


def read_distribution(files: MetaFiles) -> Distribution:
    """Return what the files of a distribution say; more than one of them is read only if they mention us."""
    points = files.read(ENTRY_POINTS) or b""
    name, version = named_by_place(files.place)
    if b"[lect" not in points and b"l\0e\0c\0t" not in points:
        # It still hides a later one of the same name.
        name, version = (name, version) if name else identity(files)
        return Distribution(name, version, (), files.place)
    stated_name, stated_version = identity(files)
    problem = "" if stated_name else text_problem(metadata(files)) or "has no Name"
    if max(len(stated_name), len(stated_version)) > LONGEST_NAME:
        problem = f"has a Name or a Version of more than {LONGEST_NAME:,} characters"
    if problem:
        return Distribution(name, version, (), files.place, f"its METADATA {problem}")
    problem = text_problem(points)
    found = () if problem else tuple(islice(_parse(points.decode("utf-8-sig")), MOST_ENTRY_POINTS + 1))
    if len(found) > MOST_ENTRY_POINTS:
        problem = f"has more than {MOST_ENTRY_POINTS:,} entry points for lect"
    elif any(len(field) > LONGEST_NAME for point in found for field in point):
        problem = f"has an entry point for lect of more than {LONGEST_NAME:,} characters"
    if problem:
        return Distribution(stated_name, stated_version, (), files.place, f"its {ENTRY_POINTS} {problem}")
    return Distribution(stated_name, stated_version, found, files.place)


def named_by_place(place: str) -> tuple[str, str]:
    """Return the name and version in the name of a directory: `acme_chat-1.0.dist-info`."""
    stem, _, kind = os.path.basename(place).rpartition(".")
    name, _, version = stem.partition("-")
    return (normal_name(name), version) if kind.lower() in ("dist-info", "egg-info") else ("", "")


def metadata(files: MetaFiles) -> bytes | None:
    """Return the file with the headers; None if it is missing."""
    found = files.read("METADATA")
    return files.read("PKG-INFO") if found is None else found


def identity(files: MetaFiles) -> tuple[str, str]:
    """Return the name and version given in the headers.

    The directory's own name may lack them, or be what an interrupted pip left behind.
    """
    headers: dict[str, str] = {}
    for line in (metadata(files) or b"").decode("utf-8", "replace").splitlines():
        if not line or headers.keys() >= {"name", "version"}:
            break
        key, _, value = line.partition(":")
        headers.setdefault(key.lower(), value.strip())
    return normal_name(headers.get("name", "")), headers.get("version", "")


def text_problem(contents: bytes | None) -> str:
    """Return why a file is not readable text; empty if it is."""
    if contents is None:
        return "is missing"
    if not contents.strip():
        return "is empty"
    try:
        # UTF-16 is often valid UTF-8 too, but every other character is a NUL then.
        readable = b"\0" not in contents and contents.decode("utf-8") is not None
    except UnicodeDecodeError:
        readable = False
    return "" if readable else "is not UTF-8 text"


def _parse(text: str) -> Iterator[EntryPoint]:
    group = ""
    for line in map(str.strip, text.splitlines()):
        if line.startswith("[") and line.endswith("]"):
            group = line[1:-1].strip()
        elif group in GROUPS and line and line[0] not in "#;":
            name, _, value = line.partition("=")
            # `module : attribute [extra]` is allowed; blanks and extras mean nothing to us.
            yield EntryPoint(group, name.strip(), "".join(value.partition("[")[0].split()))
