"""`lect formats`: the formats of replies."""

import sys
from argparse import ArgumentParser, Namespace

import lect
from lect.cli.screen import Screen, write_json

EPILOG = """\
The format of a model's replies is found by its path; a name is needed only if the path says nothing.

examples:
  lect formats
  lect formats think
  lect parse - reply.txt --format think
"""


def configure(parser: ArgumentParser) -> None:
    """Describe the command and its arguments."""
    parser.description = "List the reply formats by name, with the models that use them and an example."
    parser.add_argument("names", metavar="NAME", nargs="*", help="the formats to show; all of them by default")
    parser.add_argument("--json", action="store_true", help="print them as JSON")


def run(arguments: Namespace) -> None:
    """Print each format."""
    formats = [lect._registry.formats.get(name) for name in arguments.names or lect.reply_formats()]
    if arguments.json:
        write_json([
            {"name": each.name, "models": each.names or None, "stop": list(each.stop), "example": each.example or None}
            for each in formats
        ])  # fmt: skip
        return
    screen = Screen(sys.stdout)
    for number, each in enumerate(formats):
        screen.write("\n" * (number > 0))
        screen.line(each.name, style="bold")
        screen.block(each.names or "any model", indent=2, style="dim")
        screen.block(each.example, indent=2)
