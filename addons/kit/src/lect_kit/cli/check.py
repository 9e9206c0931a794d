"""`lect check`: the conformance kit on an installed plugin."""

from __future__ import annotations

import sys
import warnings
from typing import TYPE_CHECKING

from lect.cli.screen import Painted, Screen, write_json
from lect.errors import PluginWarning

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from lect_kit.run import Outcome
    from lect_kit.subject import Subject

HELP = "run the conformance kit on a plugin, and say what is wrong with it"
EPILOG = """\
Its examples are the real models that it knows; if it knows none, names are made up from its rules or hints. A test
file can name models, golden files and the maker's own template: see docs/how-to/test-an-adapter.md.

examples:
  lect check acme
  lect check acme --json
  lect check lect-acme:acme
"""
SHOWN = {"ok": Painted("ok", "green"), "failed": Painted("FAILED", "red"), "skipped": Painted("skipped", "dim")}


def configure(parser: ArgumentParser) -> None:
    """Describe the command and its arguments."""
    parser.description = (
        "Run the conformance kit on an installed plugin, without a test file, and say what is wrong and what to do."
    )
    parser.epilog = EPILOG
    parser.add_argument("plugin", metavar="PLUGIN", help="a plugin, as `lect plugins` lists it, or a package")
    parser.add_argument("--json", action="store_true", help="print the report as JSON")


def run(arguments: Namespace) -> int:
    """Print the report; return 1 if a check fails."""
    # Not above: `lect --help` imports this module too, for HELP.
    from lect_kit.run import run_suite
    from lect_kit.subject import find_subject

    # The checks report what the plugin does wrong.
    warnings.simplefilter("ignore", PluginWarning)
    subject = find_subject(arguments.plugin)
    outcomes = run_suite(subject)
    failed = [outcome for outcome in outcomes if outcome.status == "failed"]
    if arguments.json:
        identity = {"plugin": subject.name, "package": subject.dist.name, "version": subject.dist.version}
        write_json(identity | {"checks": [outcome._asdict() for outcome in outcomes], "ok": not failed})
    else:
        _show(Screen(sys.stdout), subject, outcomes, failed)
    return 1 if failed else 0


def _show(screen: Screen, subject: Subject, outcomes: list[Outcome], failed: list[Outcome]) -> None:
    screen.line(f"{subject.name} ({subject.dist.name} {subject.dist.version})", style="bold")
    screen.table(
        [
            (SHOWN[each.status], _words(each.name), Painted(each.why if each.status == "skipped" else "", "dim"))
            for each in outcomes
        ]
    )
    for each in failed:
        screen.line()
        screen.line(f"{_words(each.name)}: {each.asserts}", style="bold")
        screen.block(each.why, indent=2, style="red")
    screen.line()
    if failed:
        what = "1 check failed" if len(failed) == 1 else f"{len(failed)} checks failed"
        screen.line(f"{what}: see docs/reference/testing.md", style="red")
    else:
        screen.line("no check failed", style="green")


def _words(name: str) -> str:
    """Return the name of a test as words."""
    return name.removeprefix("test_").replace("_", " ")
