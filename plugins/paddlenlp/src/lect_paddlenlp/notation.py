"""PaddleNLP's notation: a chat_template.json, or its fields."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING

import lect
from lect_paddlenlp.fields import FILE, NAMES, read_fields
from lect_paddlenlp.template import PaddleTemplate

if TYPE_CHECKING:
    from lect.plugin import Source, Template
    from lect_convert import Written


class Notation:
    """Reads and writes PaddleNLP's chat templates."""

    def recognises(self, source: Source) -> bool:
        """Return whether a source has only PaddleNLP's fields, and not just a system text.

        A model's directory is judged by its file.
        """
        if os.path.isdir(source.path):
            return self._has_file(source.path)
        data = source.data
        return isinstance(data, Mapping) and set(data) <= set(NAMES) and not {"conversation", "query"}.isdisjoint(data)

    def read(self, source: Source) -> Template:
        """Read a template.

        Raises:
            SourceError: If a field is unknown, of a wrong type, or not a template.
        """
        if os.path.isdir(source.path):
            return self._in(source.path)
        return PaddleTemplate("paddlenlp", read_fields(source), source=source.path)

    def write(self, template: Template) -> Written:
        """Write a template; lect-convert asks for it, and whoever only reads does without."""
        from lect_paddlenlp.writing import write

        return write(template)

    def _in(self, directory: str) -> Template:
        return lect.load_template(os.path.join(directory, FILE), notation="paddlenlp")

    def _has_file(self, directory: str) -> bool:
        try:
            self._in(directory)
        except lect.SourceError:
            return False
        return True


notation = Notation()
