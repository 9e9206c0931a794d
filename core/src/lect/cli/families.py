"""`lect families`: which model families are installed, and which could be."""

import sys
from argparse import ArgumentParser, Namespace
from typing import Any

import lect
from lect.cli.plugins import status_cell
from lect.cli.screen import Screen, write_json
from lect.installing import install_command
from lect.registry.packages import FORMATS, PACKAGES

EPILOG = """\
examples:
  lect families
  lect families --json
"""


def configure(parser: ArgumentParser) -> None:
    """Describe the command and its arguments."""
    parser.description = (
        "List the model families that are installed, and what to type for those that are not. Attested formats are\n"
        "those that two independent projects state, where no file of the maker's was at hand. Nothing is imported or\n"
        "fetched."
    )
    parser.add_argument("--json", action="store_true", help="print them as JSON")


def run(arguments: Namespace) -> None:
    """Print both lists."""
    plugins = lect.plugins()
    packages = {plugin.package for plugin in plugins}
    installed: list[dict[str, Any]] = [
        {"family": each.name, "package": each.package or None, "version": each.version or None}
        | _counts(each.package)
        | {"status": each.status}
        for each in plugins
    ]
    available: list[dict[str, Any]] = [
        {"family": package.removeprefix("lect-"), "package": package, "models": words}
        | _counts(package)
        | {"install": install_command(package)}
        for package, words in PACKAGES.items()
        if package not in packages
    ]
    if arguments.json:
        write_json({"installed": installed, "available": available})
        return
    screen = Screen(sys.stdout)
    screen.line("installed", style="bold")
    if plugins:
        rows = [
            (each.name, each.package or "(this process)", each.version, _formats(data), status_cell(each))
            for each, data in zip(plugins, installed, strict=True)
        ]
        screen.table(rows, header=("family", "package", "version", "formats", "status"))
    else:
        screen.line("  none")
    if available:
        screen.section("not installed")
        others = [(each["family"], each["install"], _formats(each), ", ".join(each["models"])) for each in available]
        screen.table(others, header=("family", "install", "formats", "models"), wrap=True)


def _counts(package: str) -> dict[str, int | None]:
    return dict(zip(("formats", "attested"), FORMATS.get(package, (None, None)), strict=True))


def _formats(data: dict[str, Any]) -> str:
    known = "" if data["formats"] is None else f"{data['formats']}"
    return f"{known}, {data['attested']} attested" if data["attested"] else known
