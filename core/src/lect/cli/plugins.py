"""`lect plugins`: the installed plugins."""

from __future__ import annotations

import sys
import warnings
from typing import TYPE_CHECKING, Any

import lect
from lect.cli.screen import Painted, Screen, write_json
from lect.errors import PluginWarning

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from lect.registry.adapters import PluginInfo

EPILOG = """\
status:
  lazy     not imported; it will be when one of its hints occurs in a path
  eager    not imported; it has no hints, and is asked about every path
  loaded   imported
  blocked  kept out by an environment variable
  failed   left out, because it does not work; `lect doctor` shows why

examples:
  lect plugins
  lect plugins --load
  LECT_DISABLE_PLUGINS=qwen lect plugins
"""
STYLES = {"loaded": "green", "failed": "red", "blocked": "yellow"}


def configure(parser: ArgumentParser) -> None:
    """Describe the command and its arguments."""
    parser.description = "List the installed plugins. None is imported unless --load is given."
    parser.epilog = EPILOG
    parser.add_argument("--load", action="store_true", help="import them all first")
    parser.add_argument("--json", action="store_true", help="print them as JSON")


def run(arguments: Namespace) -> int:
    """Print what is known of each plugin."""
    # Failures are printed as what they are, a status.
    warnings.simplefilter("ignore", PluginWarning)
    plugins = lect.plugins(load=arguments.load)
    if arguments.json:
        write_json([_as_data(each) for each in plugins])
        return 0
    screen = Screen(sys.stdout)
    if not plugins:
        screen.line("no plugin is installed")
        screen.line("  try: lect families")
        return 0
    rows = [
        (each.name, each.package or "(this process)", each.version, ", ".join(each.hints), status_cell(each))
        for each in plugins
    ]
    screen.table(rows, header=("name", "package", "version", "hints", "status"), indent=0)
    return 0


def status_cell(plugin: PluginInfo) -> Painted:
    """Return the status of a plugin for a table."""
    style = STYLES.get(plugin.status.partition(":")[0], "")
    return Painted(plugin.status + (", a fallback" if plugin.fallback else ""), style)


def _as_data(plugin: PluginInfo) -> dict[str, Any]:
    return plugin._asdict() | {
        "package": plugin.package or None,
        "version": plugin.version or None,
        "failures": [str(failure) for failure in plugin.failures],
    }
