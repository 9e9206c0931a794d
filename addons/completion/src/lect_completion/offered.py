"""What can be completed: the commands that are installed, as their own parsers describe them, and names."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from argparse import Action, ArgumentParser
    from collections.abc import Iterable, Iterator

SAFE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:+/-]*")
"""The words that mean themselves in every shell. Others, as a package may name a template, are not offered."""
FILES, TEMPLATES, ADAPTERS, FORMATS = "files", "templates", "adapters", "formats"
NAMED = {
    "adapter": ADAPTERS, "default": ADAPTERS, "format": FORMATS, "model": TEMPLATES, "models": TEMPLATES,
    "source": TEMPLATES, "one": TEMPLATES, "other": TEMPLATES, "against": TEMPLATES,
}  # fmt: skip
"""What an argument takes, by its name in the parser; all others are offered files."""


class Takes(NamedTuple):
    """What an argument takes."""

    kind: str
    """`files` or what names are called; a word of `choices` if that is not empty."""
    choices: tuple[str, ...] = ()


class Option(NamedTuple):
    """An option of a command."""

    names: tuple[str, ...]
    takes: Takes | None
    """What follows it; None if nothing does."""
    help: str


class Command(NamedTuple):
    """A command."""

    name: str
    help: str
    options: tuple[Option, ...]
    takes: Takes
    """What its first argument takes."""


class Offered(NamedTuple):
    """All that is offered."""

    commands: tuple[Command, ...]
    names: dict[str, list[str]]
    """By what names are called."""


def offered() -> Offered:
    """Return what can be completed; only the modules of commands are imported."""
    from lect.addon import commands

    return Offered(tuple(sorted(map(_command, commands.parsers()))), _names())


def _command(parser: ArgumentParser) -> Command:
    options = [each for each in parser._actions if each.option_strings]
    first = next((each for each in parser._actions if not each.option_strings), None)
    told = (parser.description or "").split("\n")[0]
    return Command(
        parser.prog.split()[-1],
        told,
        tuple(Option(tuple(each.option_strings), _taken(each), _help(each, parser)) for each in options),
        Takes(FILES) if first is None else _takes(first),
    )


def _help(action: Action, parser: ArgumentParser) -> str:
    """Return the help of an argument as argparse fills it in."""
    return (action.help or "") % {**vars(action), "prog": parser.prog}


def _taken(option: Action) -> Takes | None:
    return None if option.nargs == 0 else _takes(option)


def _takes(action: Action) -> Takes:
    return Takes(NAMED.get(action.dest, FILES), tuple(_safe(map(str, action.choices or ()))))


def _names() -> dict[str, list[str]]:
    import lect

    owned = lect.templates()
    full = [f"{owner}:{name}" for owner, names in owned.items() for name in names]
    alone = [name for names in owned.values() for name in names]
    known = {TEMPLATES: full, ADAPTERS: [*owned, *alone, *full], FORMATS: lect.reply_formats()}
    return {kind: sorted(set(_safe(names))) for kind, names in known.items()}


def _safe(words: Iterable[str]) -> Iterator[str]:
    return (word for word in words if SAFE.fullmatch(word))
