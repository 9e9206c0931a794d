"""The script for each shell, with all names in it: to start Python at each key would take longer than people wait."""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING, Literal, get_args

from lect.errors import MessageError, expect_one_of
from lect.plugin import boundary
from lect_completion.offered import FILES, offered

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lect_completion.offered import Command, Offered, Takes

Shell = Literal["bash", "zsh", "fish"]
SHELLS: tuple[Shell, ...] = get_args(Shell)
GENERAL = ("--help", "--version")


@boundary
def script(shell: Shell) -> str:
    """Return the script that completes `lect` in a shell, for what is installed now.

    Args:
        shell: `bash`, `zsh` or `fish`.

    Raises:
        MessageError: If it is for none of them.
    """
    expect_one_of(SHELLS, "shell", shell, MessageError)
    return _fish(offered()) if shell == "fish" else _cases(offered(), shell)


def _cases(known: Offered, shell: Shell) -> str:
    """Return the script for bash or zsh: the same cases, in what each shell does with them."""
    frame = (files("lect_completion") / f"lect.{shell}").read_text("utf-8")
    lists = "".join(f"_lect_{kind}='{' '.join(each)}'\n" for kind, each in known.names.items())
    commands = [*(command.name for command in known.commands), *GENERAL]
    filled = {"NAMES\n": lists, "COMMANDS": " ".join(commands), "CASES\n": "".join(map(_case, known.commands))}
    for place, text in filled.items():
        frame = frame.replace(f"@{place}", text)
    return frame


def _case(command: Command) -> str:
    options = " ".join(name for option in command.options for name in option.names)
    taking = "".join(
        f"                {'|'.join(option.names)}) {_set(option.takes)} ;;\n"
        for option in command.options
        if option.takes
    )
    return (
        f"        {command.name})\n"
        f"            options='{options}'\n"
        "            case $before in\n"
        f"{taking}"
        f"                *) {_set(command.takes)} ;;\n"
        "            esac ;;\n"
    )


def _set(takes: Takes) -> str:
    if takes.choices:
        return f"names='{' '.join(takes.choices)}'"
    return "names=" if takes.kind == FILES else f"names=$_lect_{takes.kind}"


def _fish(known: Offered) -> str:
    return "".join(f"{line}\n" for line in _fish_lines(known))


def _fish_lines(known: Offered) -> Iterator[str]:
    yield "# lect completion fish"
    for kind, listed in known.names.items():
        yield f"set -g _lect_{kind} {' '.join(listed)}"
    yield "complete -c lect -e"
    first = "-n __fish_use_subcommand"
    yield f"complete -c lect {first} -l version -d 'show the version'"
    for command in known.commands:
        yield f"complete -c lect -f {first} -a {command.name} -d {_quoted(command.help)}"
        within = f"-n '__fish_seen_subcommand_from {command.name}'"
        if arguments := _fish_names(command.takes):
            yield f"complete -c lect {within} -a {arguments}"
        for option in command.options:
            names = " ".join(f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}" for name in option.names)
            takes = "" if option.takes is None else " -r"
            if option.takes and (arguments := _fish_names(option.takes)):
                takes = f" -x -a {arguments}"
            yield f"complete -c lect {within} {names}{takes} -d {_quoted(option.help)}"


def _fish_names(takes: Takes) -> str:
    if takes.choices:
        return f"'{' '.join(takes.choices)}'"
    return "" if takes.kind == FILES else f'"$_lect_{takes.kind}"'


def _quoted(text: str) -> str:
    """Return a text as fish reads it, which knows two characters between single quotes."""
    line = "".join(each for each in text.replace("\n", " ") if each.isprintable())
    return "'" + line.replace("\\", "\\\\").replace("'", "\\'") + "'"
