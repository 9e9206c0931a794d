"""Write a turn table as a chat_template.json.

It uses expressions and no statements, so that the line breaks around them are left alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from lect.plugin import ROUND, Template, Turn, TurnTemplate
from lect_convert import Written, expressible, table_of
from lect_paddlenlp.template import PaddleTemplate

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from lect_paddlenlp.fields import Fields

SAYS = frozenset({
    "default_system", "opening", "without_system", "examples", "user_after_system", "generation", "trim", "rounds",
    "first_round", "stop_ids", "bare",
})  # fmt: skip
"""The parts of a table that such a file can express. Where generation stops is not among them."""


class JinjaPiece(NamedTuple):
    """A piece of a field: a text, or a Jinja expression."""

    text: str
    is_literal: bool = True


def write(template: Template) -> Written:
    """Write a template as a chat_template.json.

    Raises:
        ConversionError: If it is neither a template of PaddleNLP's nor a turn table.
    """
    if isinstance(template, PaddleTemplate):
        return Written(_json(_own(template.fields)))
    table, lost = expressible(table_of(template, "paddlenlp"), SAYS)
    user, assistant = table.turns["user"], table.turns["assistant"]
    fields = {
        "system": _text(_system(table)),
        "conversation": [_text(_user(table, user, "user")), _text(_turn(table, assistant, "bot"))],
        "query": _text([*_user(table, user, "query"), *_pieces(table, table.generation)]),
    }
    return Written(_json(fields), lost, rest=table)


def _own(fields: Fields) -> dict[str, Any]:
    pair = fields.user and fields.bot and [fields.user.text, fields.bot.text]
    return {"system": fields.system and fields.system.text, "conversation": pair, "query": fields.query.text}


def _json(fields: Mapping[str, Any]) -> str:
    import json

    stated = {name: value for name, value in fields.items() if value}
    return json.dumps(stated, ensure_ascii=False, indent=4) + "\n"


def _system(table: TurnTemplate) -> list[JinjaPiece]:
    """Return what comes first: BOS, opening, system text, examples."""
    examples = [piece for role, text in table.examples for piece in _around(table, table.turns[role], JinjaPiece(text))]
    system = table.turns.get("system")
    without = [JinjaPiece(table.without_system)]
    if system is None:
        middle = without
    elif table.default_system:
        given = f"(system if system is defined else {_quoted(table.default_system)})"
        middle = _turn(table, system, given)
    else:
        middle = _either(_turn(table, system, "system"), "system is defined", without)
    return [JinjaPiece(table.bos + table.opening), *middle, *examples]


def _user(table: TurnTemplate, turn: Turn, variable: str) -> list[JinjaPiece]:
    plain = _turn(table, turn, variable)
    if table.user_after_system is None:
        return plain
    condition = "index == 0" if table.default_system else "index == 0 and system is defined"
    return _either(_turn(table, table.user_after_system, variable), condition, plain)


def _turn(table: TurnTemplate, turn: Turn, variable: str) -> list[JinjaPiece]:
    text = f"{variable} | trim" if table.trim else variable
    full = _around(table, turn, JinjaPiece(text, False))
    if turn.bare is None or turn.bare == turn.prefix + turn.suffix:
        return full
    return _either(full, text, _pieces(table, turn.bare))


def _around(table: TurnTemplate, turn: Turn, text: JinjaPiece) -> list[JinjaPiece]:
    return [*_pieces(table, turn.prefix), text, *_pieces(table, turn.suffix)]


def _pieces(table: TurnTemplate, text: str) -> list[JinjaPiece]:
    number = JinjaPiece(f"index + {table.first_round}", False)
    first, *others = map(JinjaPiece, text.split(ROUND))
    return [first, *(piece for other in others for piece in (number, other))]


def _either(one: list[JinjaPiece], condition: str, other: list[JinjaPiece]) -> list[JinjaPiece]:
    """Return a piece that writes `one` where a condition holds, and `other` where it does not."""
    return [JinjaPiece(f"({_expression(one)}) if {condition} else ({_expression(other)})", False)]


def _expression(pieces: list[JinjaPiece]) -> str:
    texts = []
    for text, is_literal in _merged(pieces):
        texts.append(_quoted(text) if is_literal else text if text.isidentifier() else f"({text})")
    return " ~ ".join(texts) or "''"


def _text(pieces: list[JinjaPiece]) -> str:
    return "".join(
        piece.text
        if piece.is_literal and "{" not in piece.text
        else f"{{{{ {_quoted(piece.text) if piece.is_literal else piece.text} }}}}"
        for piece in _merged(pieces)
    )


def _merged(pieces: list[JinjaPiece]) -> Iterator[JinjaPiece]:
    """Yield the pieces with adjacent texts merged and empty texts dropped."""
    text = ""
    for piece in pieces:
        if piece.is_literal:
            text += piece.text
            continue
        if text:
            yield JinjaPiece(text)
        yield piece
        text = ""
    if text:
        yield JinjaPiece(text)


def _quoted(text: str) -> str:
    """Return a text as a Jinja literal."""
    escapes = {"\\": "\\\\", "'": "\\'", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
    return "'" + "".join(escapes.get(character, character) for character in text) + "'"
