"""Commands of installed packages: modules with `HELP`, `configure` and `run`, in the group `lect.commands`.

lect's own commands win over installed ones of the same name. A package's errors are reported, and break nothing else.
"""

from argparse import ArgumentError
from functools import partial
from types import SimpleNamespace
from typing import Any

import lect
from lect.contain import blaming
from lect.errors import LectError
from lect.registry.groups import COMMANDS


def names() -> list[str]:
    """Return the names of installed commands; nothing is imported."""
    return sorted({record.name for record in lect._registry.adapters.parts(COMMANDS)})


def helps() -> dict[str, str]:
    """Return what each installed command does, in a few words; for one of ours that is absent, where it is."""
    helps = {name: f"(in {package})" for name, package in absent().items()}
    for record in lect._registry.adapters.parts(COMMANDS):
        module = lect._registry.adapters.load_part(record)
        helps[record.name] = f"(failed; see `lect doctor`: {record.package})" if module is None else module.HELP
    return helps


def absent() -> dict[str, str]:
    """Return the commands of this project's packages that are not there, each with its package."""
    from lect.registry.packages import COMMANDS as OURS

    there = names()
    return {name: package for name, package in OURS.items() if name not in there}


def command(name: str) -> Any:
    """Return the installed command called `name`, with what its functions raise contained; None if there is none."""
    if (found := lect._registry.adapters.part(COMMANDS, name, f"the command {name!r}")) is None:
        return None
    package, module = found
    contained = partial(blaming, f"the command {name!r} of {package} failed", (LectError, ArgumentError, OSError))
    functions = {function: partial(contained, getattr(module, function)) for function in ("configure", "run")}
    facts = {"BOUNDED": getattr(module, "BOUNDED", False), "ENDLESS": getattr(module, "ENDLESS", ())}
    return SimpleNamespace(**facts, **functions)
