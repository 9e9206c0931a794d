"""The config file: `lect.toml`, or the table `[tool.lect]` of a pyproject.toml.

Imported only if a file is named or looked for.
"""

import os
import re
from collections.abc import Callable, Iterator
from typing import Any

from lect.errors import LectError, saferepr
from lect.files import read_file

LECT_TOML = "lect.toml"
PYPROJECT = "pyproject.toml"
TABLE = "[tool.lect]"
LONGEST_CONFIG = 1 << 20
_MENTIONS_US = re.compile(rb"""\blect["']?\s*[].=]""")
"""Finds out whether a pyproject.toml may have our table: most do not, and are not parsed."""


def _is_word(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _are_words(value: Any) -> bool:
    return isinstance(value, list) and all(map(_is_word, value))


def _are_pins(value: Any) -> bool:
    return isinstance(value, dict) and all(map(_is_word, (*value, *value.values())))


KEYS: dict[str, tuple[Callable[[Any], bool], str, str]] = {
    "pins": (_are_pins, "a table of patterns, each with an adapter or template", '{"acme/*" = "lect-acme:acme"}'),
    "block": (_are_words, "a list of plugins or packages", '["lect-acme"]'),
    "only": (_are_words, "a list of plugins or packages", '["lect-acme", "lect-other"]'),
    "fallback": (lambda value: isinstance(value, bool), "true or false", "false"),
}
"""What each key may be set to: a check, what errors call it, and an example."""


def read_config(named: str | None) -> tuple[str, dict[str, Any]]:
    """Return the path of a config file and what it sets: the one that is named, else the nearest; empty without one.

    The nearest is looked for upward from the working directory.
    """
    if named:
        if (table := _table(named)) is None:
            raise _unusable(named, f"it has no table {TABLE}", f"add one, or name a {LECT_TOML}")
        return named, table
    for path in _upward():
        if os.path.isfile(path) and (table := _table(path)) is not None:
            return path, table
    return "", {}


def _upward() -> Iterator[str]:
    try:
        directory = os.getcwd()
    except OSError:  # it was deleted
        return
    parent = ""
    while directory != parent:
        yield os.path.join(directory, LECT_TOML)
        yield os.path.join(directory, PYPROJECT)
        directory, parent = os.path.dirname(directory), directory


def _table(path: str) -> dict[str, Any] | None:
    """Return the table with our keys; None if a pyproject.toml has none."""
    is_pyproject = os.path.basename(path) == PYPROJECT
    try:
        contents = read_file(path, LONGEST_CONFIG)
        if is_pyproject and not _MENTIONS_US.search(contents):
            return None
        import tomllib

        table = tomllib.loads(contents.decode())
        if is_pyproject and (table := table.get("tool", {}).get("lect")) is None:
            return None
    except OSError as error:
        advice = "LECT_CONFIG with the path of a file that can be read"
        raise _unusable(path, error.strerror or str(error), advice) from error
    except (ValueError, AttributeError, RecursionError) as error:
        raise _unusable(path, str(error), f"a TOML file with the keys {', '.join(KEYS)}") from error
    if not isinstance(table, dict):
        raise _unusable(path, f"tool.lect is {saferepr(table)}", f"a table {TABLE}")
    for name, value in table.items():
        if name not in KEYS:
            raise _unusable(path, f"there is no key {saferepr(name)}", f"one of {', '.join(KEYS)}")
        fits, expected, example = KEYS[name]
        if not fits(value):
            raise _unusable(path, f"{name} is {saferepr(value)}; expected {expected}", f"{name} = {example}")
    return table


def _unusable(path: str, problem: str, advice: str) -> LectError:
    return LectError(f"the config file {path!r} cannot be used: {problem}\n  try: {advice}")
