"""`lect lock`: write down what is in force for models."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

HELP = "write down which prompts, stops and markers are in force, for `lect verify --lock`"
BOUNDED = True
EPILOG = """\
The file has the versions of packages, the templates, the digests of 1,000 prompts of each, the markers and the stops.
Commit it; in CI, `lect verify --lock lect.lock` fails where one of them changes.

examples:
  lect lock Qwen/Qwen3-4B lmsys/vicuna-7b-v1.5 -o lect.lock
"""


def configure(parser: ArgumentParser) -> None:
    """Describe the command and its arguments."""
    parser.description = "Write down what is in force for models, so that a change is noticed."
    parser.epilog = EPILOG
    parser.add_argument("models", metavar="MODEL", nargs="+", help="a model, as in `lect why`")
    parser.add_argument("-o", "--output", metavar="FILE", default="lect.lock", help="the file (default: lect.lock)")


def run(arguments: Namespace) -> None:
    """Write the file."""
    import json

    from lect.plugin import owned, write_whole
    from lect_jinja.check.lock import locked

    with owned(arguments.output):
        write_whole(arguments.output, json.dumps(locked(arguments.models), indent=1, ensure_ascii=False) + "\n")
    print(f"{len(arguments.models)} locked in {arguments.output}")
