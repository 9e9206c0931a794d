"""`lect completion`: a script that completes commands, options and names in a shell."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

HELP = "write a script that completes commands, options and names in a shell"
SHELLS = ("bash", "zsh", "fish")
EPILOG = """\
Write it again after packages were installed: it has the names of what is installed now.

examples:
  lect completion bash > ~/.local/share/bash-completion/completions/lect
  lect completion zsh > ~/.zfunc/_lect
  lect completion fish > ~/.config/fish/completions/lect.fish
"""


def configure(parser: ArgumentParser) -> None:
    """Describe the command and its arguments."""
    parser.description = (
        "Write a script that completes the commands of lect, their options, and the names of templates and families."
    )
    parser.epilog = EPILOG
    parser.add_argument("shell", metavar="SHELL", choices=SHELLS, help="bash, zsh or fish")


def run(arguments: Namespace) -> None:
    """Write the script."""
    from lect.addon import commands
    from lect_completion import script

    commands.write_exactly(script(arguments.shell))
