"""Read and check the fields of a template of XTuner's."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple, NoReturn

from lect import SourceError
from lect.plugin import ROUND, Source, Turn

BOT_NAME = "{bot_name}"
DEFAULTS: dict[str, Any] = {
    "SYSTEM": None,
    "INSTRUCTION": None,
    "SUFFIX": "",
    "SUFFIX_AS_EOS": False,
    "SEP": "",
    "STOP_WORDS": (),
}
"""All fields in XTuner's order, with their defaults."""
# What a turn table would fill in although it is plain text to XTuner.
_PLACES = (ROUND, BOT_NAME, "{role}", "{eos}")
_BRACES = re.compile(r"\{\{|\}\}|\{([^{}]*)\}|[{}]")


class Fields(NamedTuple):
    """A template of XTuner's.

    Attributes:
        name: Its name.
        system: What surrounds a system text; None where there is no place for one.
        instruction: What surrounds a user's text, up to where the answer begins.
        suffix: What follows an answer.
        suffix_as_eos: Whether the suffix replaces the tokenizer's EOS.
        sep: What follows every turn.
        stop_words: Where generation ends, apart from the EOS.
    """

    name: str
    system: Turn | None
    instruction: Turn
    suffix: str
    suffix_as_eos: bool
    sep: str
    stop_words: tuple[str, ...]


def read_fields(source: Source, name: str) -> Fields:
    """Read the fields of a template, which will be called `name`.

    Raises:
        SourceError: If a field is missing, unknown, or of a wrong type or form.
    """
    fields = DEFAULTS | dict(source.fields(DEFAULTS, "XTuner"))
    where = str(source)
    if fields["INSTRUCTION"] is None:
        raise SourceError(f"{where} has no INSTRUCTION\n  try: INSTRUCTION='<user>{{input}}<bot>'")
    for field in ("SUFFIX", "SEP"):
        _check_type(fields[field], str, field, where)
        _check_places(fields[field], {}, field, where)
    _check_type(fields["SUFFIX_AS_EOS"], bool, "SUFFIX_AS_EOS", where)
    stops = fields["STOP_WORDS"]
    if not isinstance(stops, list | tuple) or not all(isinstance(stop, str) and stop for stop in stops):
        raise SourceError(f"{where}: STOP_WORDS is {stops!r}; expected a list of texts")
    return Fields(
        name,
        None if fields["SYSTEM"] is None else _turn(fields["SYSTEM"], "{system}", "SYSTEM", where),
        _turn(fields["INSTRUCTION"], "{input}", "INSTRUCTION", where),
        fields["SUFFIX"],
        fields["SUFFIX_AS_EOS"],
        fields["SEP"],
        tuple(stops),
    )


def _check_type(value: Any, kind: type, field: str, where: str) -> None:
    if not isinstance(value, kind):
        raise SourceError(f"{where}: {field} is {value!r} ({type(value).__name__}); expected {kind.__name__}")


def _turn(text: Any, wanted: str, field: str, where: str) -> Turn:
    """Read a format string with a place for `wanted`; `{round}` and `{bot_name}` are kept, to be filled in later."""
    _check_type(text, str, field, where)
    pieces: list[str] = []
    found: dict[str, int] = {wanted: 0, ROUND: 0, BOT_NAME: 0}
    halves: list[str] = []
    end = 0
    for token in _BRACES.finditer(text):
        pieces.append(text[end : token.start()])
        end = token.end()
        piece = token.group()
        if piece in ("{{", "}}"):
            pieces.append(piece[0])
        elif piece in ("{", "}"):
            _refuse(where, field, f"a single {piece!r}", token.start(), f"{piece * 2} for the character itself")
        elif piece not in found:
            known = ", ".join(found)
            _refuse(
                where, field, f"the placeholder {piece}", token.start(), f"one of {known}, or {{{piece}}} for the text"
            )
        else:
            found[piece] += 1
            if piece != wanted:
                pieces.append(piece)
            elif found[wanted] == 1:
                halves.append("".join(pieces))
                pieces.clear()
            else:
                _refuse(where, field, f"a second {wanted}", token.start(), f"{wanted} once")
    if not halves:
        msg = f"{where}: {field} has no {wanted}, so that text would be lost\n  try: {field}='...{wanted}...'"
        raise SourceError(msg)
    turn = Turn(halves[0], "".join(pieces) + text[end:])
    _check_places(turn.prefix + turn.suffix, found, field, where)
    return turn


def _check_places(text: str, filled: Mapping[str, int], field: str, where: str) -> None:
    for place in _PLACES:
        if text.count(place) != filled.get(place, 0):
            msg = f"{where}: {field} has {place} as plain text, which cannot be told from a place to fill in"
            raise SourceError(msg)


def _refuse(where: str, field: str, what: str, position: int, instead: str) -> NoReturn:
    raise SourceError(f"{where}: {field} has {what} at character {position}\n  try: {instead}")
