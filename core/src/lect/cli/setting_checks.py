"""Names in the settings that mean nothing, given what is installed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import lect
from lect.cli.findings import Finding
from lect.errors import did_you_mean, near_names
from lect.registry.settings import VARIABLES, names_of

if TYPE_CHECKING:
    from collections.abc import Iterator

PREFIX = "LECT_"


def examine_settings() -> Iterator[Finding]:
    """Yield what is wrong with variables, pins, and the names of plugins that are blocked or allowed."""
    adapters = lect._registry.adapters
    for variable in sorted(adapters.environ):
        if variable.startswith(PREFIX) and variable not in VARIABLES:
            hint = did_you_mean(near_names(variable, VARIABLES), f"there are {', '.join(VARIABLES)}")
            yield Finding(False, f"lect does not read a variable {variable}; {hint}")
    for pin in lect.pins(load=True):
        if pin.problem:
            yield Finding(True, f"the pin {pin} names nothing that can be used: {pin.problem}")
    known = {name for record in adapters.every_record() for name in names_of(record)}
    for names in filter(None, (adapters.settings.block, adapters.settings.only)):
        for name in sorted(names.value - known):
            hint = did_you_mean(near_names(name, known), "`lect plugins` lists what is installed")
            yield Finding(False, f"{names.source} names {name!r}, which is not installed; {hint}")
