"""The three fields of a chat_template.json: small Jinja templates, run by the guarded engine of lect-jinja."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import lect_jinja
from lect import LectError, SourceError
from lect.plugin import Source

FILE = "chat_template.json"
NAMES = ("system", "conversation", "query")
QUERY = "{{query}}"
"""What PaddleNLP uses where there is no `query`."""
# The engine drops a newline at the end of a template, as transformers does; PaddleNLP keeps it.
KEEP_LINE_END = "{{ '' }}"


class Field:
    """One small template."""

    def __init__(self, name: str, text: str):
        self.text = text
        self.template = lect_jinja.load(text + KEEP_LINE_END, name=name)

    @property
    def variables(self) -> tuple[str, ...]:
        """The variables that it reads."""
        return tuple(self.template.options)

    def given(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return those of the values that it reads."""
        return {name: values[name] for name in self.variables if name in values}

    def render(self, values: Mapping[str, Any]) -> str:
        """Return its text with values filled in; missing ones are empty."""
        return self.template.text([], **self.given(values))


class Fields(NamedTuple):
    """The fields of a chat_template.json; None where one is absent."""

    system: Field | None
    user: Field | None
    bot: Field | None
    query: Field

    @property
    def variables(self) -> set[str]:
        """The variables that the fields read."""
        return {name for field in self if field is not None for name in field.variables}


def read_fields(source: Source) -> Fields:
    """Read the fields of a chat_template.json.

    Raises:
        SourceError: If a field is unknown, of a wrong type, or not a template.
    """
    where = str(source)
    if isinstance(source.data, Mapping) and "chat_template" in source.data:
        msg = f"{where} is Hugging Face's file of that name, with one whole template\n  try: notation='jinja'"
        raise SourceError(msg)
    data = source.fields(NAMES, "PaddleNLP")
    pair = data.get("conversation")
    if pair is not None and (not isinstance(pair, list | tuple) or len(pair) != 2):
        raise SourceError(f"{where}: conversation is {pair!r}; expected two templates, the user's and the bot's")
    query = data.get("query")
    return Fields(
        None if data.get("system") is None else _field(data["system"], "system", where),
        None if pair is None else _field(pair[0], "conversation[0]", where),
        None if pair is None else _field(pair[1], "conversation[1]", where),
        Field("query", QUERY) if query is None else _field(query, "query", where),
    )


def _field(text: Any, name: str, where: str) -> Field:
    if not isinstance(text, str):
        raise SourceError(f"{where}: {name} is {text!r} ({type(text).__name__}); expected text")
    try:
        return Field(name, text)
    except LectError as error:
        raise SourceError(f"{where}: {error}") from None
