"""`lect audit`: find what a model's own template should not do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lect.errors import saferepr

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from lect_jinja.check.audit import Finding

HELP = "find what a model's own template should not do"
CLEAN, FOUND = 0, 1
NO_WARNINGS = "no warnings: nothing was found that a chat template should not do"
BOUNDED = True
EPILOG = """\
A warning is something that a template should not do: conditions on what people say or on the date, its own text
inside somebody's turn, messages that it leaves out, words that it replaces, addresses, invisible characters. A note is
what is usual and worth knowing. With a warning the exit code is 1.

examples:
  lect audit ./checkpoint-500
  lect audit ./model.gguf --json
"""


def configure(parser: ArgumentParser) -> None:
    """Describe the command and its arguments."""
    parser.description = (
        "Look for what a model's own chat template should not do, and for where it differs from its family's."
    )
    parser.epilog = EPILOG
    parser.add_argument("path", metavar="PATH", help="a model directory, a GGUF file, or hf:owner/name with lect-hub")
    parser.add_argument("--json", action="store_true", help="print the findings as JSON")


def run(arguments: Namespace) -> int:
    """Print the findings; return 1 if one of them is a warning."""
    # Not above: `lect --help` imports this module too, for HELP.
    import json

    from lect_jinja.check.audit import WARNING, audited

    findings = audited(arguments.path)
    is_clean = all(finding.level != WARNING for finding in findings)
    if arguments.json:
        print(json.dumps([finding._asdict() for finding in findings], indent=2))
    else:
        print(*map(_line, findings), *[NO_WARNINGS] * is_clean, sep="\n")
    return CLEAN if is_clean else FOUND


def _line(finding: Finding) -> str:
    place = f"line {finding.line}: " if finding.line else ""
    what = finding.what if finding.what.isprintable() else saferepr(finding.what, len(finding.what))
    return f"{finding.level:8} {finding.rule:21} {place}{what}"
