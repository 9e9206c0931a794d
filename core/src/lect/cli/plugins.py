"""`lect plugins`: the installed packages, what they claim and their status."""

import sys
import warnings
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import lect
from lect.cli.screen import Painted, Screen, write_json
from lect.contain import returned
from lect.errors import LectError, PluginWarning, did_you_mean, near_names, saferepr
from lect.registry.cautions import reserved_names
from lect.registry.discover import Record
from lect.registry.groups import COMMANDS, FUNCTIONS, NOTATIONS, REPLIES
from lect.registry.info import PluginInfo
from lect.values import normal_name

EPILOG = """\
status:
  lazy     not imported; it will be when one of its hints occurs in a path, or something that it provides is requested
  eager    not imported; it has no hints, and is asked about every path
  loaded   imported
  blocked  kept out by an environment variable or the config file
  failed   left out, because it does not work; `lect doctor` shows why

examples:
  lect plugins
  lect plugins lect-qwen
  lect plugins --load --json
  LECT_DISABLE_PLUGINS=qwen lect plugins
"""
STYLES = {"loaded": "green", "failed": "red", "blocked": "yellow"}
PARTS = {"reply formats": REPLIES, "notations": NOTATIONS, "commands": COMMANDS, "functions": FUNCTIONS}


class Package(NamedTuple):
    """A distribution with something for lect."""

    name: str
    """Empty for what was registered in this process."""
    version: str
    place: str
    """Where its code is; empty if unknown."""
    status: str
    """That of its first adapter, if it has one."""
    adapters: tuple[PluginInfo, ...]
    parts: dict[str, tuple[str, ...]]
    """The names of what else it has, by kind."""
    warnings: tuple[str, ...]

    @property
    def label(self) -> str:
        return self.name or "(this process)"


def configure(parser: ArgumentParser) -> None:
    """Describe the command and its arguments."""
    parser.description = (
        "List the installed packages, what they claim and their status. None is imported unless --load is given."
    )
    parser.add_argument("names", metavar="NAME", nargs="*", help="a package or a plugin, to show all that it claims")
    parser.add_argument("--load", action="store_true", help="import them all first")
    parser.add_argument("--json", action="store_true", help="print all of it as JSON")


def run(arguments: Namespace) -> None:
    """Print what is known about each package."""
    # Failures are printed as a status.
    warnings.simplefilter("ignore", PluginWarning)
    packages = list(_packages(load=arguments.load))
    if arguments.names:
        packages = [package for name in arguments.names for package in _find(name, packages)]
    if arguments.json:
        write_json([_as_data(each) for each in packages])
        return
    screen = Screen(sys.stdout)
    if arguments.names:
        for package in packages:
            _show(screen, package)
    elif packages:
        rows = [row for package in packages for row in _rows(package)]
        screen.table(rows, header=("package", "version", "plugin", "status", "claims"), indent=0, wrap=True)
        for text in (text for package in packages for text in package.warnings):
            screen.line(f"warning: {text}", style="yellow")
    else:
        screen.line("no plugin is installed")
        screen.line("  try: lect families")


def _packages(*, load: bool) -> Iterator[Package]:
    adapters, records = lect.plugins(load=load), lect._registry.adapters.every_record()
    names = {info.package for info in adapters} | {record.package for record in records}
    for name in sorted(names, key=lambda name: (not name, name)):
        infos = tuple(info for info in adapters if info.package == name)
        known = [record for record in records if record.package == name]
        parts = {kind: tuple(each.name for each in known if each.group == group) for kind, group in PARTS.items()}
        version, place = (known[0].version, _place(known[0])) if known else ("", "")
        status = infos[0].status if infos else lect._registry.adapters.status(known[0])
        notes = tuple(filter(None, map(reserved_names, known)))
        yield Package(name, version, place, status, infos, parts, notes)


def _place(record: Record) -> str:
    """Return where the code of a package is, without importing it."""
    from importlib.util import find_spec

    spec = returned(find_spec, record.value.partition(":")[0].partition(".")[0])  # A finder may raise anything.
    return "" if spec is None else str(next(iter(spec.submodule_search_locations or ()), spec.origin or ""))


def _find(name: str, packages: list[Package]) -> list[Package]:
    wanted = normal_name(name)
    found = [each for each in packages if wanted == each.name or any(name in (on.name, on.id) for on in each.adapters)]
    if not found:
        known = [*(each.name for each in packages), *(adapter.name for each in packages for adapter in each.adapters)]
        hint = did_you_mean(near_names(name, known), "without a name, all are listed")
        raise LectError(f"no installed package or plugin is called {saferepr(name)}; {hint}")
    return found


def _rows(package: Package) -> Iterator[tuple[str | Painted, ...]]:
    if not package.adapters:
        yield package.label, package.version, "-", status_cell(package), _claims((), package.parts)
    for adapter in package.adapters:
        claims = _claims(adapter.hints, {"templates": adapter.templates} | package.parts)
        yield package.label, package.version, adapter.name, status_cell(adapter), claims


def _claims(hints: Sequence[str], others: dict[str, tuple[str, ...]]) -> str:
    counted = [f"{len(names)} {kind if len(names) > 1 else kind[:-1]}" for kind, names in others.items() if names]
    return "; ".join(filter(None, (", ".join(hints), ", ".join(counted))))


def _show(screen: Screen, package: Package) -> None:
    screen.line(f"{package.label} {package.version}".rstrip(), style="bold")
    rows: list[tuple[str, str | Painted]] = [("place", package.place or "not known")]
    if not package.adapters:
        rows.append(("status", status_cell(package)))
    for adapter in package.adapters:
        rows += [("adapter", adapter.name), ("status", status_cell(adapter))]
        rows += [("hints", ", ".join(adapter.hints)), ("templates", ", ".join(adapter.templates))]
    rows += [(kind, ", ".join(names)) for kind, names in package.parts.items()]
    rows += [("warning", Painted(text, "yellow")) for text in package.warnings]
    screen.table(((Painted(fact, "dim"), text) for fact, text in rows if text), wrap=True)


def status_cell(plugin: PluginInfo | Package) -> Painted:
    """Return the status of a plugin, or of a package without one, for a table."""
    fallback = ", a fallback" if isinstance(plugin, PluginInfo) and plugin.fallback else ""
    return Painted(plugin.status + fallback, STYLES.get(plugin.status.partition(":")[0], ""))


def _as_data(package: Package) -> dict[str, Any]:
    return {
        "package": package.name or None,
        "version": package.version or None,
        "place": package.place or None,
        "status": package.status,
        "adapters": [
            {key: getattr(each, key) for key in ("name", "status", "fallback", "hints", "templates")}
            | {"failures": [str(failure) for failure in each.failures]}
            for each in package.adapters
        ],
        **{kind.replace(" ", "_"): names for kind, names in package.parts.items()},
        "warnings": package.warnings,
    }
