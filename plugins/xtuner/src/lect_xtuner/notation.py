"""XTuner's notation: a template as a mapping, or as a JSON file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePath
from typing import TYPE_CHECKING

from lect_xtuner.chat import table_of
from lect_xtuner.fields import DEFAULTS, read_fields

if TYPE_CHECKING:
    from lect.plugin import Source, Template, TurnTemplate
    from lect_convert import Written


class Notation:
    """Reads and writes XTuner's templates."""

    def recognises(self, source: Source) -> bool:
        """Return whether a source has any of XTuner's fields."""
        return isinstance(source.data, Mapping) and not DEFAULTS.keys().isdisjoint(source.data)

    def read(self, source: Source) -> TurnTemplate:
        """Read a template; it is named after its file.

        Raises:
            SourceError: If a field is missing, unknown, or of a wrong type or form.
        """
        name = PurePath(source.path).stem or "xtuner"
        return table_of(read_fields(source, name), source=source.path)

    def write(self, template: Template) -> Written:
        """Write a template; lect-convert asks for it, and whoever only reads does without."""
        from lect_xtuner.writing import write

        return write(template)


notation = Notation()
