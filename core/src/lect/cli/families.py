"""`lect families`: which model families are installed, and which could be."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import lect
from lect.cli.plugins import status_cell
from lect.cli.screen import Screen, write_json
from lect.registry.packages import PACKAGES

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

EPILOG = """\
examples:
  lect families
  lect families --json
"""


def configure(parser: ArgumentParser) -> None:
    """Describe the command and its arguments."""
    parser.description = (
        "List the model families that are installed, and what to type for those that are not. Nothing is imported or "
        "fetched."
    )
    parser.epilog = EPILOG
    parser.add_argument("--json", action="store_true", help="print them as JSON")


def run(arguments: Namespace) -> int:
    """Print both lists."""
    plugins = lect.plugins()
    packages = {plugin.package for plugin in plugins}
    missing = {package: words for package, words in PACKAGES.items() if package not in packages}
    if arguments.json:
        write_json({
            "installed": [
                {
                    "family": each.name,
                    "package": each.package or None,
                    "version": each.version or None,
                    "status": each.status,
                } for each in plugins
            ],
            "available": [_available(package, words) for package, words in missing.items()],
        })  # fmt: skip
        return 0
    screen = Screen(sys.stdout)
    screen.line("installed", style="bold")
    if plugins:
        rows = [(each.name, each.package or "(this process)", each.version, status_cell(each)) for each in plugins]
        screen.table(rows, header=("family", "package", "version", "status"))
    else:
        screen.line("  none")
    if missing:
        screen.line()
        screen.line("not installed", style="bold")
        to_install = [
            (_family(package), f"pip install {package}", ", ".join(words)) for package, words in missing.items()
        ]
        screen.table(to_install, header=("family", "install", "models"), wrap=True)
        screen.line()
        screen.line(f"from a checkout: pip install ./plugins/{_family(next(iter(missing)))}", style="dim")
    return 0


def _family(package: str) -> str:
    return package.removeprefix("lect-")


def _available(package: str, words: tuple[str, ...]) -> dict[str, Any]:
    return {
        "family": _family(package),
        "package": package,
        "models": words,
        "install": f"pip install {package}",
        "install_from_checkout": f"pip install ./plugins/{_family(package)}",
    }
