"""Reading files that are not trusted: only regular ones, of bounded size, and without blocking."""

from __future__ import annotations

import os
import stat
from typing import Any, BinaryIO, NoReturn

from lect.boundaries import boundary
from lect.errors import SourceError, saferepr

# Opening a named pipe or a device must not block.
_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)


@boundary
def open_file(path: str | os.PathLike[str], *, follow: bool = True) -> BinaryIO:
    """Open a regular file for reading bytes; with `follow` it may be a link.

    Raises:
        OSError: If it cannot be opened.
        SourceError: If it is not a regular file.
    """
    descriptor = os.open(path, _FLAGS | (0 if follow else getattr(os, "O_NOFOLLOW", 0)))
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise SourceError("it is not a regular file")
    return os.fdopen(descriptor, "rb")


@boundary
def read_file(path: str | os.PathLike[str], most: int, *, only_start: bool = False, follow: bool = True) -> bytes:
    """Return the contents of a regular file: at most `most` bytes.

    With `only_start` it may have more than that, and with `follow` it may be a link.

    Raises:
        OSError: If it cannot be read.
        SourceError: If it is not a regular file, or has more bytes.
    """
    with open_file(path, follow=follow) as file:
        # One byte more than it has, or may have: it may grow while it is read.
        data = file.read(min(os.fstat(file.fileno()).st_size, most) + 1)
    if len(data) > most and not only_start:
        raise SourceError(f"it has more than {most:,} bytes")
    return data[:most]


def parse_json(text: str) -> Any:
    """Return the value of a JSON text, if all parsers agree on it.

    Raises:
        ValueError: If it is not JSON; NaN and Infinity are not.
        SourceError: If a key occurs twice in one object.
        RecursionError: If it is nested too deeply.
    """
    import json

    given: object = text
    if not isinstance(given, str):
        raise SourceError(f"{saferepr(given)} is not the text of a JSON file")
    return json.loads(given, object_pairs_hook=_unique, parse_constant=_refuse_constant)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for key, value in pairs:
        if key in made:
            raise SourceError(f"the key {saferepr(key)} occurs twice in one object, so its value is ambiguous")
        made[key] = value
    return made


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON value")
