"""The notation `jinja`: a template's text, a tokenizer's configuration, a model directory, a GGUF file."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from lect.errors import PluginError, SourceError
from lect_jinja.files.directory import ForeignNotationError
from lect_jinja.files.untrusted import ModelFileError, refuse
from lect_jinja.identity.paths import is_installed, read_local

if TYPE_CHECKING:
    from collections.abc import Callable

    from lect.plugin import Source, Template
    from lect_convert import Written


class JinjaNotation:
    """Reads templates as they are written, whatever their family, and writes turn tables as Jinja templates."""

    def recognises(self, source: Source) -> bool:
        """Return whether something is, or has, a Jinja chat template."""
        if isinstance(source.data, Mapping):
            return "chat_template" in source.data
        if source.text is not None:
            return source.data is None and not _is_json(source) and ("{{" in source.text or "{%" in source.text)
        if not source.path:
            return False
        try:
            local = read_local(source.path)
        except ForeignNotationError:
            return not is_installed("lect_paddlenlp")
        except ModelFileError:
            # It should have one; `read` says what is wrong with it.
            return True
        return local is not None and bool(local.files.templates)

    def read(self, source: Source) -> Template:
        """Return the template.

        Raises:
            ModelFileError: If a file cannot be used.
            SourceError: If what was given is not a template that may be run.
        """
        from lect_jinja import load
        from lect_jinja.identity.family import with_replies

        name = os.path.basename(os.path.normpath(source.path)) if source.path else None
        if _is_json(source) and source.data is None:
            refuse(source.path, source.problem or "holds null, and should hold a JSON object")
        if source.data is None and source.text is None:
            return load(Path(source.path), name=name)
        try:
            template = load({"chat_template": source.text} if source.data is None else source.data, name=name)
        except PluginError as error:
            msg = f"{source}: {error}"
            raise SourceError(msg) from None
        config = source.data if isinstance(source.data, Mapping) else {}
        return with_replies(template, config.get("response_template"))

    def write(self, template: Template) -> Written:
        """Write a template; lect-convert asks for it, and whoever only reads does without."""
        from lect_jinja.writing.turn_table import write

        return write(template)

    def renderer(self, text: str, template: Template) -> Callable[..., str]:
        """Return a function that renders what was written with jinja2 itself."""
        from lect_jinja.writing.turn_table import renderer

        return renderer(text, template)


def _is_json(source: Source) -> bool:
    """Return whether a file must hold JSON: a truncated one must not pass for a template that prints itself."""
    return source.path.endswith(".json")


notation = JinjaNotation()
