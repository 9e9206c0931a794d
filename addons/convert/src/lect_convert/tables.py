"""Turn tables, for notations that can express no more, or not all of one."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from lect.plugin import EOS, ROLE, ROUND, Template, Turn, TurnTemplate, boundary
from lect_convert.written import loss


@boundary
def table_of(template: Template, notation: str) -> TurnTemplate:
    """Return a template as a turn table, for notations that can express no more.

    Raises:
        ConversionError: If it cannot be written as one.
    """
    if isinstance(table := template.table, TurnTemplate):
        return table
    raise loss(template, notation, [f"all: {template.beyond_table}"], "a template that is a turn table")


_ROLES = {"user_after_system": "user", "other": ROLE, "generation": "assistant", "closing": "assistant"}
"""What `{role}` stands for in the facts of a table besides its turns."""
_DEFAULTS = {"default_system": "", **(TurnTemplate.__init__.__kwdefaults__ or {})}


@boundary
def expressible(table: TurnTemplate, says: Collection[str]) -> tuple[TurnTemplate, list[str]]:
    """Return the part of a turn table that a notation can express, and what is lost, each in a few words.

    In that part `{role}` and `{eos}` are filled in; `{role}` remains in the turn of other roles, and `{eos}` where its
    text is not known and `says` has `eos`. A lost generation prompt opens the answers of history too.

    Args:
        table: The table.
        says: The fields of a table that the notation can express, besides the turns of system, user and assistant;
            `rounds` is what `{round}` stands for, `bare` what is written for an empty text.
    """
    before_answer, after_answer, _ = table.turns["assistant"]
    ids = set(table.stop_ids) - set(table.stop.values())
    numbered = any(ROUND in turn.prefix + turn.suffix for turn in table.turns.values())
    beyond = {
        "default_system": table.default_system and "the default system text",
        "opening": table.opening and f"that every prompt begins with {table.opening!r}",
        "without_system": table.without_system
        and f"that a prompt without a system text begins with {table.without_system!r}",
        "examples": table.examples and "the examples before the first turn",
        "user_after_system": table.user_after_system and "that a user's turn is different after a system text",
        "generation": table.generation != before_answer
        and f"that a prompt ends with {table.generation!r}, but an answer in it follows {before_answer!r}",
        "eos": not table.eos and EOS in after_answer and "the tokenizer's EOS after an answer, whose text is not known",
        "closing": table.closing and f"that a conversation ends with {table.closing!r}",
        "trim": table.trim and "that texts are stripped of white space",
        "rounds": numbered and "the numbers of rounds",
        "first_round": numbered and table.first_round != 1 and f"that rounds are counted from {table.first_round}",
        "tool": "tool" in table.turns and "the turns of tools",
        "other": table.other and "the turns of other roles",
        "stop_ids": ids and f"stop ids that have no text: {', '.join(map(str, sorted(ids)))}",
        "bare": any(turn.bare not in (None, turn.prefix + turn.suffix) for turn in table.turns.values())
        and "what is written for an empty text",
    }
    lost = {field: words for field, words in beyond.items() if words and field not in says}
    eos = table.eos or (EOS if "eos" in says else "")
    number = str(table.first_round) if "rounds" in lost else ROUND

    def filled(what: Any, role: str) -> Any:
        if isinstance(what, Turn):
            return Turn(*(filled(text, role) for text in what[: 2 if "bare" in lost else 3]))
        return what and what.replace(EOS, eos).replace(ROUND, number).replace(ROLE, role)

    facts = {field: filled(table.stated()[field], _ROLES.get(field, field)) for field in (*table.turns, *_ROLES)}
    if "generation" in lost:
        facts["assistant"] = facts["assistant"]._replace(prefix=facts["generation"])
    return table.but(**facts | {field: _DEFAULTS[field] for field in lost if field in _DEFAULTS}), list(lost.values())
