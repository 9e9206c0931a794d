"""Read the files of an untrusted model: regular files of bounded size, never through a link elsewhere."""

from __future__ import annotations

import os
from codecs import BOM_UTF8
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NoReturn

from lect.errors import SourceError, saferepr
from lect.plugin import parse_json, read_file

if TYPE_CHECKING:
    from collections.abc import Iterator

TEMPLATE_BYTES = 1 << 20
JSON_BYTES = 4 << 20
JSON_VALUES = 500_000
"""How many values a JSON file may hold: an empty list takes two characters of a file and sixty bytes of memory."""


class ModelFileError(SourceError):
    """A file of a model cannot be used; `file` is its path."""

    def __init__(self, message: str, *, file: str):
        super().__init__(message)
        self.file = file


def refuse(file: str, what: str, advice: str = "get the file from the model's maker again") -> NoReturn:
    """Raise the error about a file.

    Raises:
        ModelFileError: Always.
    """
    msg = f"{saferepr(file, 200)} {what}\n  try: {advice}"
    raise ModelFileError(msg, file=file)


class Directory:
    """A model directory, from which files with fixed names are read.

    A file may be a link to another one in the directory. In a hub cache (`models--org--name/snapshots/x`) it may also
    be one to the `blobs` of the same model, where all files are.

    Args:
        path: The path as it was given, `~` included.

    Raises:
        ModelFileError: If there is no such directory.
    """

    def __init__(self, path: str):
        self.path = os.path.expanduser(path)
        try:
            home = os.path.realpath(self.path, strict=True)
        except OSError as error:
            refuse(path, f"cannot be read: {error.strerror or error}", "a model directory or a GGUF file that is there")
        snapshots = os.path.dirname(home)
        model = os.path.dirname(snapshots)
        is_cached = os.path.basename(snapshots) == "snapshots" and os.path.basename(model).startswith("models--")
        self._homes = (home, os.path.join(model, "blobs")) if is_cached else (home,)

    def file(self, name: str) -> str:
        """Return the path of a file for messages."""
        return os.path.join(self.path, name)

    def read(self, name: str, most: int, *, only_start: bool = False) -> bytes | None:
        """Return the contents of a file; None if there is none.

        Args:
            name: The file.
            most: How many bytes it may have.
            only_start: Whether it may have more, which are not read.

        Raises:
            ModelFileError: If it is too large, not a regular file, a link that leads elsewhere, or cannot be read.
        """
        real = self.real(name)
        if real is None:
            return None
        with reading(self.file(name)):
            # A link that takes the place of a file after it was checked is not followed.
            return read_file(real, most, only_start=only_start, follow=False)

    def real(self, name: str) -> str | None:
        """Return the real path of a file; None if there is none.

        Raises:
            ModelFileError: If it is a link that leads nowhere or elsewhere.
        """
        file = self.file(name)
        try:
            real = os.path.realpath(file, strict=True)
        except (FileNotFoundError, NotADirectoryError):
            if os.path.islink(file):
                refuse(file, "is a link to a file that does not exist", "download the model again")
            return None
        except OSError as error:
            refuse(file, f"cannot be read: {error.strerror or error}")
        if not any(real.startswith(os.path.join(home, "")) for home in self._homes):
            refuse(file, "is a link that leads out of its directory", "put a copy of the file in its place")
        return real

    def read_text(self, name: str, most: int = TEMPLATE_BYTES) -> str | None:
        """Return the text of a file as Python reads it, with a byte order mark; None if there is none."""
        data = self.read(name, most)
        if data is None:
            return None
        return decoded(data, self.file(name)).replace("\r\n", "\n").replace("\r", "\n")

    def read_json(self, name: str) -> dict[str, Any]:
        """Return the JSON object of a file, empty if there is no file."""
        data = self.read(name, JSON_BYTES)
        return (
            {} if data is None else json_object(decoded(data.removeprefix(BOM_UTF8), self.file(name)), self.file(name))
        )

    def names(self, folder: str, ending: str, most: int) -> list[str]:
        """Return the names of the files in a folder that end with `ending`, in order.

        Raises:
            ModelFileError: If there are more than `most`.
        """
        found: list[str] = []
        try:
            with os.scandir(self.file(folder)) as entries:
                for seen, entry in enumerate(entries):
                    if seen >= most:
                        refuse(self.file(folder), f"holds more than {most} files")
                    if entry.name.endswith(ending):
                        found.append(entry.name)
        except (FileNotFoundError, NotADirectoryError):
            return []
        except OSError as error:
            refuse(self.file(folder), f"cannot be read: {error.strerror or error}")
        return sorted(found)


@contextmanager
def reading(file: str) -> Iterator[None]:
    """Turn what goes wrong while a file is read into a `ModelFileError`."""
    try:
        yield
    except ModelFileError:
        raise
    except (OSError, SourceError) as error:
        refuse(file, f"cannot be read: {getattr(error, 'strerror', None) or error}")


def decoded(data: bytes, file: str) -> str:
    """Return UTF-8 as text."""
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        refuse(file, f"is not UTF-8: byte {error.start} cannot be decoded", "save it as UTF-8")


def json_object(text: str, file: str) -> dict[str, Any]:
    """Parse a text as a JSON object.

    Raises:
        ModelFileError: If it is not one, or parsers would disagree about it: a key twice, NaN.
    """
    if has_too_many_values(text):
        refuse(file, f"has more than {JSON_VALUES:,} values")
    try:
        value = parse_json(text)
    except RecursionError:
        refuse(file, "is nested too deeply")
    except ValueError as error:
        refuse(file, f"is not JSON: {error}")
    if not isinstance(value, dict):
        refuse(file, f"holds {_kind(value)}, and should hold a JSON object")
    return value


def has_too_many_values(text: str) -> bool:
    """Return whether a JSON text holds more values than are worth reading."""
    return sum(map(text.count, ",[{")) > JSON_VALUES


def _kind(value: Any) -> str:
    return {list: "a list", str: "a text", type(None): "null"}.get(type(value), f"a {type(value).__name__}")


def text_in(mapping: dict[str, Any], key: str, file: str) -> str:
    """Return a text of a JSON object, empty if it is absent or null.

    Raises:
        ModelFileError: If it is something else, or cannot be encoded.
    """
    value = mapping.get(key)
    return "" if value is None else as_text(value, key, file)


def as_text(value: Any, key: str, file: str) -> str:
    """Return a value that must be text.

    Raises:
        ModelFileError: If it is not, or contains half a surrogate pair.
    """
    if not isinstance(value, str):
        refuse(file, f"has {saferepr(value)} for {key}; expected text")
    try:
        value.encode()
    except UnicodeEncodeError:
        refuse(file, f"has half a surrogate pair in {key}")
    return value
