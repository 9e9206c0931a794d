"""`lect templates`: the names of templates."""

import sys
from argparse import ArgumentParser, Namespace

import lect
from lect.cli.screen import Painted, Screen, write_json

EPILOG = """\
A name may be used alone if it has only one owner, and as owner:name everywhere: in --adapter, --default
and pins.

examples:
  lect templates
  lect templates --load
  lect prompt acme/unheard-of-7b "Hello!" --adapter chatml
"""


def configure(parser: ArgumentParser) -> None:
    """Describe the command and its arguments."""
    parser.description = "List the names of templates by owner: those of lect itself, and those that plugins declare."
    load = "import every plugin, and also list what it does not declare"
    parser.add_argument("--load", action="store_true", help=load)
    parser.add_argument("--json", action="store_true", help="print them as JSON")


def run(arguments: Namespace) -> None:
    """Print the names, one owner per line."""
    names = lect.templates(load=arguments.load)
    if arguments.json:
        write_json(names)
        return
    rows = [(Painted(owner, "cyan"), ", ".join(owned)) for owner, owned in names.items()]
    Screen(sys.stdout).table(rows, header=("owner", "templates"), indent=0, wrap=True)
