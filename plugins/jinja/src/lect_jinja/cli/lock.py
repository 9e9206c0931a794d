"""`lect lock`: write down what is in force for models."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

HELP = "write down which prompts, stops and markers are in force, for `lect verify --lock`"
PATHS = ("models",)
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
    import os

    from lect.errors import SourceError
    from lect_jinja.verify.lock import locked

    text = json.dumps(locked(arguments.models), indent=1, ensure_ascii=False) + "\n"
    unfinished = f"{arguments.output}.part"
    try:
        with open(unfinished, "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(unfinished, arguments.output)
    except OSError as error:
        msg = f"{arguments.output} cannot be written: {error.strerror}\n  try: -o with a path that you may write to"
        raise SourceError(msg) from error
    print(f"{len(arguments.models)} locked in {arguments.output}")
