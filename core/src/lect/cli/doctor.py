"""`lect doctor`: what is broken, and what to do about it."""

from __future__ import annotations

import sys
import warnings
from typing import TYPE_CHECKING, Any

from lect.cli.checks import examine
from lect.cli.description import WITH_BOS, WITHOUT_BOS, bos_advice, written_bos
from lect.cli.screen import Painted, Screen, write_json
from lect.errors import PluginWarning

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from lect import Template
    from lect.cli.checks import Finding, PluginCheck, Report

EPILOG = """\
The exit code is 1 where something is broken: a plugin that fails, or asks for another lect; a package that has lost its
entry points; a pin that names nothing.

examples:
  lect doctor
  lect doctor --json
"""


def configure(parser: ArgumentParser) -> None:
    """Describe the command and its arguments."""
    parser.description = (
        "Load every plugin and say what is broken, with tracebacks; which versions are installed and whether they fit "
        "each other;\n"
        "what is in each other's way; and how the prompts of each template are to be encoded."
    )
    parser.epilog = EPILOG
    parser.add_argument("--json", action="store_true", help="print the report as JSON")


def run(arguments: Namespace) -> int:
    """Print the report; return 1 where something is broken."""
    # Failures are printed with their tracebacks.
    warnings.simplefilter("ignore", PluginWarning)
    report = examine()
    broken = [finding for finding in report.findings if finding.broken]
    if arguments.json:
        write_json(_as_data(report) | {"ok": not broken})
    else:
        _show(report, broken, Screen(sys.stdout))
    return 1 if broken else 0


def _show(report: Report, broken: list[Finding], screen: Screen) -> None:
    screen.line("versions", style="bold")
    screen.table((name, version or Painted("not installed", "red")) for name, version in report.versions.items())
    if report.plugins:
        screen.line()
        screen.line("plugins", style="bold")
        screen.table(map(_plugin_row, report.plugins), header=("plugin", "package", "version", "asks for", "status"))
    if report.templates:
        screen.line()
        screen.line("BOS", style="bold")
        screen.table(_bos_rows(report.templates), header=("owner", "BOS in text", "templates"), wrap=True)
        screen.line(f"  with a BOS in the text: {WITH_BOS}", style="dim")
        screen.line(f"  without: {WITHOUT_BOS}", style="dim")
    _show_findings(screen, "worth knowing", "yellow", [finding for finding in report.findings if not finding.broken])
    _show_findings(screen, "broken", "red", broken)
    screen.line()
    if broken:
        screen.line("1 thing is broken" if len(broken) == 1 else f"{len(broken)} things are broken", style="red")
    else:
        screen.line("nothing is broken", style="green")


def _plugin_row(plugin: PluginCheck) -> tuple[str | Painted, ...]:
    return (
        plugin.name,
        plugin.package or "(this process)",
        plugin.version,
        Painted(plugin.requires or "-", "" if plugin.satisfied else "red"),
        # What follows is said below, at length.
        Painted(plugin.status.partition(":")[0], "red" if plugin.status.startswith("failed") else ""),
    )


def _bos_rows(templates: dict[str, tuple[Template, ...]]) -> list[tuple[str, str, str]]:
    rows: dict[tuple[str, str], list[str]] = {}
    for owner, owned in templates.items():
        for template in owned:
            rows.setdefault((owner, written_bos(template)), []).append(template.name)
    return [(owner, repr(bos) if bos else "-", ", ".join(names)) for (owner, bos), names in rows.items()]


def _show_findings(screen: Screen, title: str, style: str, findings: list[Finding]) -> None:
    if not findings:
        return
    screen.line()
    screen.line(title, style="bold")
    for finding in findings:
        screen.block(finding.what, indent=2, style=style)
        screen.block(finding.traceback, indent=4, style="dim")


def _as_data(report: Report) -> dict[str, Any]:
    return {
        "versions": report.versions,
        "plugins": [
            each._asdict()
            | {"package": each.package or None, "version": each.version or None, "requires": each.requires or None}
            for each in report.plugins
        ],
        "templates": [
            {"owner": owner, "name": template.name, "bos": written_bos(template), "bos_advice": bos_advice(template)}
            for owner, owned in report.templates.items()
            for template in owned
        ],
        "findings": [finding._asdict() for finding in report.findings],
    }
