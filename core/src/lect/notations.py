"""Templates in the notations of other tools.

A notation is an object in the entry-point group `lect.notations`. To read templates, it has
`recognises(source) -> bool` and `read(source) -> Template`; core reads the file, once, and passes it as a `Source`. To
write them, it has `write(template)`, which `lect_convert` of the package lect-convert calls.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from lect.contain import blaming
from lect.errors import LectError, PluginError, SourceError, saferepr
from lect.format.template import Template
from lect.installing import install_command
from lect.registry.adapters import Adapters
from lect.registry.groups import NOTATIONS
from lect.source import source_of


class Notation(NamedTuple):
    """An installed notation of templates."""

    name: str
    """Its name."""
    owner: Any
    """What its package brings."""

    def has(self, function: str) -> bool:
        """Return whether it can do something, such as `write`."""
        return hasattr(self.owner, function)

    def ask(self, function: str, *given: Any) -> Any:
        """Return what one of its functions returns; what that raises names the notation."""
        what = f"the notation {self.name!r} failed on {given[-1]}"
        return blaming(what, (LectError,), lambda: getattr(self.owner, function)(*given))


def load_template(adapters: Adapters, source: Any, notation: str | None = None) -> Template:
    """Read a template by one of the installed notations; see `lect.load_template`."""
    given = source_of(source)
    readers = {name: each for name, each in notations(adapters, notation).items() if each.has("read")}
    if notation is not None and not readers:
        raise SourceError(f"the notation {notation!r} can be written, but not read")
    if not readers:
        hint = install_command("lect-jinja")
        raise SourceError(f"no installed package reads templates, so {given} cannot be read\n  try: {hint}")
    found = {name: each for name, each in readers.items() if notation or each.ask("recognises", given)}
    if len(found) > 1:
        msg = f"{given} could be a template in several notations: {', '.join(found)}\n  try: notation={min(found)!r}"
        raise SourceError(msg)
    if not found:
        why = f"; it {given.problem}" if given.problem else ""
        raise SourceError(
            f"{given} is not a template in any installed notation ({', '.join(readers)}){why}\n"
            f"  try: notation={min(readers)!r}, to learn what is wrong with it"
        )
    ((name, reader),) = found.items()
    template = reader.ask("read", given)
    if not isinstance(template, Template):
        raise PluginError(f"the notation {name!r} read {saferepr(template)} from {given}; expected a Template")
    return template


def notations(adapters: Adapters, wanted: str | None) -> dict[str, Notation]:
    """Return the installed notations by name, or the one that is wanted."""
    records = adapters.parts(NOTATIONS)
    names = sorted({record.name for record in records})
    if wanted is not None and wanted not in names:
        from lect.registry.advice import absence
        from lect.registry.packages import NOTATIONS as OURS

        if wanted in OURS:
            raise SourceError(absence(adapters, f"the notation {wanted!r}", OURS[wanted]))
        hint = f"one of {', '.join(names)}" if names else install_command("lect-jinja")
        raise SourceError(f"no installed package has a notation {saferepr(wanted)}\n  try: {hint}")
    found: dict[str, Notation] = {}
    packages: dict[str, str] = {}
    for record in records:
        if wanted in (None, record.name) and (loaded := adapters.load_part(record)) is not None:
            if record.name in found:
                both = f"{packages[record.name]} and {record.package}"
                raise PluginError(f"both {both} have a notation {record.name!r}\n  try: uninstall one")
            found[record.name], packages[record.name] = Notation(record.name, loaded), record.package
    if wanted is not None and not found:
        raise PluginError(f"the notation {wanted!r} cannot be loaded\n  try: lect doctor")
    return found
