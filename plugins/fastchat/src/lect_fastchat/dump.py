"""Write a template in FastChat's notation."""

from __future__ import annotations

import json
from typing import Any

from lect.plugin import Template, Turn, TurnTemplate
from lect_convert import Written, expressible, table_of
from lect_fastchat.separators import SeparatorStyle
from lect_fastchat.styled import FIELDS
from lect_fastchat.template import StyleTemplate
from lect_fastchat.writing import PLACEHOLDER


def write(template: Template) -> Written:
    """Write a template as a JSON object of FastChat's fields.

    Raises:
        ConversionError: If it is neither a template of FastChat's nor a turn table.
    """
    rest: TurnTemplate | None = None
    lost: list[str] = []
    if isinstance(template, StyleTemplate):
        fields = _own_fields(template)
    else:
        rest, style, lost = _expressible(table_of(template, "fastchat"))
        fields = _fields(rest, style)
    fields |= {"name": template.name, "system_message": template.default_system}
    if template.stop:
        fields["stop_str"] = list(template.stop) if len(template.stop) > 1 else next(iter(template.stop))
    if template.stop_ids:
        fields["stop_token_ids"] = list(template.stop_ids)
    ordered = {field: fields[field] for field in FIELDS if field in fields}
    return Written(json.dumps(ordered, ensure_ascii=False, indent=2) + "\n", lost, bos=rest is None, rest=rest)


def _own_fields(template: StyleTemplate) -> dict[str, Any]:
    fields = template.fields._asdict()
    examples = [list(pair) for pair in fields.pop("examples")]
    if examples:
        fields |= {"messages": examples, "offset": len(examples)}
    return fields | {"sep_style": SeparatorStyle(fields["sep_style"]).name}


def _expressible(table: TurnTemplate) -> tuple[TurnTemplate, SeparatorStyle, list[str]]:
    """Return what FastChat can express of a turn table, in which style, and what is lost.

    The style without a colon can express any prefix and suffix, but writes the whole prefix where the assistant is to
    speak; DeepSeek's omits the trailing space there. No style writes the end of a turn that has no text, and these two
    write what surrounds a system text even where there is none.
    """
    prefixes = [table.turns[role].prefix for role in ("user", "assistant")]
    says = {"default_system", "examples", "stop_ids", "without_system", "bare"}
    style, unspoken = SeparatorStyle.NO_COLON_TWO, ""
    if table.generation == prefixes[1].removesuffix(" ") and all(prefix.endswith(": ") for prefix in prefixes):
        style, unspoken = SeparatorStyle.DEEPSEEK_CHAT, " "
        says.add("generation")
    table, lost = expressible(table, says)
    turns = {role: turn for role, turn in table.turns.items() if role != "tool"}
    written = {
        role: turn._replace(bare=None if role == "system" else turn.prefix.removesuffix(unspoken))
        for role, turn in turns.items()
    }
    system = turns.get("system")
    without = system.prefix + system.suffix if system else ""
    if not table.default_system and table.without_system != without:
        lost.append("that a prompt without a system text has no system turn")
    if any(_bare(turn) != _bare(written[role]) for role, turn in turns.items()):
        lost.append("what is written for an empty text")
    return table.but(**written, without_system=without), style, lost


def _bare(turn: Turn) -> str:
    return turn.prefix + turn.suffix if turn.bare is None else turn.bare


def _fields(table: TurnTemplate, style: SeparatorStyle) -> dict[str, Any]:
    """Return the fields with which FastChat writes a turn table."""
    user, assistant, system = table.turns["user"], table.turns["assistant"], table.turns.get("system")
    colon = ": " if style == SeparatorStyle.DEEPSEEK_CHAT else ""
    roles = [turn.prefix.removesuffix(colon) for turn in (user, assistant)]
    return {
        "system_template": "" if system is None else system.prefix + PLACEHOLDER + system.suffix,
        "roles": roles,
        "messages": [[roles[role == "assistant"], text] for role, text in table.examples],
        "offset": len(table.examples),
        "sep_style": style.name,
        "sep": user.suffix,
        "sep2": assistant.suffix,
    }
