"""`lect doctor`: what is broken, and what to do about it."""

import sys
import warnings
from argparse import ArgumentError, ArgumentParser, Namespace
from typing import Any

import lect
from lect.cli.checks import InstallationReport, check_installation
from lect.cli.description import WITH_BOS, WITHOUT_BOS, bos_advice, written_bos
from lect.cli.inputs import utf8
from lect.cli.plugin_checks import Finding
from lect.cli.rendering import add_choice, resolve
from lect.cli.screen import Painted, Progress, Screen, write_json
from lect.errors import PluginWarning

BOUNDED = True
EPILOG = """\
The exit code is 1 if something is broken or wrong: a plugin or a template that fails, or requires another
version of lect; two packages that claim the same models, with different formats; a package that has lost its entry
points, or has hints and no adapter; a pin that names nothing that exists; a tokenizer or token ids that are not the
model's.

examples:
  lect doctor
  lect doctor --json
  lect doctor Qwen/Qwen2.5-7B-Instruct --tokenizer ./Qwen2.5-7B-Instruct
  lect doctor Qwen/Qwen2.5-7B-Instruct --tokenizer ./Qwen2.5-7B-Instruct --ids ids.json
"""


def configure(parser: ArgumentParser) -> None:
    """Describe the command and its arguments."""
    parser.description = (
        "Load every plugin and ask it about models, write a prompt and read a reply with every template, and say what\n"
        "is broken, with tracebacks; which versions are installed and whether they fit together; which names and\n"
        "settings conflict or have no effect; and how the prompts of each template must be encoded.\n"
        "With a model, say whether a tokenizer, or token ids that were trained on or sent, are right for it."
    )
    parser.set_defaults(timeout=300.0)  # It tries everything that is installed.
    parser.add_argument("model", metavar="MODEL", type=utf8, nargs="?", help="owner/name, a name, or a local path")
    tokenizer = "the model's tokenizer: a directory with a tokenizer.json, or that file"
    parser.add_argument("--tokenizer", metavar="DIR", help=tokenizer)
    ids = "a JSON file with a list of token ids, or -; with --tokenizer, they are read back into turns"
    parser.add_argument("--ids", metavar="FILE", help=ids)
    add_choice(parser)
    parser.add_argument("--json", action="store_true", help="print the report as JSON")


def run(arguments: Namespace) -> int:
    """Print the report; return 1 if something is broken or wrong."""
    if (arguments.model is None) != (arguments.tokenizer is arguments.ids is None):
        raise ArgumentError(None, "MODEL needs --tokenizer or --ids, and these need MODEL")
    if arguments.model is None:
        return _run_installed(arguments)
    report: int = lect._registry.function("doctor_tokens", "what checks a tokenizer and token ids")(
        arguments.model, resolve(arguments).template, arguments.tokenizer, arguments.ids, as_json=arguments.json
    )
    return report


def _run_installed(arguments: Namespace) -> int:
    # Failures are printed with their tracebacks.
    warnings.simplefilter("ignore", PluginWarning)
    with Progress(Screen(sys.stderr)) as progress:
        report = check_installation(progress.show)
    broken = [finding for finding in report.findings if finding.broken]
    if arguments.json:
        write_json(_as_data(report) | {"ok": not broken})
    else:
        _show(report, broken, Screen(sys.stdout))
    return 1 if broken else 0


def _show(report: InstallationReport, broken: list[Finding], screen: Screen) -> None:
    screen.line("versions", style="bold")
    screen.table((name, version or Painted("not installed", "red")) for name, version in report.versions.items())
    if report.config is not None:
        screen.section("config file")
        screen.line(f"  {report.config or 'none'}")
    if report.plugins:
        screen.section("plugins")
        screen.table(map(_plugin_row, report.plugins), header=("plugin", "package", "version", "requires", "status"))
    if report.templates:
        screen.section("BOS")
        screen.table(_bos_rows(report.templates), header=("owner", "BOS in text", "templates"), wrap=True)
        screen.line(f"  with a BOS in the text: {WITH_BOS}", style="dim")
        screen.line(f"  without: {WITHOUT_BOS}", style="dim")
    _show_findings(screen, "worth knowing", "yellow", [finding for finding in report.findings if not finding.broken])
    _show_findings(screen, "broken", "red", broken)
    screen.line()
    found = {0: "nothing is", 1: "1 thing is"}.get(len(broken), f"{len(broken)} things are")
    screen.line(f"{found} broken", style="red" if broken else "green")


def _plugin_row(plugin: dict[str, Any]) -> tuple[str | Painted, ...]:
    status = plugin["status"].partition(":")[0]  # The details follow below.
    requires = Painted(plugin["requires"] or "-", "" if plugin["satisfied"] else "red")
    shown = Painted(status, "red" if status == "failed" else "")
    return plugin["name"], plugin["package"] or "(this process)", plugin["version"] or "", requires, shown


def _bos_rows(templates: dict[str, tuple[lect.Template, ...]]) -> list[tuple[str, str, str]]:
    rows: dict[tuple[str, str], list[str]] = {}
    for owner, owned in templates.items():
        for template in owned:
            rows.setdefault((owner, written_bos(template)), []).append(template.name)
    return [(owner, repr(bos) if bos else "-", ", ".join(names)) for (owner, bos), names in rows.items()]


def _show_findings(screen: Screen, title: str, style: str, findings: list[Finding]) -> None:
    if findings:
        screen.section(title)
    for finding in findings:
        screen.block(finding.what, indent=2, style=style)
        screen.block(finding.traceback, indent=4, style="dim")


def _as_data(report: InstallationReport) -> dict[str, Any]:
    return {
        "versions": report.versions,
        "config": report.config or None,
        "plugins": report.plugins,
        "templates": [
            {"owner": owner, "name": template.name, "bos": written_bos(template), "bos_advice": bos_advice(template)}
            for owner, owned in report.templates.items()
            for template in owned
        ],
        "findings": [finding._asdict() for finding in report.findings],
    }
