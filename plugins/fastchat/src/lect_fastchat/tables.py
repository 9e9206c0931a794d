"""Convert a conversation's separator style to a turn table, where one can express it."""

from __future__ import annotations

from typing import Any

from lect.plugin import ROUND, Template, Turn, TurnTemplate
from lect_fastchat.separators import SeparatorStyle
from lect_fastchat.styles import ALWAYS, IF_FORMATTED, NEVER
from lect_fastchat.writing import PLACEHOLDER, StyleFields, fill_style

_S = SeparatorStyle
BEYOND_TABLES = {
    _S.LLAMA3: "strips white space from what user and assistant say, but not the system text",
    _S.RWKV: "turns several line ends in a row into one",
    _S.YUAN2: "removes every '<', 'n' and '>' at the end of a prompt",
    _S.CLLM: "writes only the last two messages",
}
"""What some styles do to a text, or leave out, which no table can express."""


def turn_table(template: Template, fields: Any) -> TurnTemplate | None:
    """Return a turn table that writes what a separator style does; None where there is none.

    The two agree on every conversation in which user and assistant take turns, the user first and with a text.
    Otherwise they may not: in FastChat the position of a message determines what surrounds it, in a table its role.
    """
    filled = fill_style(fields)
    texts = (*fields.roles, fields.sep, fields.sep2)
    if fields.sep_style in BEYOND_TABLES or any(ROUND in (text or "") for text in texts):
        return None
    turns = _turns(fields, filled)
    examples = [(("user", "assistant")[index % 2], text) for index, (_, text) in enumerate(fields.examples)]
    if turns is None or not all(isinstance(text, str) for _, text in examples) or _has_odd_system(fields, filled):
        return None
    return TurnTemplate(
        template.name,
        **{"system": _system(fields, filled), "without_system": _without_system(fields, filled)} | turns,
        examples=examples,
        bos=template.bos,
        default_system=template.default_system,
        stop=template.stop,
        stop_ids=template.stop_ids,
        markers=template.markers,
        control_tokens=template.control_tokens,
        text_separators=template.text_separators,
        source=template.source,
    )


def beyond_table(fields: Any) -> str:
    """Return why a separator style is not a turn table."""
    style = SeparatorStyle(fields.sep_style)
    return f"the style {style.name} {BEYOND_TABLES.get(style, 'has fields here that no turn table can express')}"


def _has_odd_system(fields: Any, filled: StyleFields) -> bool:
    """Return whether the system template is more than a placeholder between two texts."""
    return filled.head is None and any(brace in fields.system_template for brace in "{}")


def _system(fields: Any, filled: StyleFields) -> Turn | None:
    style = filled.style
    if style.when == NEVER or PLACEHOLDER not in fields.system_template:
        return None
    return Turn(filled.head or "", filled.tail + filled.after_system, _without_system(fields, filled))


def _without_system(fields: Any, filled: StyleFields) -> str:
    """Return what is written where the system text is empty."""
    style = filled.style
    around: str = fields.system_template.replace(PLACEHOLDER, "")
    if style.when == ALWAYS or (style.when == IF_FORMATTED and around):
        return around + (filled.after_system or "")
    return style.without_system


def _turns(fields: Any, filled: StyleFields) -> dict[str, Any] | None:
    """Return what surrounds the text of each role."""
    style = filled.style
    user, assistant = fields.roles[:2]
    sep, sep2 = fields.sep, fields.sep2
    before = ["", ""]
    colons = [style.colon, style.colon]
    bares = [style.bare, style.bare]
    ends = [filled.end, filled.odd_end]
    rest: dict[str, Any] = {}
    match fields.sep_style:
        case _S.LLAMA2:
            # The first question's tag comes with the system text. A table can only express this if every question has
            # that tag.
            if user != "[INST]" or sep != " ":
                return None
            rest["user_after_system"] = Turn("", " ", user)
            rest["without_system"] = ""
        case _S.CHATGLM:
            before[0] = f"[Round {ROUND}]{sep}"
            rest["first_round"] = 1 if fields.name == "chatglm2" else 0
        case _S.CHATINTERN:
            before[0] = "<s>"
        case _S.GEMMA:
            before = ["<start_of_turn>"] * 2
        case _S.METAMATH:
            colons[1] = bares[1] = f": {sep2}"
    if None in ends:
        return None
    question, answer = (
        Turn(opening + role + colon, end, opening + role + bare)
        for opening, role, colon, end, bare in zip(before, (user, assistant), colons, ends, bares, strict=True)
    )
    return {"user": question, "assistant": answer, "generation": answer.bare, **rest}
