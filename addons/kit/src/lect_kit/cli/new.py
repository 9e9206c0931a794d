"""`lect new`: a package with an adapter, to be edited, installed and published."""

from __future__ import annotations

import os
import shlex
import sys
from typing import TYPE_CHECKING

import lect
from lect.cli.inputs import utf8
from lect.cli.rendering import print_notes
from lect.cli.screen import Screen, write_json
from lect.cli.sources import add_notation, find_template
from lect.errors import LectError, saferepr

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

HELP = "write a package with an adapter for your own models"
BOUNDED = True
EPILOG = """\
examples:
  lect new acme
  lect new acme --model acme/Acme-2-7B-Chat --model acme/Acme-2-70B-Chat
  lect new acme --program
  lect new acme --from tokenizer_config.json
  lect new acme --from xtuner:default --into plugins
"""
UNHEARD = (
    "no installed package parses the calls of these models, so one test of the new package is expected to fail: state "
    "reply=, or install lect-dialects and the family that writes calls like theirs, and create the package again"
)
UNKNOWN = {
    "stop": "nothing that ends an answer was found, so a reply ends only where the engine ends it: state stop=, or "
    "give --from the directory of the model, whose files name it",
    "markers": "no markers of turns were found, so nothing tells a turn from text that looks like one: state markers=, "
    "if the model has any",
}
"""What is said of a template without one of these facts."""


def configure(parser: ArgumentParser) -> None:
    """Describe the command and its arguments."""
    parser.description = (
        "Write a package with an adapter for your own models: lect-NAME, with tests, ready to install and publish.\n"
        "Its format is a table to edit: what is written before and after the text of each role."
    )
    parser.epilog = EPILOG
    parser.add_argument(
        "name", metavar="NAME", type=utf8, help="the family, such as acme: lower-case words and hyphens"
    )
    start = parser.add_mutually_exclusive_group()
    start.add_argument(
        "--program", action="store_true", help="a Python function instead, with tools, calls and a grammar of replies"
    )
    start.add_argument(
        "--from",
        metavar="SOURCE",
        dest="source",
        type=utf8,
        help="the format of a file or a model directory in any notation that is installed, or of a template by name",
    )
    add_notation(parser)
    parser.add_argument(
        "--model",
        metavar="ORG/NAME",
        dest="models",
        action="append",
        type=utf8,
        help="a model of the family, from which its rules are made; may be given more than once",
    )
    parser.add_argument(
        "--into",
        metavar="DIR",
        type=utf8,
        default="",
        help="where to write the package; the current directory by default",
    )
    parser.add_argument("--json", action="store_true", help="print what was written as JSON")


def run(arguments: Namespace) -> int:
    """Write the package, and say what comes next."""
    # Not above: `lect --help` imports this module too, for HELP.
    from pathlib import Path

    from lect_kit.scaffold.adapter import program_adapter, template_adapter
    from lect_kit.scaffold.names import names_of
    from lect_kit.scaffold.package import files_of, write_package
    from lect_kit.scaffold.proof import check_package

    names = names_of(arguments.name)
    models = list(dict.fromkeys(arguments.models or [names.model]))
    template = _starting_point(arguments)
    adapter = template_adapter(names, models, template) if template else program_adapter(names, models)
    is_unheard = template is not None and template.reply is None and _writes_calls(template)
    files = files_of(names, models, adapter, is_unheard=is_unheard)
    directory = Path(os.path.expanduser(arguments.into), names.package)
    write_package(directory, files, lambda made: check_package(made, names, template))
    notes = [note for fact, note in UNKNOWN.items() if template is not None and not getattr(template, fact)]
    print_notes([UNHEARD, *notes] if is_unheard else notes)
    steps = [f'pip install -e "{os.path.join(os.curdir, directory)}[test]"', f"pytest {shlex.quote(str(directory))}"]
    if arguments.json:
        purposes = {file.path: file.purpose for file in files}
        write_json({"package": names.package, "directory": str(directory), "files": purposes, "next": steps})
        return 0
    screen = Screen(sys.stdout)
    screen.line(f"{directory}:")
    screen.table([(file.path, file.purpose) for file in files])
    screen.line("next:")
    screen.table([(step,) for step in steps])
    return 0


def _starting_point(arguments: Namespace) -> lect.Template | None:
    """Return the template to start from; None for a program.

    The source of a file or directory is its name alone: its location concerns nobody else.
    """
    if arguments.program:
        return None
    if arguments.source is None:
        from lect_kit.scaffold.adapter import STARTING_TABLE

        return STARTING_TABLE
    path = os.path.expanduser(arguments.source)
    if os.path.exists(path):
        path = os.path.abspath(path)
        return lect.load_template(path, notation=arguments.notation).but(source=os.path.basename(path))
    try:
        template = find_template(arguments.source)
    except LookupError as error:
        raise LectError(
            f"there is no file, template or model {saferepr(arguments.source)}\n"
            "  try: a path that exists, or a name from `lect templates`"
        ) from error
    return template if template.source else template.but(source=arguments.source)


def _writes_calls(template: lect.Template) -> bool:
    """Return whether a template writes an assistant's calls, so that its model writes such calls too."""
    function = {"name": "get_weather", "arguments": {"city": "Paris"}}
    call = {"id": "callnumb0", "type": "function", "function": function}
    answer = {"role": "assistant", "content": "", "tool_calls": [call]}
    try:
        return "get_weather" in template.text([{"role": "user", "content": "Hi"}, answer], strict=True)
    except LectError:
        return False
