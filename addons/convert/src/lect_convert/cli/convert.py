"""`lect convert`: a template in the notation of another tool."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

HELP = "write a template in the notation of another tool"
BOUNDED = True
EPILOG = """\
examples:
  lect convert template.json --to fastchat
  lect convert xtuner:default --to fastchat --lossy
  lect convert default --to xtuner -o default.json
"""


def configure(parser: ArgumentParser) -> None:
    """Describe the command and its arguments."""
    from lect.addon import commands

    parser.description = (
        "Write a template in the notation of another tool.\n"
        "Both are rendered over a set of conversations first. What the notation cannot express is listed as an error."
    )
    parser.epilog = EPILOG
    parser.add_argument("source", metavar="SOURCE", type=commands.utf8, help=commands.SOURCE)
    parser.add_argument("--to", metavar="NOTATION", required=True, help="the notation to write, such as xtuner")
    commands.add_notation(parser, "--from")
    parser.add_argument("--lossy", action="store_true", help="write what can be expressed, and leave out the rest")
    output = "the file to write; standard output by default"
    parser.add_argument("-o", metavar="FILE", dest="output", type=commands.utf8, help=output)
    parser.add_argument("--json", action="store_true", help="print the result as text in a JSON object")


def run(arguments: Namespace) -> None:
    """Write the template."""
    import lect
    from lect.addon import commands
    from lect.plugin import owned, write_whole

    template = commands.find_template(arguments.source, arguments.notation)
    text = lect.dump_template(template, arguments.to, lossy=arguments.lossy)
    if arguments.output is not None:
        with owned(arguments.output):
            write_whole(arguments.output, text)
    elif arguments.json:
        commands.write_json({"notation": arguments.to, "template": template.name, "text": text})
    else:
        commands.write_exactly(text)
