"""Ollama's names for models, and templates as its Modelfiles. Modelfiles can be written, but not read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lect_ollama.names import adapter

if TYPE_CHECKING:
    from collections.abc import Callable

    from lect.plugin import Template
    from lect_convert import Written

__lect_api__ = "~=1.0"

__all__ = ["adapter", "notation"]


class Notation:
    """Writes Modelfiles where lect-convert asks for one; whoever only asks for a name does without what that takes."""

    def write(self, template: Template) -> Written:
        """Write a template as a Modelfile."""
        from lect_ollama.writing import write

        return write(template)

    def renderer(self, text: str, template: Template) -> Callable[[list[dict[str, str]], bool], str] | None:
        """Return a function that renders a Modelfile as Ollama does; None where there is no Go."""
        from lect_ollama.proof import renderer

        return renderer(text, template)


notation = Notation()
