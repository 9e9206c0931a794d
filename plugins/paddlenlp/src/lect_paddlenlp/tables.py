"""Convert a chat_template.json to a turn table, where one can express it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from lect.plugin import ROUND, Turn, TurnTemplate

if TYPE_CHECKING:
    from lect.plugin import Template
    from lect_paddlenlp.fields import Field, Fields

_PLACE = re.compile(r"\{\{\s*(\w+)\s*\}\}")
# What Jinja does not write verbatim, and what a table would fill in.
_NOT_LITERAL = re.compile(r"\{[{%#]|\r|\{(?:round|role|eos)\}")


def turn_table(template: Template, fields: Fields) -> TurnTemplate | None:
    """Return a turn table that writes what the fields do; None where they are more than texts with placeholders.

    In a table the last question is written like every other one, followed by the beginning of the answer.
    """
    user, bot, query = _around(fields.user, "user"), _around(fields.bot, "bot"), _around(fields.query, "query")
    system = _system(fields.system)
    if user is None or bot is None or query is None or system is None:
        return None
    if query.prefix != user.prefix or not query.suffix.startswith(user.suffix):
        return None
    return TurnTemplate(
        template.name,
        user=user,
        assistant=bot,
        generation=query.suffix.removeprefix(user.suffix),
        first_round=0,
        **system,
        stop=template.stop,
        markers=template.markers,
        text_separators=True,
        source=template.source,
    )


def _system(field: Field | None) -> dict[str, Any] | None:
    """Return what a table says about the system text, which is empty where there is none; None where it cannot."""
    if field is None or not _PLACE.search(field.text):
        text = "" if field is None else field.text
        return None if _NOT_LITERAL.search(text) else {"opening": text}
    turn = _around(field, "system")
    if turn is None or ROUND in turn.prefix + turn.suffix:
        return None
    return {"system": turn, "without_system": turn.prefix + turn.suffix}


def _around(field: Field | None, name: str) -> Turn | None:
    """Return what surrounds the one placeholder for a text; None where the field is anything else."""
    if field is None:
        return None
    halves = [""]
    for index, piece in enumerate(_PLACE.split(field.text)):
        if index % 2 == 0 and not _NOT_LITERAL.search(piece):
            halves[-1] += piece
        elif index % 2 and piece == "index":
            halves[-1] += ROUND
        elif index % 2 and piece == name:
            halves.append("")
        else:
            return None
    return Turn(*halves) if len(halves) == 2 else None
