"""Templates in the notations of other tools.

A notation is an object in the entry-point group `lect.notations`. It has `recognises(source) -> bool` and
`read(source) -> Template`; core reads the file, once, and hands it over as a `Source`.
"""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING, Any, NamedTuple

from lect.errors import LectError, PluginError, SourceError, shown
from lect.format.template import Template
from lect.registry.contain import Contained, StageError, told
from lect.registry.metafiles import NOTATIONS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lect.registry.adapters import Adapters
    from lect.registry.discover import Record

LARGEST_FILE = 32 * 2**20
"""Bytes."""
_TEXT = "{\n"
"""What a text has in it that is a template and not the path of one."""


class Source(NamedTuple):
    """What a template is to be read from.

    Attributes:
        path: The file or directory; empty where something was given itself.
        text: The text of the file, or the text that was given; None for a directory, and for a file that is no text or
            too large to be one.
        data: What the text says if it is JSON, or the object that was given; None where it is neither.
    """

    path: str
    text: str | None
    data: Any

    def __str__(self) -> str:
        # The end of a path is the name of the file, so nothing of it is cut off.
        return shown(self.path, len(self.path)) if self.path else shown(self.text or self.data)


def load_template(adapters: Adapters, source: Any, notation: str | None = None) -> Template:
    """Read a template by one of the installed notations; see `lect.load_template`."""
    given = _given(source)
    owners = _owners(adapters, notation)
    found = {name: each for name, each in owners.items() if notation or _ask(name, each, "recognises", given)}
    if len(found) > 1:
        msg = f"{given} could be a template in several notations: {', '.join(found)}\n  try: notation={min(found)!r}"
        raise SourceError(msg)
    if not found:
        raise _unrecognised(given, owners)
    ((name, reader),) = found.items()
    template = _ask(name, reader, "read", given)
    if not isinstance(template, Template):
        msg = f"the notation {name!r} read {shown(template)} from {given}; expected a Template"
        raise PluginError(msg)
    return template


def _given(source: Any) -> Source:
    if isinstance(source, os.PathLike):
        return _read_file(os.fspath(source))
    if not isinstance(source, str):
        return Source("", None, source)
    if any(character in source for character in _TEXT):
        return Source("", source, _json(source, "the text"))
    return _read_file(os.path.expanduser(source))


def _read_file(path: str) -> Source:
    try:
        status = os.stat(path)
        if stat.S_ISDIR(status.st_mode):
            return Source(path, None, None)
        if not stat.S_ISREG(status.st_mode):
            # A pipe would be waited for, and a device has no end.
            msg = f"{shown(path)} is neither a file nor a directory"
            raise SourceError(msg)
        if status.st_size > LARGEST_FILE:
            return Source(path, None, None)
        with open(path, "rb") as file:
            contents = file.read(LARGEST_FILE)
    except (OSError, ValueError) as error:
        msg = f"cannot read {shown(path)}: {getattr(error, 'strerror', None) or error}\n  try: a path that exists"
        raise SourceError(msg) from error
    try:
        text = contents.decode("utf-8-sig")
    except UnicodeDecodeError:
        return Source(path, None, None)
    return Source(path, text, _json(text, shown(path, len(path))))


def _json(text: str, where: str) -> Any:
    """Return what a text says as JSON; None where it is none."""
    import json

    def unique(pairs: list[tuple[str, Any]]) -> Mapping[str, Any]:
        read = dict(pairs)
        if len(read) < len(pairs):
            names = [name for name, _ in pairs]
            twice = next(name for name in names if names.count(name) > 1)
            msg = f"{where} has the key {shown(twice)} twice in one object; which one counts is anybody's guess"
            raise SourceError(msg)
        return read

    try:
        return json.loads(text, object_pairs_hook=unique)
    except SourceError:
        raise
    except (ValueError, RecursionError):
        return None


def _owners(adapters: Adapters, wanted: str | None) -> dict[str, Any]:
    """Return the installed notations by name, or the one that is wanted."""
    records = adapters.parts(NOTATIONS)
    names = sorted({record.name for record in records})
    if wanted is not None and wanted not in names:
        hint = f"one of {', '.join(names)}" if names else "pip install lect-jinja"
        msg = f"no installed package has a notation {shown(wanted)}\n  try: {hint}"
        raise SourceError(msg)
    owners: dict[str, Any] = {}
    packages: dict[str, str] = {}
    for record in records:
        if wanted in (None, record.name) and (loaded := load_notation(adapters, record)) is not None:
            if record.name in owners:
                both = f"{packages[record.name]} and {record.package}"
                msg = f"both {both} have a notation {record.name!r}\n  try: uninstall one"
                raise PluginError(msg)
            owners[record.name], packages[record.name] = loaded, record.package
    if wanted is not None and not owners:
        msg = f"the notation {wanted!r} cannot be loaded\n  try: lect doctor"
        raise PluginError(msg)
    return owners


def load_notation(adapters: Adapters, record: Record) -> Any:
    """Return an installed notation; None where it cannot be loaded, which is remembered."""

    def fits(notation: Any) -> bool:
        return callable(notation.recognises) and callable(notation.read)

    return adapters.load_part(record, fits, "an object with recognises(source) and read(source)")


def _ask(name: str, notation: Any, function: str, source: Source) -> Any:
    """Call a notation. What it raises of ours is for the user; anything else is its own fault."""
    try:
        with Contained(function):
            return getattr(notation, function)(source)
    except StageError as failed:
        if isinstance(failed.error, LectError):
            raise failed.error from None
        msg = f"the notation {name!r} failed at {source}: {told(failed.error)}"
        raise PluginError(msg) from failed.error


def _unrecognised(source: Source, owners: Mapping[str, Any]) -> SourceError:
    if not owners:
        return SourceError(
            f"no installed package reads templates, so {source} cannot be read\n  try: pip install lect-jinja"
        )
    return SourceError(
        f"{source} is no template in any installed notation ({', '.join(owners)})\n"
        f"  try: notation={min(owners)!r}, to learn what is wrong with it"
    )
