"""User settings: pins, blocks, and whether fallbacks are asked.

Each is an environment variable and a key of the config file.
"""

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from lect.errors import LectError, PluginError, saferepr
from lect.registry.refs import LONGEST_SHOWN, ModelRef
from lect.values import normal_name

if TYPE_CHECKING:
    from lect.registry.discover import Record

PINS = "LECT_PINS"
DISABLE = "LECT_DISABLE_PLUGINS"
LOAD = "LECT_LOAD_PLUGINS"
CONFIG = "LECT_CONFIG"
FALLBACK = "LECT_FALLBACK"
PROOF_SEED = "LECT_PROOF_SEED"
"""Read by `prompt/proof.py`."""
VARIABLES = (PINS, DISABLE, LOAD, CONFIG, FALLBACK, PROOF_SEED)


class Pin(NamedTuple):
    """A decision about all paths that fit a pattern."""

    pattern: str
    """A glob, compared case-insensitively with `owner/name` and with the path as given."""
    adapter: Any
    """An adapter (`lect-acme:acme`, `acme`) or a template (`acme:acme-2`), by name or as an object."""
    source: str
    """Where it was set."""
    problem: str = ""
    """Why it names nothing that exists; empty if it does, or if that was not checked."""

    def fits(self, ref: "ModelRef") -> bool:
        from fnmatch import fnmatchcase

        pattern = self.pattern.lower()
        return fnmatchcase(ref.path.lower(), pattern) or fnmatchcase(ref.original.lower(), pattern)

    def __str__(self) -> str:
        return f"{self.pattern}={self.adapter} ({self.source})"


def pattern_for(path: str) -> str:
    """Return a pattern for one path; for a long one, a pattern of all that begin alike.

    `?`, which stands for any character, replaces those that are special in a glob, a list of pins or a shell.
    """
    return re.sub(r"[*?\[\];='\s]", "?", path[:LONGEST_SHOWN]) + "*" * (len(path) > LONGEST_SHOWN)


class Stated(NamedTuple):
    """A value that was set, and where, as messages name it."""

    value: Any
    source: str


class Settings(NamedTuple):
    """What the environment and the config file say."""

    pins: tuple[Pin, ...] = ()
    """Those of the environment, then those of the file; the first that fits decides."""
    block: Stated = Stated(frozenset(), "")
    """The names that are blocked."""
    only: Stated | None = None
    """The only names that are allowed; None if all are."""
    no_fallback: str = ""
    """What turns fallbacks off; empty if nothing does."""
    config: str = ""
    """The path of the config file; empty if there is none."""

    def blocks(self, record: "Record") -> str | None:
        """Return what blocks an adapter, or a reply format; None if nothing does."""
        names = names_of(record)
        if names & self.block.value:
            return self.block.source
        return self.only.source if self.only is not None and not names & self.only.value else None


def names_of(record: "Record") -> set[str]:
    """Return the names by which a plugin can be blocked, or allowed."""
    name = normal_name(record.name)
    return {name, record.package, f"{record.package}:{name}"}


def read_settings(environ: "Mapping[str, str]", *, search: bool = False) -> Settings:
    """Read the settings. A variable replaces the file's key, except that pins are added before the file's.

    With `search`, a config file is looked for where `LECT_CONFIG` names none.
    """
    named, path = environ.get(CONFIG), ""
    keys: dict[str, Any] = {}
    if named or search:
        from lect.registry.config import read_config

        path, keys = read_config(named)
    sources = {"pins": path, "fallback": f"fallback = false in {path}"}
    of_file = {key: Stated(value, sources.get(key, f"{key} in {path}")) for key, value in keys.items()}
    variables = _from_environ(environ)
    stated = {**of_file, **variables}
    pins = [
        Pin(pattern.strip(), adapter.strip(), each["pins"].source)
        for each in (variables, of_file)
        if "pins" in each
        for pattern, adapter in each["pins"].value.items()
    ]
    fallback = stated.get("fallback", Stated(True, ""))
    block = _normal(stated.get("block", Stated((), "")))
    only = _normal(stated["only"]) if "only" in stated else None
    return Settings(tuple(pins), block, only, "" if fallback.value else fallback.source, path)


def _from_environ(environ: "Mapping[str, str]") -> dict[str, Stated]:
    """Return what the environment states, by the keys of a config file. Empty means unset, except for `only`."""
    stated = {}
    if environ.get(PINS, "").strip():
        stated["pins"] = Stated(_read_pins(environ[PINS]), PINS)
    if environ.get(DISABLE, "").strip():
        stated["block"] = Stated(environ[DISABLE].split(","), DISABLE)
    if LOAD in environ:
        stated["only"] = Stated(environ[LOAD].split(","), LOAD)
    if fallback := environ.get(FALLBACK, "").strip():
        if fallback not in ("0", "1"):
            msg = f"{FALLBACK} is {saferepr(fallback)}; expected 0 or 1\n  try: {FALLBACK}=0 to ask no fallback"
            raise LectError(msg)
        stated["fallback"] = Stated(fallback == "1", f"{FALLBACK}=0")
    return stated


def _read_pins(text: str) -> dict[str, str]:
    pins: dict[str, str] = {}
    for each in filter(None, map(str.strip, text.split(";"))):
        pattern, equals, adapter = (part.strip() for part in each.partition("="))
        if not (pattern and equals and adapter):
            raise PluginError(f"{PINS} has {each!r}, which is not a pin\n  try: {PINS}='acme/*=lect-acme:acme'")
        pins.setdefault(pattern, adapter)
    return pins


def _normal(names: Stated) -> Stated:
    """Return names in the form in which they are compared."""
    listed = (name.strip().split(":") for name in names.value if name.strip())
    return names._replace(value=frozenset(":".join(map(normal_name, parts)) for parts in listed))
