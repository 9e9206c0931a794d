"""Damaged distributions that discovery passes over; only `lect doctor` takes the time to look for them."""

import re
from collections.abc import Iterator

from lect.cli.plugin_checks import Finding
from lect.registry import metafiles
from lect.registry.discover import places
from lect.registry.groups import ADAPTERS, GROUP, HINTS, TEMPLATES
from lect.registry.metafiles import ENTRY_POINTS, Distribution, MetaFiles, metadata, text_problem
from lect.registry.packages import RESERVED

_NEEDS_LECT = re.compile(rb"(?im)^Requires-Dist:\s*lect\b(?!-)")
OURS = "lect-"
"""The prefix of packages that most likely have an adapter."""


def damages() -> Iterator[Finding]:
    """Yield the damage in distributions for lect that discovery passes over; broken if something is certainly lost."""
    # A directory may be in `sys.path` twice.
    for files in {files.place: files for place in places() for files in place}.values():
        dist = metafiles.read_distribution(files)
        if dist.problem:
            continue  # Reported as a failed plugin.
        if dist.entry_points:
            if problem := text_problem(metadata(files)):
                what = f"{dist.name} {dist.version} ({dist.place}): its METADATA {problem}; pip may fail on it"
                yield Finding(False, what)
            yield from _without_adapter(dist)
        elif dist.name.startswith(OURS) or _NEEDS_LECT.search(metadata(files) or b""):
            yield from _without_entry_points(files)


def _without_adapter(dist: Distribution) -> Iterator[Finding]:
    """Yield the hints and templates that belong to no adapter of their distribution, and so have no effect."""
    adapters = {point.value for point in dist.entry_points if point.group in ADAPTERS}
    for group in (HINTS, TEMPLATES):
        lost = {point.name: point.value for point in dist.entry_points if point.group == group}
        lost = {name: value for name, value in lost.items() if value not in adapters}
        if lost:
            value = min(lost.values())
            what = f"{dist.name} {dist.version} has {group} for {value!r}, but no adapter there: {', '.join(lost)}"
            advice = f'[project.entry-points.{GROUP}] with a name for "{value}" in its pyproject.toml'
            yield Finding(True, f"{what}\n  try: {advice}")


def _without_entry_points(files: MetaFiles) -> Iterator[Finding]:
    contents = files.read(ENTRY_POINTS)
    if not (problem := text_problem(contents)):
        return  # It has entry points, but none for us: a program that uses lect.
    stated = metafiles.identity(files)
    name, version = stated if stated[0] else metafiles.named_by_place(files.place)
    lost = contents is not None or ENTRY_POINTS.encode() in (files.read("RECORD") or b"")
    if not lost and name in RESERVED:
        return  # A package of this project that is only imported.
    advice = f"\n  try: pip install --force-reinstall {name}" if lost else "; that is right if it has no adapter"
    yield Finding(lost, f"{name} {version} ({files.place}) is for lect, but its {ENTRY_POINTS} {problem}{advice}")
