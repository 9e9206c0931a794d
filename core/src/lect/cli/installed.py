"""Commands of installed packages: modules with `HELP`, `configure` and `run`, in the group `lect.commands`.

lect's own commands win over installed ones of the same name. A package's errors are reported, and break nothing else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import lect
from lect.contain import Contained, StageError, format_error
from lect.errors import LectError, PluginError
from lect.registry.groups import COMMANDS

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from lect.registry.discover import Record


class Command(NamedTuple):
    """A command of a package, with its errors contained."""

    record: Record
    module: Any

    @property
    def PATHS(self) -> tuple[str, ...]:  # noqa: N802 - as in the module
        """The arguments that may be a model or a template on disk."""
        return tuple(getattr(self.module, "PATHS", ()))

    def configure(self, parser: ArgumentParser) -> None:
        """Describe the command and its arguments."""
        self._call("configure", parser)

    def run(self, arguments: Namespace) -> int:
        """Run the command."""
        code: int = self._call("run", arguments)
        return code

    def _call(self, function: str, argument: Any) -> Any:
        from argparse import ArgumentError

        try:
            with Contained(function):
                return getattr(self.module, function)(argument)
        except StageError as failed:
            if isinstance(failed.error, LectError | ArgumentError | OSError):
                raise failed.error from None
            msg = f"the command {self.record.name!r} of {self.record.package} failed: {format_error(failed.error)}"
            raise PluginError(msg) from failed.error


def names() -> list[str]:
    """Return the names of installed commands; nothing is imported."""
    return sorted({record.name for record in lect._registry.adapters.parts(COMMANDS)})


def helps() -> dict[str, str]:
    """Return what each installed command does, in a few words; for one of ours that is absent, where it is."""
    helps = {name: f"(in {package})" for name, package in absent().items()}
    for record in lect._registry.adapters.parts(COMMANDS):
        module = load_command(record)
        helps[record.name] = f"(failed; see `lect doctor`: {record.package})" if module is None else module.HELP
    return helps


def absent() -> dict[str, str]:
    """Return the commands of this project's packages that are not there, each with its package."""
    from lect.registry.packages import COMMANDS as OURS

    there = names()
    return {name: package for name, package in OURS.items() if name not in there}


def absence_message(name: str, package: str) -> str:
    """Say why a command of one of this project's packages is not there, and what to do."""
    from lect.registry.advice import absence

    return absence(lect._registry.adapters, f"the command {name!r}", package)


def command(name: str) -> Command | None:
    """Return the installed command called `name`; None if there is none."""
    record = lect._registry.adapters.part(COMMANDS, name)
    if record is None:
        return None
    module = load_command(record)
    if module is None:
        msg = f"the command {name!r} of {record.package} cannot be loaded\n  try: lect doctor"
        raise PluginError(msg)
    return Command(record, module)


def load_command(record: Record) -> Any:
    """Return the module of an installed command; None if it cannot be loaded, which is recorded."""

    def fits(module: Any) -> bool:
        return isinstance(module.HELP, str) and callable(module.configure) and callable(module.run)

    return lect._registry.adapters.load_part(record, fits, "a module with HELP, configure and run")
