"""What people set from outside: pins, blocks, and whether fallbacks are asked."""

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, NamedTuple

from lect.errors import LectError, PluginError, shown
from lect.registry.refs import LONGEST_SHOWN
from lect.values import normal_name

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lect.registry.discover import Record
    from lect.registry.refs import ModelRef

PINS = "LECT_PINS"
DISABLE = "LECT_DISABLE_PLUGINS"
LOAD = "LECT_LOAD_PLUGINS"
CONFIG = "LECT_CONFIG"
FALLBACK = "LECT_FALLBACK"
LONGEST_CONFIG = 1 << 20


class Pin(NamedTuple):
    """A decision about all paths of a pattern.

    Attributes:
        pattern: A glob, compared without regard to case with `owner/name` and with the path as given.
        adapter: An adapter (`lect-acme:acme`, `acme`) or a template (`acme:acme-2`), by name or as an object.
        source: Who decided.
        problem: Why it leads nowhere; empty where it leads somewhere, or nobody has looked.
    """

    pattern: str
    adapter: Any
    source: str
    problem: str = ""

    def fits(self, ref: "ModelRef") -> bool:
        pattern = self.pattern.lower()
        return fnmatchcase(ref.path.lower(), pattern) or fnmatchcase(ref.original.lower(), pattern)

    def __str__(self) -> str:
        return f"{self.pattern}={self.adapter} ({self.source})"


def pattern_for(path: str) -> str:
    """Return a pattern for one path; for a long one, the pattern of all that begin alike.

    `?`, which stands for any character, replaces those that mean something to a glob, a list of pins or a shell.
    """
    beginning = "".join(
        "?" if character in "*?[];='" or character.isspace() else character for character in path[:LONGEST_SHOWN]
    )
    return beginning + "*" * (len(path) > LONGEST_SHOWN)


class Settings(NamedTuple):
    """What the environment and a config file say."""

    pins: tuple[Pin, ...] = ()
    only: frozenset[str] | None = None
    disabled: frozenset[str] = frozenset()
    fallback: bool = True

    def blocks(self, record: "Record") -> str | None:
        """Return which variable keeps an adapter, or a reply format, out; None where none does."""
        name = normal_name(record.name)
        names = {name, record.package, f"{record.package}:{name}"}
        if names & self.disabled:
            return DISABLE
        if self.only is not None and not names & self.only:
            return LOAD
        return None


def read_settings(environ: "Mapping[str, str]") -> Settings:
    """Read the settings.

    Raises:
        LectError: If a variable cannot be understood or the config file cannot be read.
    """
    pins = [_read_pin(text, PINS) for text in environ.get(PINS, "").split(";") if text.strip()]
    if environ.get(CONFIG):
        pins += _config_pins(environ[CONFIG])
    only = environ.get(LOAD)
    return Settings(
        tuple(pins), None if only is None else _names(only), _names(environ.get(DISABLE, "")), _fallback(environ)
    )


def _fallback(environ: "Mapping[str, str]") -> bool:
    text = environ.get(FALLBACK, "").strip()
    if text not in ("", "0", "1"):
        msg = f"{FALLBACK} is {shown(text)}; expected 0 or 1\n  try: {FALLBACK}=0 to ask no fallback"
        raise LectError(msg)
    return text != "0"


def _names(text: str) -> frozenset[str]:
    return frozenset(
        ":".join(normal_name(part) for part in name.strip().split(":")) for name in text.split(",") if name.strip()
    )


def _read_pin(text: str, source: str) -> Pin:
    pattern, equals, adapter = (part.strip() for part in text.partition("="))
    if not (pattern and equals and adapter):
        msg = f"{source} has {text.strip()!r}, which is no pin\n  try: {source}='acme/*=lect-acme:acme'"
        raise PluginError(msg)
    return Pin(pattern, adapter, source)


def _config_pins(path: str) -> list[Pin]:
    """Read the table `[pins]` of a TOML file.

    Only a file that is named is read: a path must resolve alike for all who have the same settings.
    """
    import tomllib

    from lect.files import read_file

    try:
        pins = tomllib.loads(read_file(path, LONGEST_CONFIG).decode()).get("pins", {})
        return [Pin(pattern.strip(), adapter.strip(), path) for pattern, adapter in pins.items()]
    except (OSError, ValueError, AttributeError, RecursionError) as error:
        msg = (
            f"{CONFIG} names {path!r}, which cannot be used: {error}\n"
            '  try: a TOML file with a table [pins], "acme/*" = "lect-acme:acme"'
        )
        raise LectError(msg) from error
