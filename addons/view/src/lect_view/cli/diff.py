"""`lect diff`: where two templates differ."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

HELP = "show where two templates differ"
BOUNDED = True
EPILOG = """\
The exit code is 0 if all prompts are equal, and 1 if they differ.

examples:
  lect diff default xtuner:default
  lect diff template.json acme/chatty-7b
  lect diff default xtuner:default --words
"""


def configure(parser: ArgumentParser) -> None:
    """Describe the command and its arguments."""
    from lect.addon import commands

    parser.description = (
        "Render two templates over a set of conversations, and show the first difference in each kind of "
        "conversation:\nthe text around it, then the bytes from there on."
    )
    parser.epilog = EPILOG
    parser.add_argument("one", metavar="A", type=commands.utf8, help=commands.SOURCE)
    parser.add_argument("other", metavar="B", type=commands.utf8, help="the template to compare it with")
    commands.add_notation(parser)
    words = "show the two prompts as one text instead, with the words that differ as [-A-]{+B+}"
    parser.add_argument("--words", action="store_true", help=words)
    parser.add_argument("--json", action="store_true", help="print the differences as JSON, with the whole prompts")


def run(arguments: Namespace) -> int:
    """Print the differences; return 1 if there are any."""
    from lect.addon import commands
    from lect_view.differing import print_differences

    words = (arguments.one, arguments.other)
    one, other = (commands.find_template(word, arguments.notation) for word in words)
    return print_differences(one, other, words, as_words=arguments.words, as_json=arguments.json)
